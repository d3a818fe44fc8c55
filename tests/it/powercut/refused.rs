//! Refusals of `dyno powercut`: drives that the plan does not permit to be erased, peers that are
//! not writers, journals without a cut.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use dyno::powercut::journal::{JournalRecord, Write as Acked, opening};
use dyno::powercut::session::{ThreadDurability, VERSION, WriteSession};

use crate::support::{DYNO, LoopDevice, dyno, read_until, said};

pub fn session(serial: &str) -> WriteSession {
    WriteSession {
        version: VERSION,
        dyno_version: "0".into(),
        identity: 5,
        seed: 6,
        host: "elsewhere".into(),
        boot_id: "another".into(),
        subject: "A".into(),
        serial: serial.into(),
        write_cache: "on".into(),
        kernel_cache: "write back".into(),
        kernel_fua: true,
        model: None,
        firmware: None,
        offset: 0,
        logical_bytes: 512,
        atomic_bytes: 512,
        atomic_boundary_bytes: 0,
        atomic_offset_bytes: 0,
        block_bytes: 4096,
        blocks: 8,
        threads: vec![ThreadDurability::Fua],
        warmup_ns: 0,
        window_ns: 1,
    }
}

fn plan(folder: &Path, device: &str, drive: &str, port: u16, cut: &str) -> String {
    plan_with(folder, (device, drive), port, cut, "")
}

fn plan_with(
    folder: &Path,
    (device, drive): (&str, &str),
    port: u16,
    cut: &str,
    overrides: &str,
) -> String {
    let text = format!(
        "protocol = \"powercut\"\n[override]\n\"dataset.range.size\" = \"1MiB\"\n{overrides}\n\
         [powercut]\nlistener = \"127.0.0.1:{port}\"\ncut = [{cut}]\n\
         [[subject]]\nname = \"A\"\ndrives = [{{ device = \"{device}\", {drive} }}]\n"
    );
    std::fs::write(folder.join("plan.toml"), text).unwrap();
    "plan.toml".to_string()
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A listener, once it is ready.
struct Listening {
    child: Child,
    port: u16,
}

impl Listening {
    fn start(folder: &Path, cut: &str) -> Listening {
        let port = free_port();
        let plan = plan(folder, "/dev/none", "serial = \"S1\", erase = true", port, cut);
        let child = Command::new(DYNO)
            .current_dir(folder)
            .args(["powercut", "listen", &plan, "--journals", "journals"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut listening = Listening { child, port };
        listening.until("Listening");
        listening
    }

    /// Reads its output up to this text.
    fn until(&mut self, what: &str) {
        read_until(what, self.child.stderr.as_mut().unwrap());
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).unwrap()
    }

    /// Its exit code and the rest of its output.
    fn end(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        self.child.stderr.as_mut().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_listener_sends_away_whoever_opens_no_session_of_its_drives_and_takes_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let mut listening = Listening::start(folder.path(), "\"true\"");
    for bytes in [
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        [&b"DYNOCUT1"[..], &u32::MAX.to_le_bytes()].concat(),
        [&b"DYNOCUT1"[..], &4u32.to_le_bytes(), b"null"].concat(),
        opening(&session("another drive")).unwrap(),
        opening(&WriteSession { blocks: u64::MAX, ..session("S1") }).unwrap(),
    ] {
        let mut peer = listening.connect();
        peer.write_all(&bytes).unwrap();
        listening.until("rejected ");
        assert!(matches!(peer.read(&mut [0]), Ok(0) | Err(_)), "accepted: {bytes:?}");
    }
    let mut writer = listening.connect();
    writer.write_all(&opening(&session("S1")).unwrap()).unwrap();
    let mut accepted = [0];
    writer.read_exact(&mut accepted).unwrap();
    writer.write_all(&JournalRecord::LaidOut.encode()).unwrap();
    listening.until("cutting the power");
    drop(writer);
    let (code, said) = listening.end();
    assert_eq!(code, Some(0), "{said}");
    let journal = folder.path().join("journals/0001.journal");
    assert!(journal.exists() && said.contains("0001.journal"), "{said}");
}

#[test]
fn acknowledgements_that_no_writer_sends_end_a_session_without_a_cut() {
    let wrong = JournalRecord::Durable(Acked { thread: 7, generation: 2, block: 1 });
    let own = JournalRecord::Cut { unix_ns: 1 };
    for record in [wrong.encode(), own.encode(), [9; 24]] {
        let folder = tempfile::tempdir().unwrap();
        let listening = Listening::start(folder.path(), "\"touch\", \"cut\"");
        let mut writer = listening.connect();
        writer.write_all(&opening(&session("S1")).unwrap()).unwrap();
        writer.read_exact(&mut [0]).unwrap();
        writer.write_all(&record).unwrap();
        let (code, text) = listening.end();
        assert_eq!(code, Some(1), "{text}");
        assert!(!folder.path().join("cut").exists(), "the hook ran: {text}");
        let image = folder.path().join("image");
        std::fs::write(&image, [0; 1 << 16]).unwrap();
        let check = dyno(folder.path(), &["powercut", "check", "journals/0001.journal", "image"]);
        assert_eq!(check.status.code(), Some(1), "{}", said(&check));
    }
}

#[test]
fn a_hook_that_fails_is_no_cut() {
    let folder = tempfile::tempdir().unwrap();
    let listening = Listening::start(folder.path(), "\"false\"");
    let mut writer = listening.connect();
    writer.write_all(&opening(&session("S1")).unwrap()).unwrap();
    writer.read_exact(&mut [0]).unwrap();
    writer.write_all(&JournalRecord::LaidOut.encode()).unwrap();
    let (code, text) = listening.end();
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("the hook that cuts the power failed"), "{text}");
    std::fs::write(folder.path().join("image"), [0; 1 << 16]).unwrap();
    let check = dyno(folder.path(), &["powercut", "check", "journals/0001.journal", "image"]);
    assert!(said(&check).contains("the journal has no cut"), "{}", said(&check));
}

#[test]
fn a_drive_is_not_touched_without_its_serial_number_erase_and_a_listener() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("image");
    let content = vec![0; 8 << 20];
    std::fs::write(&image, &content).unwrap();
    let Some(device) = LoopDevice::over(&image) else { return };
    let serial = format!("serial = \"{}\"", image.display());
    let port = free_port();
    for (drive, why) in [
        ("serial = \"another\", erase = true".to_string(), "serial number is"),
        (serial.clone(), "does not allow that"),
        (format!("{serial}, erase = true"), "no listener at"),
    ] {
        let plan = plan(folder.path(), device.to_str().unwrap(), &drive, port, "\"true\"");
        let output = dyno(folder.path(), &["powercut", "write", &plan]);
        let text = said(&output);
        assert!(!output.status.success() && text.contains(why), "{drive}: {text}");
    }
    // Nothing is written either for a load that it could not judge.
    let may_be_erased = format!("{serial}, erase = true");
    for (overrides, why) in [
        ("fua.workload.read\" = 50", "does something besides random writes"),
        ("fua.workload.fdatasync\" = 3", "writes durable in a single way"),
        ("flush.workload.block\" = \"8KiB\"", "blocks of two sizes"),
        ("flush.depth\" = 4", "has a depth, instances or a rate"),
    ] {
        let overrides = format!("\"step.writes.stream.{overrides}");
        let plan = plan_with(
            folder.path(),
            (device.to_str().unwrap(), &may_be_erased),
            port,
            "\"true\"",
            &overrides,
        );
        let output = dyno(folder.path(), &["powercut", "write", &plan]);
        assert!(said(&output).contains(why), "{overrides}: {}", said(&output));
    }
    drop(device);
    assert!(std::fs::read(&image).unwrap() == content, "the drive was written to");
}

#[test]
fn a_check_wants_the_drive_of_the_session_after_another_boot() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("image");
    std::fs::write(&image, vec![0; 1 << 20]).unwrap();
    let Some(device) = LoopDevice::over(&image) else { return };
    let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let here = WriteSession { boot_id: boot_id.trim().into(), ..session(&image.to_string_lossy()) };
    let booted = WriteSession { boot_id: "another".into(), ..here.clone() };
    let other = WriteSession { serial: "another".into(), ..booted.clone() };
    for (session, code, what) in [
        (here, 3, "has not rebooted"),
        (other, 3, "serial number is"),
        (booted, 2, "8 acknowledged, durable blocks checked"),
    ] {
        let mut journal = opening(&session).unwrap();
        for record in
            [JournalRecord::LaidOut, JournalRecord::Cut { unix_ns: 1 }, JournalRecord::Silent]
        {
            journal.extend(record.encode());
        }
        std::fs::write(folder.path().join("a.journal"), journal).unwrap();
        let check =
            dyno(folder.path(), &["powercut", "check", "a.journal", device.to_str().unwrap()]);
        let text = said(&check);
        assert!(check.status.code() == Some(code) && text.contains(what), "{text}");
    }
}

