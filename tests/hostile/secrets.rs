//! docs/meters.md promises that a meter's command is not in the bundle, brief or exports, whatever
//! the form of a secret, unless the plan declares it public.

use crate::bench::Bench;

const SECRET: &str = "hunter2-xyzzy";
/// The same in base64, as in an HTTP header.
const ENCODED: &str = "dXNlcjpodW50ZXIyLXh5enp5";

/// The eleven usual forms: a meter's command as TOML words. S is the secret, PRINT a loop of
/// readings.
const FORMS: [(&str, &str); 11] = [
    ("a word after a switch", r#"["sh", "-c", "PRINT", "meter", "--password", "S"]"#),
    ("a switch with its value", r#"["sh", "-c", "PRINT", "meter", "--password=S"]"#),
    ("a short switch", r#"["sh", "-c", "PRINT", "meter", "-pS"]"#),
    ("a URL with a user", r#"["sh", "-c", "PRINT", "meter", "https://user:S@bmc/power"]"#),
    ("an environment of its own", r#"["env", "IPMI_PASSWORD=S", "sh", "-c", "PRINT"]"#),
    ("a header", r#"["sh", "-c", "PRINT", "curl", "-H", "Authorization: Bearer S"]"#),
    ("a query", r#"["sh", "-c", "PRINT", "curl", "https://bmc/power?sig=S&x=1"]"#),
    (
        "what a failing command prints",
        r#"["sh", "-c", "echo denied: S; echo denied: S >&2; PRINT"]"#,
    ),
    ("JSON", r#"["sh", "-c", "PRINT", "curl", "-d", "{\"user\": \"a\", \"pass\": [\"S\"]}"]"#),
    (
        "base64",
        r#"["sh", "-c", "PRINT", "curl", "-H", "Authorization: Basic dXNlcjpodW50ZXIyLXh5enp5"]"#,
    ),
    ("a key in a path", r#"["./S/reader", "/run/keys/S/token"]"#),
];

const PROTOCOL: &str = "title = \"T\"\nsource = \"t\"\n[[step]]\nname = \"a\"\n\
                        duration = \"200ms\"\n\
                        [[step.stream]]\nname = \"io\"\nengine = \"null\"\nworkload = \"random\"\n";

fn run(bench: &Bench, form: &str, public: bool) -> crate::bench::Ended {
    let command = form.replace("PRINT", "while echo 5.0; do sleep 0.05; done").replace('S', SECRET);
    bench.write("p.toml", PROTOCOL);
    let plan = format!(
        "protocol = \"./p.toml\"\nidle = \"100ms\"\nrepeats = 1\n[[subject]]\nname = \"X\"\n\
         drives = [{{ path = \"x\" }}]\n\
         meters = [{{ kind = \"exec\", class = \"drive\", public = {public}, command = {command} \
         }}]\n"
    );
    bench.write("plan.toml", &plan);
    bench.dyno(&["run", "plan.toml", "--output", "b.dyno"])
}

#[test]
fn no_form_of_a_secret_reaches_bundle_brief_or_export() {
    for (name, form) in FORMS {
        let bench = Bench::new();
        let reader = bench.at(SECRET);
        std::fs::create_dir(&reader).unwrap();
        std::fs::write(reader.join("reader"), "#!/bin/sh\nwhile echo 5.0; do sleep 0.05; done\n")
            .unwrap();
        std::fs::set_permissions(
            reader.join("reader"),
            std::os::unix::fs::PermissionsExt::from_mode(0o755),
        )
        .unwrap();
        let ran = run(&bench, form, false);
        assert_eq!(ran.code(), Some(0), "{name}: {}", ran.said);
        let mut kept = vec![
            ("bundle", std::fs::read(bench.at("b.dyno")).unwrap()),
            ("said", ran.said.into_bytes()),
        ];
        for (what, args) in [
            ("show", &["show", "b.dyno"][..]),
            ("points", &["export", "b.dyno"]),
            ("samples", &["export", "b.dyno", "--table", "samples", "--format", "json"]),
            ("brief", &["report", "b.dyno", "-o", "b.html"]),
            ("markdown", &["report", "b.dyno", "-o", "b.md"]),
            ("refusal", &["run", "b.dyno", "--output", "c.dyno"]),
        ] {
            let ended = bench.dyno(args);
            kept.push((what, [ended.out, ended.said].concat().into_bytes()));
        }
        kept.extend(
            ["b.html", "b.md"].map(|file| ("file", std::fs::read(bench.at(file)).unwrap())),
        );
        for (what, bytes) in kept {
            for secret in [SECRET, ENCODED] {
                let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
                assert!(!found, "{name}: the secret is in the {what}");
            }
        }
        let samples = bench.ok(&["export", "b.dyno", "--table", "samples"]).out;
        assert!(samples.contains("drive_watts"), "{name}: the meter was read: {samples}");
    }
}

#[test]
fn a_command_that_the_plan_calls_public_is_kept_as_it_is() {
    let bench = Bench::new();
    let ran = run(&bench, r#"["sh", "-c", "PRINT", "meter", "--module", "a"]"#, true);
    assert_eq!(ran.code(), Some(0), "{}", ran.said);
    let bundle = String::from_utf8_lossy(&std::fs::read(bench.at("b.dyno")).unwrap()).into_owned();
    assert!(bundle.contains("--module"));
}
