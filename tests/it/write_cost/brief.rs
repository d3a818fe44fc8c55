//! The brief of two drives of known write amplification whose data sheets are stated.

use std::path::{Path, PathBuf};

use dyno::analysis::keys::{StepKey, SubjectKey};
use dyno::analysis::points::metric::PointFigure;
use dyno::analysis::{Facts, Metric, Question};
use dyno::bundles;
use dyno::stats::amplification::NotMeasured;

use super::mounted::MountedFtl;
use super::run::settled;
use crate::support::{LoopDevice, dyno_well};

/// Two drives, of which the second has more spare blocks.
struct Two {
    folder: tempfile::TempDir,
    _devices: [LoopDevice; 2],
    _drives: [MountedFtl; 2],
}

impl Two {
    /// Runs random writes on both; None where no drive can be mounted.
    fn measured() -> Option<Two> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let drive = |name: &str, pages: u32| {
            let mount = folder.path().join(name);
            std::fs::create_dir(&mount).unwrap();
            MountedFtl::new(&mount, settled(pages))
        };
        let drives = [drive("a", 3_276)?, drive("b", 2_867)?];
        let [a, b] = drives.each_ref().map(|drive| LoopDevice::over(&drive.drive()));
        let two = Two { _devices: [a?, b?], _drives: drives, folder };
        // On a busy machine the counters are read seldom, which a longer window makes up for.
        for seconds in [8, 16, 32, 64] {
            two.run(seconds);
            if !two.too_coarse() {
                break;
            }
        }
        Some(two)
    }

    /// Whether the readings of a counter were too far apart for its window.
    fn too_coarse(&self) -> bool {
        self.facts().measured.steps[StepKey(0)].cells.iter().any(|cell| {
            let found = cell.writes.as_ref().map(|writes| &writes.amplification);
            matches!(found, Some(Err(NotMeasured::TooCoarse(_))))
        })
    }

    fn run(&self, seconds: u32) {
        let dir = self.folder.path();
        let step = format!(
            "title = \"T\"\nsource = \"test\"\nheadline = {{ step = \"s\", metric = \"WAF\" }}\n\
             [dataset.d]\nengine = \"uring\"\nsize = 0\ndirect = true\n\
             [[step]]\nname = \"s\"\nduration = \"{seconds}s\"\ncooldown = \"300ms\"\n\
             [[step.stream]]\nname = \"io\"\nengine = \"uring\"\ndepth = 4\n\
             workload = {{ kind = \"random\", read = 0, block = \"4KiB\" }}\n"
        );
        std::fs::write(dir.join("p.toml"), step).unwrap();
        let mut plan = "protocol = \"./p.toml\"\nrepeats = 3\nidle = \"1s\"\n\
                        meters = [{ kind = \"exec\", class = \"drive\", command = [\"sh\", \"-c\", \
                        \"while echo 5; do sleep 0.05; done\"] }]\n"
            .to_string();
        for (name, device, drive, dwpd) in [
            ("Alpha", &self._devices[0], &self._drives[0], 1),
            ("Beta", &self._devices[1], &self._drives[1], 3),
        ] {
            plan += &format!(
                "[[subject]]\nname = \"{name}\"\ndrives = [{{ device = \"{}\", serial = \"{}\", \
                 erase = \"unknown data\" }}]\nmeters = {}\n[drive.{name}]\nendurance = \
                 \"{dwpd}000000 DWPD\"\nwarranty = \"5 years\"\ncapacity = \"{} B\"\nprice = \
                 {{ amount = {}000000.0, currency = \"EUR\", date = \"2026-11-22\", source = \"a \
                 shop\" }}\nsource = \"data sheet of {name}\"\n",
                device.display(),
                drive.drive().display(),
                drive.meters(),
                drive.bytes(),
                100 * dwpd,
            );
        }
        std::fs::write(dir.join("plan.toml"), plan).unwrap();
        let _ = std::fs::remove_file(self.bundle());
        dyno_well(dir, &["run", "plan.toml", "-o", "two.dyno"]);
    }

    fn bundle(&self) -> PathBuf {
        self.folder.path().join("two.dyno")
    }

    fn facts(&self) -> Facts {
        bundles::facts(&[self.bundle()], &Question::default()).unwrap()
    }
}

/// A report's text without markup, in one of the languages.
fn report(dir: &Path, language: &str) -> String {
    let file = format!("write-cost-{language}.md");
    dyno_well(dir, &["report", "two.dyno", "-o", &file, "--language", language]);
    std::fs::read_to_string(dir.join(file)).unwrap()
}

#[test]
fn the_brief_of_two_drives_has_amplification_life_and_cost_by_the_formulas_of_its_page() {
    let Some(two) = Two::measured() else { return };
    let facts = two.facts();
    // To be looked at.
    for language in ["en", "ja", "pt-BR"] {
        let page = format!("{}/write-cost-{language}.html", env!("CARGO_TARGET_TMPDIR"));
        let command = ["report", "two.dyno", "-o", &page, "--language", language];
        dyno_well(two.folder.path(), &command);
    }
    let text = report(two.folder.path(), "en");
    for subject in facts.subjects.keys() {
        let cell = facts.measured.steps[StepKey(0)].cell(subject, 0).unwrap();
        let writes = cell.writes.as_ref().unwrap();
        let (waf, _) = writes.amplification.as_ref().unwrap();
        assert!(text.contains(&format!("{:.2}", waf.value)), "WAF {waf:?}: {text}");
        // DWPD and years at this load: capacity and rating are those of the plan.
        let capacity = facts.subjects[subject].capacity_bytes.unwrap();
        let per_day = writes.received_per_s().unwrap() * 86_400.0;
        let rated = [1e6, 3e6][subject.0] * capacity * 365.0 * 5.0;
        let years = rated / (per_day * 365.0);
        let decimals = if years < 10.0 { 2 } else { 0 };
        assert!(text.contains(&format!("| {years:.decimals$} |")), "{years} years: {text}");
        let dwpd = dyno::base::units::grouped((per_day / capacity).round() as u64);
        assert!(text.contains(&dwpd), "{dwpd} DWPD: {text}");
        // Price and rating of the second are three times those of the first.
        let per_tb = 100.0 / (capacity * 365.0 * 5.0 / 1e12);
        let whole = per_tb.round() as u64;
        let shown = dyno::base::units::grouped(whole);
        assert!(text.contains(&format!("{shown} EUR")), "{per_tb} EUR per TB: {text}");
    }
    assert!(text.contains("data sheet of Beta"), "{text}");
    // The drive with more spare blocks amplifies less. Whether that is claimed depends on what
    // limited the load, and so on how busy this machine is.
    let of = |subject| {
        let cell = facts.measured.steps[StepKey(0)].cell(SubjectKey(subject), 0).unwrap();
        Metric::total(PointFigure::Waf).of(&facts.measured.steps[StepKey(0)], cell).unwrap().0.value
    };
    assert!(of(1) < of(0) - 0.5, "{} and {}", of(0), of(1));
    dyno_well(two.folder.path(), &["compare", "two.dyno", "--metric", "WAF", "--metric", "J/TB"]);
    for language in ["ja", "pt-BR"] {
        let text = report(two.folder.path(), language);
        assert!(text.contains("WAF"), "{language}: {text}");
    }
}
