//! `diskann`: Microsoft's DiskANN (crate diskann-disk) on a filesystem of the drive under test.
//!
//! `layout` names the files of a dataset, and `size` computes their sizes. `vectors` generates the
//! vectors, the queries and their true neighbours, `build` the graph; `build_progress` reports the
//! progress of a build and interrupts it. `index` is an open index; `reader` reads its nodes for
//! the library, so that Dyno issues and counts each I/O. `io_context` is the search of one thread,
//! and `query_results` checks that a query always has the same result. The library allocates for
//! each query (ARCHITECTURE.md, "Invariants").

#[cfg(feature = "vector")]
mod build;
#[cfg(feature = "vector")]
mod build_progress;
#[cfg(feature = "vector")]
mod index;
#[cfg(feature = "vector")]
mod io_context;
#[cfg(feature = "vector")]
mod layout;
#[cfg(feature = "vector")]
mod query_results;
#[cfg(feature = "vector")]
mod reader;
pub mod size;
#[cfg(feature = "vector")]
mod target;
#[cfg(feature = "vector")]
mod vectors;

use dyno_core::base::error::Result;
use dyno_core::engine::{DatasetAccess, Engine, Target};
use dyno_core::measure::AddressSpace;
use dyno_core::plan::{DefaultValue, Info, Knob, KnobKind, Knobs, RequestFamily, Writes};

/// The engine `diskann`.
pub struct DiskAnn;

/// A knob with a whole number.
const fn int(
    name: &'static str,
    (min, max): (u64, u64),
    default: &'static str,
    doc: &'static str,
) -> Knob {
    let kind = KnobKind::Int { min, max };
    Knob { name, kind, default: DefaultValue::Is(default), doc }
}

static INFO: Info = Info {
    name: "diskann",
    summary: "vector search in a DiskANN index on a filesystem",
    family: RequestFamily::Vector,
    writes: Writes::Never,
    max_depth: 1,
    knobs: &[
        int(
            "vectors",
            (256, 1_000_000_000),
            "100000",
            "Vectors in the index, of 32-bit floats: clusters of a fixed seed.",
        ),
        int("dimensions", (2, 4096), "128", "Dimensions of a vector."),
        int("queries", (1, 1_000_000), "1000", "Queries, which are asked in turn."),
        int("degree", (4, 512), "64", "Most neighbours of a node (DiskANN: R)."),
        int("build_list", (10, 2_000), "100", "Search list of the build (DiskANN: L)."),
        int(
            "pq_bytes",
            (1, 4096),
            "32",
            "Bytes of a compressed vector in memory, at most one for each dimension.",
        ),
        Knob {
            name: "direct",
            kind: KnobKind::Bool,
            default: DefaultValue::Is("true"),
            doc: "Read nodes with O_DIRECT, bypassing the page cache.",
        },
    ],
    source: "microsoft/DiskANN, crate diskann-disk; Subramanya et al., DiskANN, NeurIPS 2019",
};

impl Engine for DiskAnn {
    fn info(&self) -> &'static Info {
        &INFO
    }

    /// Memory of the compressed vectors and the queries.
    fn memory_bytes(&self, knobs: &Knobs) -> u64 {
        let int = |name| knobs.int(name).unwrap_or(0);
        let queries = int("queries").saturating_mul(int("dimensions")).saturating_mul(4);
        int("vectors").saturating_mul(int("pq_bytes")).saturating_add(queries)
    }

    fn planned_space(&self, knobs: &Knobs) -> Option<AddressSpace> {
        let keys = knobs.int("queries").ok()?;
        Some(AddressSpace { keys, ..AddressSpace::default() })
    }

    #[cfg(not(feature = "vector"))]
    fn check_build(&self) -> Result<()> {
        Err(not_built())
    }

    #[cfg(feature = "vector")]
    fn open(&self, site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
        target::open(site)
    }

    #[cfg(not(feature = "vector"))]
    fn open(&self, _site: &DatasetAccess<'_>) -> Result<Box<dyn Target>> {
        Err(not_built())
    }
}

#[cfg(not(feature = "vector"))]
fn not_built() -> dyno_core::base::error::Error {
    dyno_core::base::error::failed(
        "this dyno was built without DiskANN",
        "build it with `cargo build --release --features vector`",
    )
}
