//! The import graph, read from the `use` lines: no circle inside any folder, and diagrams that are
//! true.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{IMPORTS, code, none, sources};

/// A module by its path: ["run", "point"]. For a crate with a room of its own, it begins with its
/// name: ["audit", "says"].
type Module = Vec<String>;

/// The modules of `src`, and for each those that it imports from. Re-exports of a folder's `mod.rs`
/// are resolved, so that an import through it is seen.
pub struct Graph {
    edges: BTreeMap<Module, BTreeSet<Module>>,
}

impl Graph {
    pub fn of_src() -> Graph {
        let files = sources().into_iter().filter(|(path, _)| {
            !path.file_stem().is_some_and(|name| name.to_string_lossy().starts_with("tests"))
        });
        let texts: BTreeMap<Module, String> =
            files.map(|(path, text)| (module(&path), plain(&path, &text))).collect();
        let known: BTreeSet<&Module> = texts.keys().collect();
        let mut handed_on = BTreeMap::new();
        for (from, text) in &texts {
            for (public, tree) in uses(text) {
                for path in leaves(tree).into_iter().filter(|_| public) {
                    let name = path.last().cloned().unwrap_or_default();
                    absolute(&known, from, &path)
                        .map(|path| handed_on.insert([&from[..], &[name]].concat(), path));
                }
            }
        }
        let edges = texts.iter().map(|(from, text)| {
            let named =
                uses(text).into_iter().flat_map(|(_, tree)| leaves(tree)).chain(inline(text));
            let paths = named.filter_map(|path| absolute(&known, from, &path));
            let into = paths
                .map(|path| find(&known, &handed_on, path))
                .filter(|to| to != from && !to.is_empty());
            (from.clone(), into.collect())
        });
        Graph { edges: edges.collect() }
    }

    /// Files and folders that import one another within a folder, with whom.
    pub fn in_circles(&self) -> Vec<String> {
        let modules = self.edges.keys();
        let folders: BTreeSet<&[String]> =
            modules.flat_map(|module| (1..module.len()).map(move |n| &module[..n])).collect();
        assert!(folders.len() > 20, "{folders:?}");
        let mut all = Vec::new();
        for folder in folders {
            let edges = self.children(folder);
            let found = in_circles(&edges);
            for file in &found {
                let into: Vec<&String> =
                    edges[file].iter().filter(|to| found.contains(to)).collect();
                all.push(format!("{}/{file} imports {into:?}, and they it", folder.join("/")));
            }
        }
        all
    }

    /// Between the children of a folder: its files, and each subfolder as a whole. The folder's own
    /// `mod.rs` is excluded, because it declares what its files implement and lists them.
    fn children(&self, folder: &[String]) -> BTreeMap<String, BTreeSet<String>> {
        let child =
            |module: &Module| module.strip_prefix(folder).and_then(|rest| rest.first().cloned());
        let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, into) in &self.edges {
            let Some(from) = child(from) else { continue };
            let own: Vec<String> = into.iter().filter_map(child).filter(|to| *to != from).collect();
            all.entry(from).or_default().extend(own);
        }
        all
    }
}

/// The modules on a cycle.
fn in_circles(edges: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    edges.keys().filter(|module| reached(edges, module).contains(*module)).cloned().collect()
}

fn reached(edges: &BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from.to_string()]);
    while let Some(module) = next.pop() {
        let new = edges.get(&module).into_iter().flatten().filter(|to| seen.insert((*to).clone()));
        next.extend(new.cloned().collect::<Vec<_>>());
    }
    seen
}

/// Crates that are one room each; the others contain several, which no two share.
const ROOMS: [&str; 7] = ["ai", "audit", "fleet", "loads", "powercut", "sql", "trace"];

