//! Figures as drawn: letters are measured as outlines.

use proptest::prelude::*;
use resvg::usvg::{Group, Node, Rect, Tree};

use super::{FigureText, LineSeries, Palette, Plot, size};
use crate::analysis::facts::PointMark;
use crate::chart::canvas::fonts;
use crate::chart::canvas::theme::LEAST_TEXT;
use crate::chart::kinds::bars::{Bar, BarSeries, CalledBar, GroupedBars};
use crate::chart::kinds::curve::{CalledPoint, CurveChart, CurvePoint, CurveSeries};
use crate::chart::kinds::panels::{PanelChart, Panels};
use crate::chart::kinds::percentiles::Percentiles;
use crate::language::Language;

fn text(title: &str, caption: &str) -> FigureText {
    FigureText::of(Language::ENGLISH, title, caption)
}

fn nodes<'a>(group: &'a Group, found: &mut Vec<&'a Node>) {
    for node in group.children() {
        match node {
            Node::Group(inner) => nodes(inner, found),
            other => found.push(other),
        }
    }
}

/// Checks that everything is within the figure, that letters do not overlap, and that none are too
/// small.
pub fn check(svg: &str) -> Result<(), String> {
    let tree = Tree::from_str(svg, &fonts::options()).map_err(|e| format!("no SVG: {e}: {svg}"))?;
    let (mut all, mut texts): (_, Vec<(String, Rect)>) = (Vec::new(), Vec::new());
    nodes(tree.root(), &mut all);
    let (wide, high) = size(svg);
    let within = |what: &str, rect: Rect| {
        let (wide, high) = (wide as f32 + 0.5, high as f32 + 0.5);
        let inside = rect.left() >= -0.5
            && rect.top() >= -0.5
            && rect.right() <= wide
            && rect.bottom() <= high;
        if inside { Ok(()) } else { Err(format!("{what} reaches out of the figure: {rect:?}")) }
    };
    for node in all {
        match node {
            Node::Text(text) => {
                let said: String = text.chunks().iter().map(|chunk| chunk.text()).collect();
                let least = text
                    .chunks()
                    .iter()
                    .flat_map(|c| c.spans())
                    .map(|s| s.font_size().get())
                    .fold(99.0, f32::min);
                if f64::from(least) < LEAST_TEXT {
                    return Err(format!("“{said}” is {least} high"));
                }
                let outlines = text.flattened().bounding_box();
                let Some(rect) = outlines.transform(text.abs_transform()) else { continue };
                within(&said, rect)?;
                texts.push((said, rect));
            }
            Node::Path(path) => within("a line", path.abs_stroke_bounding_box())?,
            _ => {}
        }
    }
    for (i, (a, of_a)) in texts.iter().enumerate() {
        for (b, of_b) in &texts[..i] {
            let beside = of_a.right() <= of_b.left() || of_b.right() <= of_a.left();
            if !beside && of_a.bottom() > of_b.top() && of_b.bottom() > of_a.top() {
                return Err(format!("“{a}” and “{b}” stand on one another: {of_a:?} {of_b:?}"));
            }
        }
    }
    if texts.is_empty() { Err("no letters".to_string()) } else { Ok(()) }
}

/// Short and long names, close and distant values.
fn names() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[A-Za-z0-9 µ†-]{1,40}", 1..8)
}

fn value() -> impl Strategy<Value = (f64, f64)> {
    ((0.0f64..8.0).prop_map(|e| 10f64.powf(e)), 0.0f64..6.0)
}

fn bar((value, wide): (f64, f64)) -> Bar {
    Bar {
        value,
        low: value * (1.0 - wide),
        high: value * (1.0 + wide),
        marked: wide > 4.0,
        digits: None,
        at_least: wide > 5.0,
    }
}

/// A call-out at the first bar of the first and the last subject.
fn called(groups: &[String], series: &[BarSeries]) -> Vec<CalledBar> {
    let last = (series.len() - 1, groups.len() - 1);
    let of = |(series, group)| CalledBar { series, group, text: "≥ +378 % vs B".to_string() };
    [(0, 0), last].map(of).into()
}

/// A call-out at the first point of the first subject and the last of the last.
fn called_on(series: &[CurveSeries]) -> Vec<CalledPoint> {
    let of = |i: usize, p: &CurvePoint| CalledPoint {
        series: i,
        at: (p.x, p.y),
        text: "≥ +378 % vs B".to_string(),
    };
    let last = series.len() - 1;
    let points = [
        series[0].points.first().map(|p| of(0, p)),
        series[last].points.last().map(|p| of(last, p)),
    ];
    points.into_iter().flatten().collect()
}

fn check_all(plot: &dyn Plot) -> Result<(), TestCaseError> {
    check(&plot.svg(&Palette::default())).map_err(TestCaseError::fail)
}

