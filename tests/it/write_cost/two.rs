//! Two drives of known write amplification with stated data sheets, measured by one load.

use std::path::{Path, PathBuf};

use dyno::analysis::keys::{StepKey, SubjectKey, ValueKey};
use dyno::analysis::points::metric::PointFigure;
use dyno::analysis::{Facts, Metric, Question};
use dyno::bundles;

use super::ftl::Ftl;
use super::mounted::MountedFtl;
use crate::support::{LoopDevice, dyno_well};

/// Alpha and Beta.
pub struct Two {
    // Dropped in this order: the folder can be removed once nothing is mounted in it.
    devices: [LoopDevice; 2],
    drives: [MountedFtl; 2],
    /// Pages that each wrote, for the host and to its flash, before the run.
    before: [(u64, u64); 2],
    folder: tempfile::TempDir,
}

impl Two {
    /// Runs the streams on both; None where no drive can be mounted.
    pub fn measured(drives: [Ftl; 2], streams: &str) -> Option<Two> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let mounted = |name: &str, ftl: Ftl| {
            let mount = folder.path().join(name);
            std::fs::create_dir(&mount).unwrap();
            MountedFtl::new(&mount, ftl)
        };
        let [a, b] = drives;
        let drives = [mounted("a", a)?, mounted("b", b)?];
        let [a, b] = drives.each_ref().map(|drive| LoopDevice::over(&drive.drive()));
        let before = drives.each_ref().map(MountedFtl::counts);
        let two = Two { devices: [a?, b?], drives, before, folder };
        two.run(streams);
        Some(two)
    }

    fn run(&self, streams: &str) {
        let dir = self.folder();
        let step = format!(
            "title = \"T\"\nsource = \"test\"\nheadline = {{ step = \"s\", metric = \"WAF\" }}\n\
             [dataset.d]\nengine = \"uring\"\nsize = 0\ndirect = true\n\
             [[step]]\nname = \"s\"\nduration = \"12s\"\ncooldown = \"300ms\"\n{streams}"
        );
        std::fs::write(dir.join("p.toml"), step).unwrap();
        let mut plan = "protocol = \"./p.toml\"\nrepeats = 3\nidle = \"1s\"\n\
                        meters = [{ kind = \"exec\", class = \"drive\", command = [\"sh\", \"-c\", \
                        \"while echo 5; do sleep 0.2; done\"] }]\n"
            .to_string();
        for (name, device, drive, dwpd) in [
            ("Alpha", &self.devices[0], &self.drives[0], 1),
            ("Beta", &self.devices[1], &self.drives[1], 3),
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
        dyno_well(dir, &["run", "plan.toml", "-o", "two.dyno"]);
    }

    /// Where `two.dyno` is.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The write amplification that Alpha or Beta had during the run, by its own counts.
    pub fn truth(&self, subject: usize) -> f64 {
        let (before, after) = (self.before[subject], self.drives[subject].counts());
        (after.1 - before.1) as f64 / (after.0 - before.0) as f64
    }

    pub fn facts(&self) -> Facts {
        let bundle: PathBuf = self.folder().join("two.dyno");
        bundles::facts(&[bundle], &Question::default()).unwrap()
    }
}

/// The write amplification of Alpha or Beta.
pub fn amplification(facts: &Facts, subject: usize) -> f64 {
    let step = &facts.measured.steps[StepKey(0)];
    let cell = step.cell(SubjectKey(subject), ValueKey(0)).unwrap();
    Metric::total(PointFigure::Waf).of(step, cell).unwrap().0.value
}
