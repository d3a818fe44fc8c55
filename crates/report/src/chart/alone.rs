//! A figure as a separate file, with title and caption.

use crate::chart::canvas::fonts::{self, Face};
use crate::chart::canvas::theme::{FAINT, INK, LEAST_TEXT, PAPER};

const TITLE: f64 = 16.0;
const EDGE: f64 = 6.0;

/// The drawing below its title and caption, which are wrapped as needed.
pub fn with_title(drawn: &str, (width, height): (f64, f64), title: &str, caption: &str) -> String {
    let (mut text, mut y) = (String::new(), EDGE);
    let parts = [
        (title, TITLE, Face::Bold, INK, " font-weight=\"600\""),
        (caption, LEAST_TEXT, Face::Plain, FAINT, ""),
    ];
    for (words, size, face, colour, weight) in parts {
        for line in fonts::broken(words, size, face, width - 2.0 * EDGE) {
            y += size * 1.3;
            let line = fonts::markup(&line, face, size, EDGE);
            text.push_str(&format!(
                "<text x=\"{EDGE}\" y=\"{:.1}\" font-size=\"{size}\" \
                 fill=\"{colour}\"{weight}>{line}</text>",
                y - size * 0.25
            ));
        }
    }
    let (families, down) = (fonts::FAMILIES, y + 4.0);
    let inner = drawn.replacen(
        "<svg ",
        &format!("<svg y=\"{down:.0}\" width=\"{width}\" height=\"{height}\" "),
        1,
    );
    let whole = height + down.round();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {whole}\" \
         width=\"{width}\" height=\"{whole}\" font-family=\"{families}\"><rect width=\"{width}\" \
         height=\"{whole}\" fill=\"{PAPER}\"/>{text}{inner}</svg>"
    )
}
