//! MLPerf Storage's `summary.json`, as DLIO writes it.

use serde_json::Value;

use super::load::field;
use super::text::{json, json_number};
use super::{FormatInfo, ImportFormat, ImportedFile, Input, Observation, Written, cell};
use dyno_core::base::error::{Result, failed};
use dyno_core::base::units;
use dyno_core::record::{Class, Fact, Reported};

pub struct MlperfStorage;

const STREAM: &str = "mlperf";

/// A sample of the training data.
const SAMPLE: Class = Class::new("sample");

/// Means of a run, with the direction of their data: samples or operations per second, and MiB/s
/// (DLIO divides by 1024 twice) or GB/s.
const RATES: [(&str, Class, &str, f64); 6] = [
    ("train_throughput_mean_samples_per_second", SAMPLE, Reported::OPS_PER_S, 1.0),
    ("train_io_mean_MB_per_second", SAMPLE, Reported::BYTES_PER_S, 1_048_576.0),
    (
        "eval_throughput_mean_samples_per_second",
        Class::new("evaluated-sample"),
        Reported::OPS_PER_S,
        1.0,
    ),
    (
        "eval_io_mean_MB_per_second",
        Class::new("evaluated-sample"),
        Reported::BYTES_PER_S,
        1_048_576.0,
    ),
    ("save_checkpoint_io_mean_GB_per_second", Class::WRITE, Reported::BYTES_PER_S, 1_073_741_824.0),
    ("load_checkpoint_io_mean_GB_per_second", Class::READ, Reported::BYTES_PER_S, 1_073_741_824.0),
];

impl ImportFormat for MlperfStorage {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "mlperf",
            summary: "MLPerf Storage's summary.json; ops are samples",
            missing: &[
                "latencies",
                "the model and its settings, which are in other files of the run",
                "the length of the window",
                "readings of meters",
            ],
        }
    }

    fn read(&self, input: &Input<'_>) -> Result<ImportedFile> {
        let root = json(input, "use the whole summary.json that the benchmark wrote")?;
        let metric = &root["metric"];
        let mut found = ImportedFile::default();
        let name = ["workload", "model"].iter().find_map(|key| root[*key].as_str());
        let mut observation = Observation::new(name.unwrap_or("training"), None);
        for (key, name) in [
            ("num_accelerators", field::INSTANCES),
            ("num_hosts", "hosts"),
            ("num_files_train", "files"),
            ("num_samples_per_file", "samples per file"),
            ("epochs", "epochs"),
        ] {
            observation.load.set_if(name, json_number(&root[key]));
        }
        for (key, class, figure, scale) in RATES {
            if let Some(value) = json_number(&metric[key]).filter(|value| *value > 0.0) {
                let value = Written::exact(value * scale);
                observation.report((STREAM, class), figure, value, None);
            }
        }
        if observation.reported.is_empty() {
            let next = "give the summary.json of a run that ended";
            let what = "there is no mean throughput under \"metric\"";
            return Err(failed(format!("{}: {what}", input.file), next));
        }
        // Accelerators that waited make a result invalid, regardless of its rate.
        for (key, what) in [
            ("train_au_mean_percentage", "accelerator utilization, %"),
            ("train_au_meet_expectation", "accelerator utilization meets the rule"),
        ] {
            let value = match &metric[key] {
                Value::String(text) => text.clone(),
                value => match json_number(value) {
                    Some(value) => units::significant(value, 4),
                    None => continue,
                },
            };
            if value == "fail" {
                found.note(format!(
                    "{}: the accelerators waited more than MLPerf Storage permits \
                     (train_au_meet_expectation: fail); the result does not count there",
                    input.file
                ));
            }
            found.facts.push(Fact::new("Imported", what, value));
        }
        observation.point.cells.push(cell(STREAM, 0, None, None, Vec::new()));
        found.observations.push(observation);
        Ok(found)
    }
}
