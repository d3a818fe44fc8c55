//! The user's own texts: CommonMark with tables, as blocks. HTML is shown as text, and a picture as
//! its description, because a brief is one self-contained file.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde::Deserialize;

use crate::brief::block::{Block, Role, Style, Table, TextLine, TextSpan, words};
use dyno_core::base::text::is_hidden;

/// A user's own section.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnText {
    /// Its heading.
    pub title: String,
    /// Its position: after this section; at the beginning by default.
    #[serde(default)]
    pub after: String,
    /// Its text, as CommonMark.
    pub markdown: String,
}

impl OwnText {
    /// Its anchor in a page.
    pub fn id(&self) -> String {
        self.title
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
            .collect()
    }

    /// The same with its references replaced.
    pub fn saying(&self, markdown: String) -> OwnText {
        OwnText { title: self.title.clone(), after: self.after.clone(), markdown }
    }

    /// Its Markdown as blocks.
    pub fn blocks(&self) -> Vec<Block> {
        let mut reader = MarkdownReader::default();
        Parser::new_ext(&self.markdown, Options::ENABLE_TABLES)
            .for_each(|event| reader.event(event));
        reader.end_text();
        reader.blocks
    }
}

/// Parser events being converted to blocks.
#[derive(Default)]
struct MarkdownReader {
    blocks: Vec<Block>,
    line: TextLine,
    styles: Vec<Style>,
    heading: Option<u8>,
    /// Within a list, whose items are collected until it ends; nested lists are flattened.
    lists: usize,
    items: Vec<TextLine>,
    /// Rows of a table, including the head.
    table: Option<Vec<Vec<String>>>,
    code: bool,
}

impl MarkdownReader {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.push(&text, None)
            }
            Event::Code(text) => self.push(&text, Some(Style::Code)),
            Event::SoftBreak | Event::HardBreak => {
                self.push(if self.code { "\n" } else { " " }, None)
            }
            _ => {}
        }
    }

    fn push(&mut self, text: &str, style: Option<Style>) {
        let style = style.or_else(|| self.styles.last().cloned()).unwrap_or(Style::Plain);
        match self.line.last_mut() {
            Some(last) if last.style == style => last.text.push_str(text),
            _ => self.line.push(TextSpan { text: text.to_string(), style }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Strong => self.styles.push(Style::Strong),
            Tag::Emphasis => self.styles.push(Style::Emphasis),
            // The text of a link is kept if its target could execute something.
            Tag::Link { dest_url, .. } => {
                self.styles.push(if leads(&dest_url) {
                    Style::Link(dest_url.to_string())
                } else {
                    Style::Plain
                });
            }
            // Below the section's own heading.
            Tag::Heading { level, .. } => {
                self.end_text();
                self.heading = Some(if level <= HeadingLevel::H3 { 1 } else { 2 });
            }
            Tag::List(_) => {
                self.end_text();
                self.lists += 1;
            }
            Tag::Table(_) => self.table = Some(Vec::new()),
            Tag::TableHead | Tag::TableRow => {
                self.table.iter_mut().for_each(|rows| rows.push(Vec::new()))
            }
            Tag::CodeBlock(_) => {
                self.end_text();
                self.code = true;
            }
            Tag::Paragraph | Tag::Item => self.end_text(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong | TagEnd::Emphasis | TagEnd::Link => drop(self.styles.pop()),
            TagEnd::TableCell => {
                let cell = words(&std::mem::take(&mut self.line));
                self.table
                    .iter_mut()
                    .filter_map(|rows| rows.last_mut())
                    .for_each(|row| row.push(cell.clone()));
            }
            TagEnd::Table => self.end_table(),
            TagEnd::CodeBlock => {
                let text = words(&std::mem::take(&mut self.line));
                self.code = false;
                self.blocks.push(Block::Code(String::new(), text.trim_end().to_string()));
            }
            TagEnd::List(_) => {
                self.end_text();
                self.lists -= 1;
                if self.lists == 0 {
                    self.blocks.push(Block::List(std::mem::take(&mut self.items)));
                }
            }
            TagEnd::Paragraph | TagEnd::Item | TagEnd::Heading(_) | TagEnd::HtmlBlock => {
                self.end_text()
            }
            _ => {}
        }
    }

    fn end_text(&mut self) {
        let line = std::mem::take(&mut self.line);
        let heading = self.heading.take();
        if words(&line).trim().is_empty() {
            return;
        }
        match heading {
            Some(1) => self.blocks.push(Block::chapter(words(&line))),
            Some(_) => self.blocks.push(Block::part(words(&line))),
            None if self.lists > 0 => self.items.push(line),
            None => self.blocks.push(Block::Text(Role::Plain, line)),
        }
    }

    fn end_table(&mut self) {
        let mut rows = self.table.take().unwrap_or_default().into_iter();
        let Some(head) = rows.next() else { return };
        self.blocks.push(Block::Table(Table::of(1, &head, rows.collect())));
    }
}

/// Whether a link leads to a page and executes nothing.
fn leads(link: &str) -> bool {
    let seen: String = link.chars().filter(|c| !c.is_whitespace() && !is_hidden(*c)).collect();
    let seen = seen.to_ascii_lowercase();
    let scheme =
        seen.split_once(':').map(|(scheme, _)| scheme).filter(|s| !s.contains(['/', '#', '?']));
    scheme.is_none_or(|scheme| matches!(scheme, "http" | "https" | "mailto"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(markdown: &str) -> Vec<Block> {
        OwnText { title: "Why".into(), after: String::new(), markdown: markdown.into() }.blocks()
    }

    #[test]
    fn own_paragraphs_are_blocks_and_html_in_them_is_text() {
        let made = own(
            "# Why\na **b** <script>c</script> ![d](http://e/f.png)\n\n- g\n- h\n\n| i | j |\n\
                        |---|--:|\n| k | 1 |\n\n\
                        ```\nx\ny\n```",
        );
        let [
            Block::Heading(heading),
            Block::Text(Role::Plain, line),
            Block::List(items),
            Block::Table(table),
            code,
        ] = &made[..]
        else {
            panic!("{made:?}")
        };
        assert_eq!((heading.level, heading.text.as_str()), (1, "Why"));
        assert_eq!(words(line), "a b <script>c</script> d");
        assert!(line.iter().any(|span| *span == crate::brief::block::strong("b")), "{line:?}");
        assert_eq!(items.iter().map(words).collect::<Vec<_>>(), ["g", "h"]);
        assert_eq!((table.head.join(" "), table.rows[0].1.join(" ")), ("i j".into(), "k 1".into()));
        assert!(matches!(code, Block::Code(_, text) if text == "x\ny"), "{code:?}");
    }

    #[test]
    fn a_link_leads_somewhere_and_runs_nothing() {
        for (link, survives) in [
            ("https://example.com/a", true),
            ("mailto:a@example.com", true),
            ("#reads", true),
            ("a/b:c", true),
            ("javascript:alert(1)", false),
            ("JaVa\u{200b}Script:alert(1)", false),
            ("\u{1}javascript:alert(1)", false),
            ("data:text/html,x", false),
            ("vbscript:x", false),
            ("file:///etc/passwd", false),
        ] {
            assert_eq!(leads(link), survives, "{link}");
        }
        let made = own(
            "[a](javascript:alert(1)) <javascript:alert(2)> [b]\n\n[b]: java&#115;cript:alert(3)",
        );
        let [Block::Text(_, line)] = &made[..] else { panic!("{made:?}") };
        assert!(line.iter().all(|span| !matches!(span.style, Style::Link(_))), "{line:?}");
    }
}