#[test]
fn a_plan_that_cuts_nothing_is_refused_with_its_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let subject = "[[subject]]\nname = \"A\"\ndrives = [{ device = \"/dev/x\", serial = \"1\" }]";
    for (table, subject, why) in [
        ("", subject, "no [powercut]"),
        ("[powercut]\ncut = [\"true\"]", subject, "no 'listener' here"),
        ("[powercut]\nlistener = \"here\"\ncut = [\"true\"]", subject, "not HOST:PORT"),
        ("[powercut]\nlistener = \"a:1\"\ncut = []", subject, "there are no words"),
        ("[powercut]\nlistener = \"a:1\"\ncut = [\"true\"]\ncuts = 0", subject, "out of range"),
        ("[powercut]\nlistener = \"a:1\"\ncut = [\"true\"]\nhook = 1", subject, "no key 'hook'"),
        ("[powercut]\nlistener = \"a:1\"\ncut = [\"true\"]", "", "no serial number"),
    ] {
        let text = format!("protocol = \"powercut\"\n{table}\n{subject}\n");
        std::fs::write(folder.path().join("plan.toml"), text).unwrap();
        let output = dyno(folder.path(), &["powercut", "listen", "plan.toml", "--journals", "j"]);
        let text = said(&output);
        assert!(output.status.code() == Some(1) && text.contains(why), "{table}: {text}");
    }
}
