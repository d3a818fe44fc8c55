//! Declarations of published briefs: subjects masked in every form, and class, sponsor,
//! disclaimers, footnotes and kernel parameters.

use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};

use dyno::record::setup::{DriveSetup, HostSetup};
use dyno::record::{Fact, Setup};
use dyno::store::Bundle;

use crate::made;
use crate::support::{dyno, dyno_well, have, said, tool};

/// Everything that identifies the second subject's drive; in lower case.
const SECRETS: [&str; 8] = [
    "kioxia",
    "cd8p",
    "kcd8xpug7t68",
    "y3s0a01fz2q8",
    "1uet7104",
    "secret-",
    "4te8",
    "example.com/cd8p",
];

const OTHER: &str = "Kioxia CD8P-R";

/// The host, and its drives; all properties of the second one are known under some name.
fn setup() -> Setup {
    let text = |text: &str| Some(text.to_string());
    let own = DriveSetup {
        subject: "Micron 7600".into(),
        model: text("Micron_7600_MTFDKCC7T6TGP"),
        serial: text("22AA11BB"),
        firmware: text("E3MU"),
        ..DriveSetup::default()
    };
    let other = DriveSetup {
        subject: OTHER.into(),
        path: text("/dev/disk/by-id/nvme-KIOXIA_KCD8XPUG7T68_Y3S0A01FZ2Q8"),
        model: text("KIOXIA KCD8XPUG7T68"),
        serial: text("Y3S0A01FZ2Q8"),
        firmware: text("1UET7104"),
        filesystem_source: text("/dev/mapper/kioxia-data"),
        capacity_bytes: Some(7_680_000_000_000),
        ..DriveSetup::default()
    };
    let line = "BOOT_IMAGE=/vmlinuz root=UUID=4-5 isolcpus=2-7 mem=256G quiet";
    let host = HostSetup {
        kernel_command_line: text(line),
        cpu_model: text("AMD EPYC 9654"),
        ..HostSetup::default()
    };
    let devices = "nvme1 (KIOXIA KCD8XPUG7T68, Y3S0A01FZ2Q8)";
    let facts = vec![Fact::new("Devices of subjects", OTHER, devices)];
    Setup { host, drives: vec![own, other], facts, ..Setup::default() }
}

/// A bundle of both subjects with `rest` in its plan.
fn bundle(dir: &Path, rest: &str) {
    let step = made::step("reads", "title = \"Reads of Micron 7600 and Kioxia CD8P-R\"", "");
    let more = made::step("more", "", "");
    std::fs::write(dir.join("p.toml"), format!("title = \"Kioxia against Micron\"\n{step}{more}"))
        .unwrap();
    let subject = |name: &str, path: &str| {
        format!("[[subject]]\nname = {name:?}\ndrives = [{{ path = {path:?} }}]\n")
    };
    let plan = format!(
        "protocol = \"./p.toml\"\nrepeats = 3\n{}{}{rest}",
        subject("Micron 7600", "."),
        subject(OTHER, "secret-4te8")
    );
    std::fs::create_dir_all(dir.join("secret-4te8")).unwrap();
    std::fs::write(dir.join("plan.toml"), plan).unwrap();
    let plan = dyno::plan::load(&dir.join("plan.toml"), &dyno::plan_catalogue());
    let plan = plan.unwrap_or_else(|mistakes| panic!("{}", mistakes.render(false)));
    made::write_with(&dir.join("kioxia-cd8p.dyno"), &plan, &setup(), &mut |key| {
        let ops_per_s = if key.subject == OTHER { 40_000.0 } else { 50_000.0 };
        let seconds = vec![ops_per_s; 3];
        let failure = (key.repeat == 1 && key.subject == OTHER && key.step == "more")
            .then_some("nvme1n1 (KCD8XPUG7T68): I/O error");
        Some(made::Figures {
            ops_per_s,
            seconds,
            p99_ns: 1e5,
            watts: Some(9.5),
            failure,
            ..made::Figures::default()
        })
    });
}

/// A text without embedded data, in which any four letters occur by chance.
fn without_embedded(text: &str) -> String {
    let is_code = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
    let mut pieces = text.split(";base64,");
    let first = pieces.next().unwrap_or_default().to_string();
    pieces.fold(first, |all, piece| all + piece.trim_start_matches(is_code))
}

