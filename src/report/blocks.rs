//! What the sections made, taken apart again: headings, paragraphs, tables and figures, from which Markdown and PDF are
//! set. So a number is written once, by its section, and reads the same in every form of the brief.

/// A piece of the document.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// From 1 (a section) on.
    Heading(u8, String),
    Text(String),
    Item(String),
    Code(String),
    /// The first row is the head, if there is one; the leading columns are text.
    Table {
        left: usize,
        head: bool,
        rows: Vec<Vec<String>>,
    },
    /// SVG.
    Figure(String),
}

/// Takes apart a body that a section made. Only what sections write needs to be known; other tags are passed over.
pub fn of_html(html: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        reader.text.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with("<svg") {
            let end = rest.find("</svg>").map_or(rest.len(), |e| e + "</svg>".len());
            reader.end();
            reader.blocks.push(Block::Figure(rest[..end].to_string()));
            rest = &rest[end..];
            continue;
        }
        let end = rest.find('>').map_or(rest.len(), |e| e + 1);
        reader.tag(rest[1..end].trim_end_matches('>'));
        rest = &rest[end..];
    }
    reader.text.push_str(rest);
    reader.end();
    reader.blocks
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Kind {
    #[default]
    Text,
    Heading(u8),
    Item,
    Term,
    Code,
    Cell,
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    text: String,
    kind: Kind,
    table: Option<(usize, bool, Vec<Vec<String>>)>,
    term: String,
}

impl Reader {
    fn tag(&mut self, tag: &str) {
        let name: &str = tag.split(|c: char| c.is_whitespace()).next().unwrap_or_default();
        let next = match name {
            "h2" | "h3" | "h4" | "h5" => Kind::Heading(name.as_bytes()[1] - b'1'),
            // A paragraph of an item's own.
            "p" if self.kind == Kind::Item && self.text.trim().is_empty() => return,
            "p" | "div" | "summary" | "figcaption" => Kind::Text,
            "li" | "dd" => Kind::Item,
            "dt" => Kind::Term,
            "pre" => Kind::Code,
            "th" | "td" => Kind::Cell,
            "table" => {
                self.end();
                let digits: String =
                    tag.split("left").nth(1).unwrap_or("1").chars().take_while(char::is_ascii_digit).collect();
                // Names with what is said of them are text throughout.
                let left = if tag.contains("pairs") { 2 } else { digits.parse().unwrap_or(1) };
                self.table = Some((left, false, Vec::new()));
                return;
            }
            "thead" => {
                self.end();
                if let Some(table) = &mut self.table {
                    table.1 = true;
                }
                return;
            }
            "tr" => {
                self.end();
                if let Some((.., rows)) = &mut self.table {
                    rows.push(Vec::new());
                }
                return;
            }
            "/table" => {
                self.end();
                if let Some((left, head, rows)) = self.table.take().filter(|t| !t.2.is_empty()) {
                    self.blocks.push(Block::Table { left, head, rows });
                }
                return;
            }
            "br" => {
                self.text.push(' ');
                return;
            }
            _ if matches!(
                name,
                "/h2" | "/h3" | "/h4" | "/h5" | "/p" | "/div" | "/li" | "/ul" | "/dl" | "/pre" | "/section"
            ) =>
            {
                Kind::Text
            }
            // Marks within a line.
            _ => return,
        };
        self.end();
        self.kind = next;
    }

    fn end(&mut self) {
        let raw = std::mem::take(&mut self.text);
        let kind = std::mem::take(&mut self.kind);
        let text = match kind {
            Kind::Code => plain(raw.trim_matches('\n')),
            _ => plain(&raw.split_whitespace().collect::<Vec<_>>().join(" ")),
        };
        if kind == Kind::Cell {
            if let Some((.., rows)) = &mut self.table {
                rows.last_mut().into_iter().for_each(|row| row.push(text.clone()));
            }
            return;
        }
        if text.is_empty() {
            return;
        }
        match kind {
            Kind::Heading(level) => self.blocks.push(Block::Heading(level, text)),
            Kind::Term => self.term = text,
            Kind::Item => {
                let term = std::mem::take(&mut self.term);
                self.blocks.push(Block::Item(if term.is_empty() { text } else { format!("{term}: {text}") }));
            }
            Kind::Code => self.blocks.push(Block::Code(text)),
            Kind::Text | Kind::Cell => self.blocks.push(Block::Text(text)),
        }
    }
}

fn plain(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::html::Table;

    #[test]
    fn what_a_section_writes_comes_back_piece_by_piece() {
        let mut table = Table::new(2, &["threads", "subject", "ops/s"]);
        table.row("first", &["16".into(), "A & B".into(), "1,000".into()]);
        let html = format!(
            "<h3>Reads</h3><p class=note>a &lt; b</p>{}<figure><svg>x</svg></figure><dl><dt>T<dd>m</dl>",
            table.html()
        );
        let rows = vec![
            vec!["threads".into(), "subject".into(), "ops/s".into()],
            vec!["16".into(), "A & B".into(), "1,000".into()],
        ];
        let expected = vec![
            Block::Heading(2, "Reads".into()),
            Block::Text("a < b".into()),
            Block::Table { left: 2, head: true, rows },
            Block::Figure("<svg>x</svg>".into()),
            Block::Item("T: m".into()),
        ];
        assert_eq!(of_html(&html), expected);
    }
}
