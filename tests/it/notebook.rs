//! `docs/analysis.ipynb` runs on the tables of a bundle, and exported tables do not contain the
//! paths of their bundles.

use std::process::Command;

use crate::support::{dyno_well, said};

const PROTOCOL: &str = "title = \"Null\"\n[[step]]\nname = \"a\"\nduration = \"1200ms\"\n\
    sweep = { axis = \"io.threads\", values = [1, 2] }\n[[step.stream]]\nname = \"io\"\n\
    engine = { kind = \"null\", latency = \"1ms\" }\nworkload = \"random\"\n";

/// Runs the code cells of a notebook in sequence, like Jupyter.
const CELLS: &str = "import json, sys\nspace = {}\n\
    for cell in json.load(open(sys.argv[1]))['cells']:\n    \
    if cell['cell_type'] == 'code': exec(''.join(cell['source']), space)\n";

#[test]
fn the_notebook_runs_on_exported_tables_which_have_no_absolute_paths() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    for name in ["x", "y"] {
        std::fs::create_dir(dir.join(name)).expect("a folder");
    }
    std::fs::write(dir.join("null.toml"), PROTOCOL).expect("written");
    let run = "run ./null.toml -s X=x -s Y=y,latency=4ms --repeats 3 --set meters=none -o b.dyno";
    dyno_well(dir, &run.split(' ').collect::<Vec<_>>());
    let bundle = dir.join("b.dyno").display().to_string();
    for table in ["points", "histograms", "intervals", "comparisons"] {
        let file = format!("{table}.csv");
        dyno_well(dir, &["export", &bundle, "--table", table, "-o", &file]);
        let text = std::fs::read_to_string(dir.join(&file)).expect("written");
        assert!(!text.contains(&dir.display().to_string()), "{table} names our folder");
    }
    let notebook = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/analysis.ipynb");
    let ran = Command::new("python3").current_dir(dir).args(["-c", CELLS, notebook]).output();
    let ran = ran.expect("python3");
    assert!(ran.status.success(), "{}", said(&ran));
    for part in ["12 points", "ops/s", "ns at p50", "apart"] {
        assert!(said(&ran).contains(part), "no '{part}': {}", said(&ran));
    }
}
