//! The written document, read by a CommonMark parser: any text in any position is shown literally,
//! and has no effect.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::*;
use crate::brief::block::{Heading, Mark, Role, plain, strong, with_code};

/// Texts that had or could have an effect.
const TEXTS: &[&str] = &[
    "r \\` <img src=x onerror=alert(1)> \\`",
    "a title with [^1]",
    "[^1]: a footnote",
    "[a](javascript:alert(1)) ![b](http://x/y.png) <http://z>",
    "[ref]: http://x \"t\"",
    "a | b | c",
    "\\| a \\\\| b",
    "# heading #",
    "- item",
    "+ item",
    "* item",
    "1. item",
    "2) item",
    "> quoted",
    "---",
    "===",
    "***",
    "```text",
    "~~~",
    "~~struck~~ ~one~",
    "`code` ``more`` `",
    "trailing backslash\\",
    "&lt;b&gt; &amp; &#60;script&#62; &copy",
    "<script>alert(1)</script>",
    "<!-- comment",
    "**strong** _emphasis_ __x__ snake_case_name",
    "$x$ $$y$$",
    "    indented",
    "\ttab",
    "line\nend\r\nand\rmore",
    "a\n\n# new block",
    ": definition",
    "| --- |",
    "https://example.com/a_b_c",
    "p99 > 5 ms, < 6 ms; 10 % ~ 3",
    "東京 [*]",
    "- [ ] task",
    "hard break  ",
    "{#id .class}",
    "> [!WARNING]",
];

/// The parser's events, with all extensions of GitHub and more.
fn events(text: &str) -> Vec<Event<'_>> {
    Parser::new_ext(text, Options::all() - Options::ENABLE_SMART_PUNCTUATION).collect()
}

/// The text of a document, and the names of its elements.
fn read(markdown: &str) -> (String, Vec<String>) {
    let (mut shown, mut elements) = (String::new(), Vec::new());
    for event in events(markdown) {
        match event {
            Event::Text(text) | Event::Code(text) => shown.push_str(&text),
            Event::SoftBreak | Event::HardBreak => shown.push(' '),
            Event::Start(Tag::Link { dest_url, .. }) => elements.push(format!("link {dest_url}")),
            Event::Start(Tag::Image { dest_url, .. }) => elements.push(format!("image {dest_url}")),
            Event::Start(tag) => {
                let name = format!("{tag:?}");
                let end = name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
                elements.push(name[..end].to_string());
            }
            Event::End(_) => {}
            other => elements.push(format!("{other:?}")),
        }
    }
    (squeezed(&shown), elements)
}

/// The text with single spaces.
fn squeezed(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn written(block: &Block) -> String {
    let mut out = String::new();
    put(&mut out, block);
    out
}

/// A text in every position: the block, its text before and after it, and its elements.
fn positions(text: &str) -> Vec<(Block, String, Vec<&'static str>)> {
    let heading = |level| Block::Heading(Heading { level, text: text.to_string(), id: None });
    let own = text.to_string();
    let mut table = Table::new(1, &[text, "ops/s"]);
    table.row(Mark::None, vec![own.clone(), "1".into()]);
    let spans = |style: Style| {
        let span = TextSpan { text: own.clone(), style };
        Block::Text(Role::Plain, [plain("a "), vec![span], plain(" b")].concat())
    };
    let first =
        |style: Style| Block::Text(Role::Plain, vec![TextSpan { text: own.clone(), style }]);
    vec![
        (heading(1), own.clone(), vec!["Heading"]),
        (heading(2), own.clone(), vec!["Heading"]),
        (Block::text(text), own.clone(), vec!["Paragraph"]),
        (
            Block::list([own.clone(), own.clone()]),
            format!("{text} {text}"),
            vec!["List", "Item", "Item"],
        ),
        (
            Block::Terms(vec![("term".into(), own.clone())]),
            format!("term: {text}"),
            vec!["List", "Item", "Strong"],
        ),
        (
            Block::Table(table),
            format!("{text} ops/s {text} 1"),
            vec![
                "Table",
                "TableHead",
                "TableCell",
                "TableCell",
                "TableRow",
                "TableCell",
                "TableCell",
            ],
        ),
        (spans(Style::Plain), format!("a {text} b"), vec!["Paragraph"]),
        (spans(Style::Code), format!("a {text} b"), vec!["Paragraph"]),
        (first(Style::Code), own.clone(), vec!["Paragraph"]),
        (Block::Code(String::new(), own.clone()), own.clone(), vec!["CodeBlock"]),
    ]
}

/// Text of cells and items is joined without spaces.
fn compact(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect()
}

fn check(text: &str) {
    for (block, shown, elements) in positions(text) {
        let markdown = written(&block);
        let (found, names) = read(&markdown);
        let about = format!("{text:?} as {block:?}\n{markdown}");
        assert_eq!(compact(&found), compact(&shown), "{about}");
        assert_eq!(names, elements, "{about}");
    }
}

#[test]
fn any_text_is_shown_as_it_is_in_every_position_and_has_no_effect() {
    TEXTS.iter().for_each(|text| check(text));
}

#[test]
fn links_and_pictures_lead_where_they_should_whatever_is_in_their_text() {
    for text in TEXTS {
        let to = format!("https://example.com/{text}");
        let link = TextSpan { text: text.to_string(), style: Style::Link(to) };
        let markdown = written(&Block::Text(Role::Plain, vec![link]));
        let (found, names) = read(&markdown);
        assert_eq!(compact(&found), compact(text), "{markdown}");
        assert_eq!(names.len(), 2, "{markdown}: {names:?}");
        assert!(names[1].starts_with("link https://example.com/"), "{markdown}: {names:?}");
        let picture =
            format!("![{}]({})", in_brackets(text), address(&format!("{text}.figures/a.svg")));
        let (found, names) = read(&picture);
        assert_eq!(compact(&found), compact(text), "{picture}");
        assert!(names.len() == 2 && names[1].starts_with("image "), "{picture}: {names:?}");
    }
}

#[test]
fn a_name_in_a_sentence_with_code_begins_no_code_of_its_own() {
    // An odd number of marks: the last is a character of a name.
    let line = with_code("run `dyno show` on a`b");
    assert_eq!(line.iter().filter(|span| span.style == Style::Code).count(), 1);
    assert_eq!(words(&line), "run dyno show on a`b");
    for text in TEXTS {
        let markdown = written(&Block::Text(Role::Lead, with_code(text)));
        let (_, names) = read(&markdown);
        assert_eq!(names, ["Paragraph"], "{markdown}");
    }
    let bold = vec![strong(" a "), TextSpan { text: "b".into(), style: Style::Plain }];
    assert_eq!(read(&written(&Block::Text(Role::Plain, bold))).1, ["Paragraph", "Strong"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_text_of_special_characters_has_an_effect(
        text in "[a-c1-3 \\\\`*_\\[\\]<>()#+.!|~&$:^=\"{}-]{1,24}"
    ) {
        // A text of spaces only shows nothing.
        if !text.trim().is_empty() {
            check(&text);
        }
    }
}