/// No secret in a text, in any spelling.
#[track_caller]
fn silent(what: &str, text: &str) {
    let text = text.to_lowercase();
    for secret in SECRETS {
        assert!(!text.contains(secret), "{what} says '{secret}': {text}");
    }
}

/// Every text of a Parquet file, including its metadata.
fn parquet(path: &Path) -> String {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string());
    let rows: Vec<String> = rows.collect();
    let raw = std::fs::read(path).unwrap();
    format!("{}\n{}", rows.join("\n"), String::from_utf8_lossy(&raw))
}

/// Every form of the brief and every table; `brief` is passed if masks are in brief.toml.
fn look_everywhere(dir: &Path, brief: &[&str]) {
    const B: &str = "kioxia-cd8p.dyno";
    let masked = "Competitor A";
    for form in ["b.html", "b.md", "b.pdf"] {
        let figures = ["--figures", "figures"];
        dyno_well(dir, &[&["report", B, "-o", form], &figures[..], brief].concat());
    }
    for name in ["b.html", "b.md"] {
        let text = without_embedded(&std::fs::read_to_string(dir.join(name)).unwrap());
        silent(name, &text);
        assert!(text.contains(masked) && text.contains("Micron"), "{name}: {text}");
        let capacity = dyno::base::units::bytes(7_680_000_000_000);
        assert!(text.contains("AMD EPYC 9654") && text.contains(&capacity), "{name}: {text}");
    }
    for folder in ["figures", "b.figures"] {
        for entry in std::fs::read_dir(dir.join(folder)).unwrap().map(|entry| entry.unwrap()) {
            silent("a figure's name", &entry.file_name().to_string_lossy());
            let figure = std::fs::read(entry.path()).unwrap();
            silent("a figure", &without_embedded(&String::from_utf8_lossy(&figure)));
        }
    }
    if have(&["pdftotext", "pdfinfo"]) {
        let text = tool("pdftotext", dir, &["b.pdf", "-"]);
        silent("the PDF", &text);
        assert!(text.contains(masked), "{text}");
        silent("the PDF's metadata", &tool("pdfinfo", dir, &["b.pdf"]));
        silent("the PDF's metadata", &tool("pdfinfo", dir, &["-meta", "b.pdf"]));
        silent("the PDF's structure", &tool("pdfinfo", dir, &["-struct-text", "b.pdf"]));
    }
    silent("the PDF's bytes", &String::from_utf8_lossy(&std::fs::read(dir.join("b.pdf")).unwrap()));
    for table in ["points", "intervals", "histograms", "samples", "slow-ops", "comparisons"] {
        for form in ["csv", "json", "parquet"] {
            let path = dir.join(format!("{table}.{form}"));
            let out = path.display().to_string();
            let args = ["export", B, "--table", table, "--format", form, "-o", &out];
            dyno_well(dir, &[&args, brief].concat());
            let text = match form {
                "parquet" => parquet(&path),
                _ => std::fs::read_to_string(&path).unwrap(),
            };
            silent(&format!("{table} as {form}"), &text);
            let rows = !["slow-ops"].contains(&table);
            assert!(!rows || text.contains(masked), "{table} as {form}: {text}");
        }
    }
}