pub fn module(path: &Path) -> Module {
    let names: Module =
        path.with_extension("").iter().map(|p| p.to_string_lossy().into_owned()).collect();
    let source = names.iter().position(|name| name == "src").unwrap_or(0);
    let room = names[..source].last().filter(|name| ROOMS.contains(&name.as_str())).cloned();
    let mut parts: Module = room.into_iter().chain(names[source + 1..].to_vec()).collect();
    if parts.last().is_some_and(|last| last == "mod" || last == "lib") {
        parts.pop();
    }
    parts
}

/// The code without unit tests and comments.
fn plain(path: &Path, text: &str) -> String {
    let lines = code(path, text).into_iter();
    let lines = lines.map(|(_, line)| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The target of each `use`, and whether it is a re-export.
fn uses(text: &str) -> Vec<(bool, &str)> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("use ") {
        let head = rest[..at].rsplit('\n').next().unwrap_or_default().trim();
        let end = rest[at..].find(';').map_or(rest.len(), |end| at + end);
        if head.is_empty() || head.starts_with("pub") {
            all.push((head.starts_with("pub"), rest[at + 4..end].trim()));
        }
        rest = &rest[if head.is_empty() || head.starts_with("pub") { end } else { at + 4 }..];
    }
    all
}

/// The paths of a `use` tree: `a::{b, c::{self, D as E}}` is a::b, a::c and a::c::D.
fn leaves(tree: &str) -> Vec<Module> {
    let path = |text: &str| -> Module {
        let names =
            text.split("::").map(|name| name.split(" as ").next().unwrap_or_default().trim());
        names
            .filter(|name| !name.is_empty() && *name != "self" || text.starts_with("self"))
            .map(str::to_string)
            .collect()
    };
    let Some((head, rest)) = tree.split_once('{') else { return vec![path(tree.trim())] };
    let (head, inner) = (path(head.trim()), rest.trim_end().trim_end_matches('}'));
    let (mut all, mut depth, mut from) = (Vec::new(), 0, 0);
    let closing = inner.len();
    for (at, c) in inner.char_indices().chain([(closing, ',')]) {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && (depth <= 0 || at == closing) {
            let part = inner[from..at].trim();
            let own = if part == "self" { vec![Vec::new()] } else { leaves(part) };
            all.extend(
                own.into_iter().filter(|_| !part.is_empty()).map(|own| [&head[..], &own].concat()),
            );
            from = at + 1;
        }
    }
    all
}

/// Paths in the code itself: `super::cause(…)`, `crate::measure::…`.
fn inline(text: &str) -> Vec<Module> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let heads = ["crate::", "dyno_", "super::", "self::"];
    let paths = words.filter(|word| heads.iter().any(|head| word.starts_with(head)));
    paths
        .map(|word| word.split("::").filter(|part| !part.is_empty()).map(str::to_string).collect())
        .collect()
}

/// A path from the root of the crate; None for another crate's.
fn absolute(known: &BTreeSet<&Module>, from: &Module, path: &[String]) -> Option<Module> {
    let first = path.first()?.as_str();
    let up = path.iter().take_while(|part| *part == "super").count();
    match first {
        "crate" if from.first().is_some_and(|room| ROOMS.contains(&room.as_str())) => {
            Some([&from[..1], &path[1..]].concat())
        }
        "crate" | "dyno_core" | "dyno_report" => Some(path[1..].to_vec()),
        other if other.strip_prefix("dyno_").is_some_and(|room| ROOMS.contains(&room)) => {
            Some([&[other["dyno_".len()..].to_string()], &path[1..]].concat())
        }
        "self" => Some([&from[..], &path[1..]].concat()),
        "super" => Some([&from[..from.len().saturating_sub(up)], &path[up..]].concat()),
        _ => {
            let own = [&from[..], &path[..1]].concat();
            known.contains(&own).then(|| [&from[..], path].concat())
        }
    }
}

