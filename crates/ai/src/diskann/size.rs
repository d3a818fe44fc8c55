//! The size of nodes and of a dataset.

use dyno_core::plan::Knobs;

/// Block size of the index: a node does not cross the end of a block unless it is larger.
pub const BLOCK: u64 = 4096;

/// Size of a node on the drive before it is rounded to blocks, bytes: its vector, the number of its
/// neighbours and their numbers.
pub fn node_bytes(dimensions: u64, degree: u64) -> u64 {
    4 * dimensions + 4 * (degree + 1)
}

/// Size of the blocks of this many nodes, bytes.
pub fn graph_bytes(vectors: u64, node_bytes: u64) -> u64 {
    let blocks = match BLOCK / node_bytes {
        0 => vectors.saturating_mul(node_bytes.div_ceil(BLOCK)),
        nodes => vectors.div_ceil(nodes),
    };
    blocks.saturating_mul(BLOCK)
}

/// Size of a dataset with these knobs, bytes: the index, the vectors and the compressed vectors.
/// None if the knobs are of another engine.
pub fn dataset_bytes(knobs: &Knobs) -> Option<u64> {
    let int = |name| knobs.int(name).ok();
    let (vectors, dimensions) = (int("vectors")?, int("dimensions")?);
    let node = node_bytes(dimensions, int("degree")?);
    let memory = vectors.saturating_mul(4 * dimensions + int("pq_bytes")?);
    Some(graph_bytes(vectors, node).saturating_add(memory))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn small_nodes_share_a_block_and_large_ones_have_blocks_of_their_own() {
        let bytes = |vectors: u64, dimensions: u64, pq_bytes: u64| {
            let all = json!({
                "vectors": vectors, "dimensions": dimensions, "degree": 64, "pq_bytes": pq_bytes
            });
            dataset_bytes(&Knobs(serde_json::from_value(all).unwrap())).unwrap()
        };
        // 772 bytes: five nodes per block.
        assert_eq!(bytes(100_000, 128, 32), 20_000 * 4096 + 100_000 * (512 + 32));
        // 6,404 bytes: two blocks per node.
        assert_eq!(bytes(1_000_000, 1536, 192), 1_000_000 * (8192 + 6144 + 192));
    }
}