#[test]
fn a_subject_masked_in_the_plan_is_nowhere_said_which_drive_it_is() {
    let folder = made::folder();
    let dir = folder.path();
    bundle(
        dir,
        "[drive.\"Kioxia CD8P-R\"]\nmask = true\ncapacity = \"7.68TB\"\n\
         source = \"Kioxia's data sheet of the CD8P-R\"\nlink = \"https://example.com/cd8p-r\"\n",
    );
    look_everywhere(dir, &[]);
    for command in ["show", "claims"] {
        let text = dyno_well(dir, &[command, "kioxia-cd8p.dyno", "--json"]);
        silent(command, &text);
        assert!(text.contains("Competitor A"), "{text}");
    }
    silent("compare", &dyno_well(dir, &["compare", "kioxia-cd8p.dyno"]));
    // The bundle's own name says which drive it is, too.
    silent("trend", &dyno_well(dir, &["trend", "."]));
    let text = dyno_well(dir, &["trend", ".", "--json"]);
    silent("trend as JSON", &text);
    assert!(text.contains("Competitor A-Competitor A.dyno"), "{text}");
    let served = crate::web::serve(dir);
    let found = "/trend?protocol=p&by=subject&measure=p99";
    silent("a page of trends", &served.page(found));
    // Neither do lists of bundles, and a search finds none by it.
    for args in [&["catalogue", "."][..], &["catalogue", ".", "--json"]] {
        let text = dyno_well(dir, args);
        silent("the catalogue", &text);
        assert!(text.contains("Micron 7600") && text.contains("Competitor A"), "{text}");
    }
    assert!(dyno_well(dir, &["catalogue", ".", "--search", "cd8p"]).contains("0 of 1 bundles"));
    let brief = "/brief/Competitor%20A-Competitor%20A.dyno";
    let page = served.page("/");
    silent("the page of the catalogue", &page);
    assert!(page.contains(brief) && page.contains("Competitor A-Competitor A.dyno"), "{page}");
    silent("a brief by its masked address", &without_embedded(&served.page(brief)));
    let run = "run=Competitor%20A-Competitor%20A.dyno";
    silent("the choice of subjects", &served.page(&format!("/compare?{run}")));
    let chosen = "subject=0:Micron%207600&subject=0:Competitor%20A";
    let page = without_embedded(&served.page(&format!("/comparison?{run}&{chosen}")));
    silent("a comparison", &page);
    assert!(page.contains("Competitor A"), "{page}");
    assert_eq!(served.get("/brief/kioxia-cd8p.dyno").status, 404);
    // Two bundles whose masked names are the same keep an address each.
    std::fs::copy(dir.join("kioxia-cd8p.dyno"), dir.join("cd8p-kioxia.dyno")).unwrap();
    let text = dyno_well(dir, &["catalogue", "."]);
    silent("the catalogue of two", &text);
    assert!(text.contains("Competitor A-Competitor A.dyno (2)"), "{text}");
    std::fs::remove_file(dir.join("cd8p-kioxia.dyno")).unwrap();
    let japanese = ["report", "kioxia-cd8p.dyno", "-o", "ja.md", "--language", "ja"];
    dyno_well(dir, &japanese);
    let text = std::fs::read_to_string(dir.join("ja.md")).unwrap();
    silent("in Japanese", &text);
    assert!(text.contains("競合製品A"), "{text}");

    // The bundle contains everything, so that it can be run again; a dataset would pass it on.
    let own = Bundle::open(&dir.join("kioxia-cd8p.dyno")).unwrap();
    assert_eq!(own.run().plan.subjects[1].name, OTHER);
    let args = ["export", "kioxia-cd8p.dyno", "--partition", "-o", "all"];
    assert!(said(&dyno(dir, &args)).contains("a dataset contains complete bundles"));
}

#[test]
fn a_subject_masked_in_brief_toml_is_masked_in_the_editors_own_words_and_in_exports() {
    let folder = made::folder();
    let dir = folder.path();
    bundle(dir, "");
    std::fs::write(
        dir.join("brief.toml"),
        "title = \"Kioxia CD8P-R and Micron 7600\"\n\
         [drive.\"Kioxia CD8P-R\"]\nmask = true\nlink = \"https://example.com/cd8p-r\"\n\
         [colours]\n\"Kioxia CD8P-R\" = \"#0b5cad\"\n\
         [[text]]\ntitle = \"Why\"\n\
         markdown = \"The KIOXIA ({figures.reads.ops/s of Kioxia CD8P-R}).\"\n",
    )
    .unwrap();
    look_everywhere(dir, &["--brief", "brief.toml"]);
    let text = std::fs::read_to_string(dir.join("b.md")).unwrap();
    assert!(text.contains("Competitor A and Micron 7600"), "{text}");
    assert!(text.contains("The Competitor A (40,000 ops/s)."), "{text}");

    std::fs::write(dir.join("brief.toml"), "[drive.Kioxia]\nmask = true\n").unwrap();
    for args in [
        &["report", "kioxia-cd8p.dyno", "-o", "x.md", "--brief", "brief.toml"][..],
        &["export", "kioxia-cd8p.dyno", "--brief", "brief.toml", "-o", "x.csv"],
    ] {
        let output = dyno(dir, args);
        assert!(!output.status.success() && said(&output).contains("which is not a subject"));
    }
    assert!(!dir.join("x.md").exists() && !dir.join("x.csv").exists());
}

const DECLARED: &str = r#"
[disclosure]
class = "read-intensive, mainstream data-center NVMe SSDs, PCIe 4.0[^1]"
sponsor = "Example Corp., which supplied both drives"
disclaimers = ["Results vary with configuration."]
footnotes = ["As Example Research defines it.", "1 GB is 1,000,000,000 bytes."]
"#;

