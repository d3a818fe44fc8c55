"""Hits and evictions of libCacheSim for the blocks on standard input, one a line.

Usage: python3 kv-cache-libcachesim.py CAPACITY... < blocks
Prints "POLICY CAPACITY HITS EVICTIONS" for LRU, FIFO and S3-FIFO with libCacheSim's defaults.
"""

import sys

import libcachesim

POLICIES = {"lru": libcachesim.LRU, "fifo": libcachesim.FIFO, "s3-fifo": libcachesim.S3FIFO}


def main() -> None:
    blocks = [int(line) for line in sys.stdin]
    # libCacheSim may treat 0 as no object.
    requests = [libcachesim.Request(obj_id=block + 1, obj_size=1) for block in blocks]
    for name, policy in POLICIES.items():
        for capacity in map(int, sys.argv[1:]):
            cache = policy(cache_size=capacity)
            hits = sum(cache.get(request) for request in requests)
            evictions = len(requests) - hits - cache.get_n_obj()
            print(name, capacity, hits, evictions)


main()