type Pair = (f64, f64);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn labels_of_bars_never_overlap(
        names in names(), groups in prop::collection::vec("[0-9a-z:./ ]{1,30}", 1..17),
        lying: bool, quiet: bool,
        drawn in prop::collection::vec(prop::option::weighted(0.9, value()), 8 * 17),
    ) {
        let mut drawn = drawn.into_iter();
        let series = |name: &String| BarSeries {
            name: name.clone(),
            values: groups.iter().map(|_| drawn.next().flatten().map(bar)).collect(),
        };
        let series: Vec<BarSeries> = names.iter().map(series).collect();
        let (x_label, y_label) = ("read.threads".to_string(), "ops/s".to_string());
        let text = text("4K", "ops/s");
        let call_outs = called(&groups, &series);
        let plot = GroupedBars {
            text,
            x_label,
            y_label,
            groups,
            series,
            call_outs,
            lying,
            quiet,
        };
        check_all(&plot)?;
    }

    #[test]
    fn labels_of_curves_never_overlap_and_whiskers_stay_on_their_axis(
        names in names(), log_y: bool, crowded in 0.0f64..8.0,
        drawn in prop::collection::vec(prop::collection::vec((value(), value()), 1..20), 8),
    ) {
        let point = |(i, ((x, _), (y, wide))): (usize, &(Pair, Pair))| CurvePoint {
            x: x.powf(crowded / 8.0),
            y: *y,
            label: format!("{}", 1 << i.min(20)),
            low: y * (1.0 - wide),
            high: y * (1.0 + wide),
            mark: match *wide {
                wide if wide > 5.0 => PointMark::Closed,
                wide if wide > 4.0 => PointMark::Missed,
                _ => PointMark::Kept,
            },
        };
        let series = |(name, points): (&String, &Vec<_>)| CurveSeries {
            name: name.clone(),
            points: points.iter().enumerate().map(point).collect(),
        };
        let series: Vec<CurveSeries> = names.iter().zip(&drawn).map(series).collect();
        let (x_label, y_label) = ("ops/s".to_string(), "µs".to_string());
        let text = text("4K", "p99");
        let call_outs = called_on(&series);
        check_all(&CurveChart {
            text, x_label, y_label, log_y, joined: true, places: Vec::new(), series,
            call_outs,
        })?;
    }

    #[test]
    fn numbers_of_panels_and_percentiles_never_overlap(
        names in names(), values in prop::collection::vec(value(), 3..40),
        panels in 1usize..5, from in 0usize..5,
    ) {
        let series = |name: &String| LineSeries {
            name: name.clone(),
            points: values.iter().enumerate().map(|(i, (v, _))| (i as f64, *v)).collect(),
        };
        let panel = |i: usize| PanelChart {
            y_label: format!("W {i}"),
            series: names.iter().map(series).collect(),
        };
        let panels = (0..panels).map(panel).collect();
        let spans = vec![(0.5, 1.0)];
        check_all(&Panels { text: text("4K", "power"), names: names.clone(), panels, spans })?;
        let of = [50.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999, 99.9999];
        let points = of.iter().skip(from).zip(&values).map(|(p, (v, _))| (*p, *v));
        let points: Vec<_> = points.collect();
        let series = |name: &String| LineSeries {
            name: name.clone(),
            points: points.clone(),
        };
        let series = names.iter().map(series).collect();
        check_all(&Percentiles { text: text("4K", "by percentile"), series })?;
    }
}

#[test]
fn a_figure_as_a_file_stands_under_its_title() {
    let (x_label, y_label, groups) =
        ("threads".to_string(), "ops/s".to_string(), vec!["8".to_string()]);
    let series = vec![BarSeries { name: "A".into(), values: vec![Some(bar((5.0, 0.1)))] }];
    let plot = GroupedBars {
        text: text("RocksDB random reads <4K>", &"ops/s by threads ".repeat(8)),
        x_label,
        y_label,
        groups,
        series,
        call_outs: Vec::new(),
        lying: false,
        quiet: false,
    };
    let figure = super::Chart::new("ops".into(), plot);
    let (bare, alone) = (figure.svg(&Palette::default()), figure.alone(&Palette::default()));
    assert!(
        !bare.contains(">RocksDB") && alone.contains(">RocksDB random reads &lt;4K&gt;<"),
        "{alone}"
    );
    assert!(size(&alone).1 > size(&bare).1 + 60.0);
    check(&alone).expect("room for all of it");
    assert!(super::png(&alone, 1.0).expect("a picture").starts_with(b"\x89PNG"));
}

#[test]
fn bars_of_one_group_have_all_their_names_below_them_or_none() {
    let drawn = |names: &[&str]| {
        let bar = || Some(bar((1.0, 0.0)));
        let series = |name: &&str| BarSeries { name: name.to_string(), values: vec![bar()] };
        let plot = GroupedBars {
            text: text("", "caption"),
            x_label: String::new(),
            y_label: "ops/s".to_string(),
            groups: vec![String::new()],
            series: names.iter().map(series).collect(),
            call_outs: Vec::new(),
            lying: false,
            quiet: false,
        };
        plot.svg(&Palette::default())
    };
    // Once in the legend, and once below its bar.
    let named = |svg: &str, name: &str| svg.matches(&format!(">{name}</text>")).count();
    let names = ["a directory in memory", "a directory on the disk"];
    let svg = drawn(&names);
    assert_eq!(names.map(|name| named(&svg, name)), [2, 2], "{svg}");
    check(&svg).unwrap();
    let many: Vec<String> = (0..20).map(|n| format!("drive number {n}")).collect();
    let svg = drawn(&many.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(many.iter().all(|name| named(&svg, name) == 1), "the legend alone: {svg}");
}