#[test]
fn what_is_declared_stands_on_the_first_page_and_at_the_end_and_brief_toml_counts_more() {
    let folder = made::folder();
    let dir = folder.path();
    bundle(
        dir,
        &format!("[drive.\"Micron 7600\"]\nlink = \"https://example.com/7600\"\n{DECLARED}"),
    );
    let brief = |args: &[&str]| {
        dyno_well(dir, &[&["report", "kioxia-cd8p.dyno", "-o", "b.md"], args].concat());
        std::fs::read_to_string(dir.join("b.md")).unwrap()
    };
    let own = brief(&[]);
    let cover = own.split("\n## ").next().unwrap();
    for line in [
        "Class and market: read-intensive, mainstream data-center NVMe SSDs, PCIe 4.0¹",
        "Sponsor: Example Corp., which supplied both drives",
    ] {
        assert!(cover.contains(line), "no '{line}' in {cover}");
    }
    let end = own.rsplit("\n## ").next().unwrap();
    for line in [
        "Notes",
        "[https://example.com/7600](<https://example.com/7600>)",
        "Results vary with configuration.",
        "¹ As Example Research defines it.",
        "² 1 GB is 1,000,000,000 bytes.",
    ] {
        assert!(end.contains(line), "no '{line}' in {end}");
    }
    // The relevant parameters, and the number of others.
    assert!(own.contains("isolcpus=2-7 mem=256G (3 other parameters not shown)"), "{own}");
    assert!(!own.contains("BOOT_IMAGE"), "{own}");

    let text = "[[text]]\ntitle = \"Sizes\"\nmarkdown = \"In GB[^2].\"\n";
    let toml =
        format!("[disclosure]\nsponsor = \"Nobody\"\nkernel_command_line = \"whole\"\n{text}");
    std::fs::write(dir.join("brief.toml"), toml).unwrap();
    let other = brief(&["--brief", "brief.toml"]);
    for line in ["Sponsor: Nobody", "In GB².", "PCIe 4.0¹", "root=UUID=4-5"] {
        assert!(other.contains(line), "no '{line}' in {other}");
    }
    for (toml, why) in [
        ("[disclosure]\nsponsors = \"x\"", "unknown field `sponsors`"),
        ("[disclosure]\nclass = \" \"", "'class' has an empty text"),
        ("[disclosure]\nkernel_command_line = \"all\"", "unknown variant `all`"),
        ("[disclosure]\nsponsor = \"x[^7]\"", "[^7] is cited, and there are 2 footnotes"),
        ("[drive.\"Micron 7600\"]\nlink = \"example.com\"", "is not a web address"),
    ] {
        std::fs::write(dir.join("brief.toml"), toml).unwrap();
        let args = ["report", "kioxia-cd8p.dyno", "-o", "b.md", "--brief", "brief.toml"];
        let output = dyno(dir, &args);
        assert!(
            !output.status.success() && said(&output).contains(why),
            "{toml}: {}",
            said(&output)
        );
    }
}

#[test]
fn a_plan_with_a_declaration_that_makes_no_sense_is_refused() {
    let folder = made::folder();
    let dir = folder.path();
    std::fs::write(dir.join("p.toml"), format!("title = \"t\"\n{}", made::step("s", "", "")))
        .unwrap();
    for (rest, why) in [
        ("[disclosure]\nclas = \"x\"", "has no key 'clas'"),
        ("[disclosure]\nsponsor = \"\"", "this may not be empty"),
        ("[disclosure]\nkernel_command_line = \"all\"", "whole"),
        ("[disclosure]\nfootnotes = \"x\"", "footnotes"),
        ("[disclosure]\nclass = \"x[^1]\"", "[^1] is cited"),
        ("[drive.A]\nmask = \"yes\"", "true or false"),
        ("[drive.A]\nlink = \"ftp://x\"", "is not a web address"),
    ] {
        let subject = "[[subject]]\nname = \"A\"\ndrives = [{ path = \".\" }]\n";
        std::fs::write(dir.join("plan.toml"), format!("protocol = \"./p.toml\"\n{subject}{rest}"))
            .unwrap();
        let plan = dyno::plan::load(&dir.join("plan.toml"), &dyno::plan_catalogue());
        let mistakes = plan.err().map(|mistakes| mistakes.render(false)).unwrap_or_default();
        assert!(mistakes.contains(why), "{rest}: {mistakes}");
    }
}
