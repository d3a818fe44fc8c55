//! The size of nodes and of a dataset.

use crate::plan::Knobs;

/// The size of a block of the index: nodes do not cross its end unless they are larger.
pub const BLOCK: u64 = 4096;

/// The bytes of a node on the drive, with those that it is read in: its vector, the number of its
/// neighbours and their numbers.
pub fn node_bytes(dimensions: u64, degree: u64) -> u64 {
    4 * dimensions + 4 * (degree + 1)
}

/// The bytes of the blocks of so many nodes.
pub fn graph_bytes(vectors: u64, node_bytes: u64) -> u64 {
    let blocks = match BLOCK / node_bytes {
        0 => vectors.saturating_mul(node_bytes.div_ceil(BLOCK)),
        nodes => vectors.div_ceil(nodes),
    };
    blocks.saturating_mul(BLOCK)
}

/// The bytes of a dataset with these knobs: the index, the vectors and the compressed ones. None if
/// they are not of this engine.
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
        // 772 bytes: five in a block.
        assert_eq!(bytes(100_000, 128, 32), 20_000 * 4096 + 100_000 * (512 + 32));
        // 6,404 bytes: two blocks for each.
        assert_eq!(bytes(1_000_000, 1536, 192), 1_000_000 * (8192 + 6144 + 192));
    }
}