/// The module to which a path leads.
fn find(known: &BTreeSet<&Module>, handed_on: &BTreeMap<Module, Module>, path: Module) -> Module {
    let mut path = path;
    for _ in 0..8 {
        let Some(at) = (1..=path.len())
            .find(|&n| handed_on.contains_key(&path[..n]) && !known.contains(&path[..n].to_vec()))
        else {
            break;
        };
        path = [&handed_on[&path[..at]][..], &path[at..]].concat();
    }
    let most = (0..=path.len()).rev().find(|&n| known.contains(&path[..n].to_vec()));
    path[..most.unwrap_or(0)].to_vec()
}

#[test]
fn files_of_one_folder_import_one_another_in_no_circle() {
    none(Graph::of_src().in_circles());
}

/// A diagram's arrows: who imports whom, without implied ones.
fn drawn(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().map(|line| line.trim_start_matches("//!").trim());
    let arrows = lines.filter_map(|line| line.split_once(" → "));
    let words =
        |side: &str| side.split(", ").map(|word| word.trim().to_string()).collect::<Vec<_>>();
    arrows
        .flat_map(|(from, into)| words(into).into_iter().map(move |to| (from.to_string(), to)))
        .collect()
}

#[test]
fn the_diagrams_are_what_the_code_imports_and_every_arrow_points_down() {
    let mut edges = Graph::of_src().children(&[]);
    edges.retain(|part, _| part != "main");
    edges.insert("main".into(), BTreeSet::from(["cmd".to_string()]));
    assert_eq!(in_circles(&edges), Vec::<String>::new());
    let direct = |from: &String, to: &String| {
        !edges[from].iter().any(|by| by != to && reached(&edges, by).contains(to))
    };
    let pairs = edges.iter().flat_map(|(from, into)| into.iter().map(move |to| (from, to)));
    let real: BTreeSet<(String, String)> = pairs
        .filter(|(from, to)| direct(from, to))
        .map(|(from, to)| (from.clone(), to.clone()))
        .collect();
    for file in ["src/lib.rs", "ARCHITECTURE.md"] {
        let text =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
        let block = text.split("```text").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let drawn = drawn(block);
        assert_eq!(
            drawn.iter().cloned().collect::<BTreeSet<_>>(),
            real,
            "{file} draws other imports than there are"
        );
        let row =
            |part: &str| drawn.iter().position(|(from, _)| from == part).unwrap_or(drawn.len());
        for (from, to) in &drawn {
            assert!(row(from) < row(to), "{file}: {to} stands above {from}, which imports it");
        }
    }
}

#[test]
fn parts_import_only_what_the_table_allows() {
    let edges = Graph::of_src().children(&[]);
    for (part, allowed) in IMPORTS {
        let others: Vec<&String> =
            edges[*part].iter().filter(|to| !allowed.contains(&to.as_str())).collect();
        assert!(others.is_empty(), "{part} must not import {others:?}");
    }
}

#[test]
fn the_reader_of_imports_sees_each_way_of_writing_one() {
    let text = "use super::b::{self, C as D, e::{F, self}};\npub use g::H;\n\
                fn f() { crate::i::j(); super::k::L }";
    let trees = uses(text);
    assert_eq!(trees.iter().map(|(public, _)| *public).collect::<Vec<_>>(), [false, true]);
    let all: Vec<String> =
        trees.iter().flat_map(|(_, tree)| leaves(tree)).map(|path| path.join("::")).collect();
    assert_eq!(all, ["super::b", "super::b::C", "super::b::e::F", "super::b::e", "g::H"]);
    let inline: Vec<String> = inline(text).iter().map(|path| path.join("::")).collect();
    assert!(
        inline.contains(&"crate::i::j".to_string()) && inline.contains(&"super::k::L".to_string()),
        "{inline:?}"
    );
    let two = BTreeMap::from(
        [("a", ["b"]), ("b", ["a"])].map(|(a, b)| (a.to_string(), b.map(String::from).into())),
    );
    assert_eq!(in_circles(&two), ["a", "b"]);
}
