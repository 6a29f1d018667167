//! The layers of the library: a module imports only from lower ones (table in `src/lib.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::project;

/// Modules by layer, lowest first.
const LAYERS: [&[&str]; 14] = [
    &["text", "diagnostic", "generation", "runtime", "settings", "clock", "files", "interrupt", "limits"],
    &["pattern", "glob", "ast", "message", "builtin"],
    &["rule", "session", "stream", "tool"],
    &["history"],
    &["foreign"],
    &["engine"],
    &["judge"],
    &["lifecycle", "agent"],
    &["host"],
    &["handoff"],
    &["replay"],
    &["audit", "corpus"],
    &["output"],
    &["cli"],
];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|modules| modules.contains(&module))
}

/// The top-level module that a file of `src` belongs to.
fn module_of(path: &Path) -> String {
    let relative = path.strip_prefix(project("src")).expect("a file of src");
    let first = relative.components().next().expect("a component").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The modules that a source file names after `crate::`, tests at its end left out.
fn imports(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut names = Vec::new();
    for line in code {
        for rest in line.split("crate::").skip(1) {
            let name: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            names.push(name);
        }
        assert!(!line.contains("use crate::{"), "import modules one by one, so that the layers can be read: {line}");
    }
    names
}

#[test]
fn modules_import_from_lower_layers_only() {
    let mut files = Vec::new();
    sources(&project("src"), &mut files);
    assert!(files.len() > 50, "the sources were not found");
    let mut wrong = Vec::new();
    for file in files {
        let module = module_of(&file);
        let Some(own) = layer(&module) else { continue };
        for name in imports(&fs::read_to_string(&file).expect("a source file")) {
            let Some(other) = layer(&name) else { continue };
            // `diagnostic` may know `text`, the settings and the clock stand on text too, and all of them keep limits,
            // which know nothing.
            let allowed = name == module
                || other < own
                || (own == 0 && matches!(name.as_str(), "text" | "generation" | "limits") && module != "limits");
            if !allowed {
                wrong.push(format!("{} imports {name}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Folders of `src` whose files and folders import each other in one direction. What a folder's `mod.rs` defines
/// stands above all of them, so none of them imports that.
const ROOMS: [&str; 15] = [
    "diagnostic",
    "diagnostic/code",
    "glob",
    "history",
    "pattern",
    "pattern/backtrack",
    "pattern/linear",
    "pattern/syntax",
    "rule",
    "rule/find",
    "rule/lint",
    "rule/lint/shared",
    "rule/read",
    "rule/register",
    "tool/formats",
];

/// The text of a source file without comments, the tests at its end, and who may see an item, which imports nothing.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).expect("a source file");
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| line.replace("pub(in super::super)", "pub")).collect::<Vec<_>>().join("\n")
}

/// The paths that begin where `text` does: `a::b`, and each one of a group in braces.
fn paths(text: &str) -> Vec<Vec<String>> {
    if let Some(group) = text.strip_prefix('{') {
        let (mut depth, mut start, mut found) = (0, 0, Vec::new());
        for (at, one) in group.char_indices() {
            if depth == 0 && matches!(one, ',' | '}') {
                let item = group[start..at].trim();
                found.extend(if item.is_empty() { Vec::new() } else { paths(item) });
                start = at + 1;
            }
            match one {
                '}' if depth == 0 => return found,
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
        }
        return found;
    }
    let end = text.find(|one: char| !one.is_alphanumeric() && one != '_').unwrap_or(text.len());
    let name = text[..end].to_owned();
    match text[end..].strip_prefix("::") {
        Some(rest) => paths(rest).into_iter().map(|path| [vec![name.clone()], path].concat()).collect(),
        None => vec![vec![name]],
    }
}

/// The module of a file of `src`, from the crate on.
fn module_path(file: &Path) -> Vec<String> {
    let relative = file.strip_prefix(project("src")).expect("a file of src").with_extension("");
    let names = relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    names.filter(|name| name != "mod").collect()
}

/// What a file names by a path from the crate or from a module above, as paths from the crate.
fn named(file: &Path) -> Vec<Vec<String>> {
    let (text, own) = (code(file), module_path(file));
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        found.extend(paths(&text[at + "crate::".len()..]));
    }
    for (at, _) in text.match_indices("super::").filter(|(at, _)| !text[..*at].ends_with("super::")) {
        let (mut rest, mut above) = (&text[at..], own.as_slice());
        while let Some(behind) = rest.strip_prefix("super::") {
            rest = behind;
            above = &above[..above.len().saturating_sub(1)];
        }
        found.extend(paths(rest).into_iter().map(|path| [above.to_vec(), path].concat()));
    }
    found
}

/// The members of a room, each with the other ones that it imports; `mod` is what `mod.rs` defines or passes on.
fn room(name: &str) -> BTreeMap<String, BTreeSet<String>> {
    let folder = project("src").join(name);
    let own: Vec<String> = name.split('/').map(str::to_owned).collect();
    let mut members = BTreeMap::new();
    for entry in fs::read_dir(&folder).expect("a room").flatten() {
        let path = entry.path();
        let member = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut files = Vec::new();
        if path.is_dir() {
            sources(&path, &mut files)
        } else {
            files.push(path)
        }
        if member != "mod" {
            members.insert(member, files);
        }
    }
    let member_of = |path: Vec<String>| {
        let inside = path.strip_prefix(own.as_slice())?.first()?.clone();
        Some(if members.contains_key(&inside) { inside } else { "mod".to_owned() })
    };
    let imports = |(member, files): (&String, &Vec<PathBuf>)| {
        let named: BTreeSet<String> = files.iter().flat_map(|file| named(file)).filter_map(member_of).collect();
        (member.clone(), named.into_iter().filter(|other| other != member).collect())
    };
    let mut graph: BTreeMap<_, _> = members.iter().map(imports).collect();
    graph.insert("mod".to_owned(), members.keys().cloned().collect());
    graph
}

/// A circle among the members of a room, if there is one.
fn circle(graph: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let mut left = graph.clone();
    // What imports nothing that is left is on no circle.
    while let Some(leaf) = left.iter().find(|(_, imports)| imports.is_empty()).map(|(name, _)| name.clone()) {
        left.remove(&leaf);
        left.values_mut().for_each(|imports| imports.retain(|other| *other != leaf));
    }
    let mut walk = vec![left.keys().next()?.clone()];
    loop {
        let next = left[walk.last()?].first()?.clone();
        if let Some(at) = walk.iter().position(|name| *name == next) {
            return Some(walk.split_off(at));
        }
        walk.push(next);
    }
}

#[test]
fn rooms_have_no_circles() {
    let circles: Vec<String> =
        ROOMS.iter().filter_map(|name| Some(format!("{name}: {}", circle(&room(name))?.join(" imports ")))).collect();
    assert!(circles.is_empty(), "{}", circles.join("\n"));
    let lints = room("rule/lint");
    assert!(lints["missing_trigger"].contains("unknown_key") && lints["unknown_key"].contains("shared"), "{lints:?}");
}

#[test]
fn a_circle_is_found() {
    let graph = |edges: &[(&str, &[&str])]| {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
        edges.iter().map(|(from, to)| ((*from).to_owned(), names(to))).collect()
    };
    assert_eq!(circle(&graph(&[("a", &["b"]), ("b", &["c"]), ("c", &[])])), None);
    let found = circle(&graph(&[("a", &["b"]), ("b", &["c", "d"]), ("c", &[]), ("d", &["b"])]));
    assert_eq!(found, Some(vec!["b".to_owned(), "d".to_owned()]));
    let group = paths("{a, b::{C, d::E}, super_f};");
    let joined: Vec<String> = group.iter().map(|path| path.join("::")).collect();
    assert_eq!(joined, ["a", "b::C", "b::d::E", "super_f"]);
}

/// A build without features calls no C compiler: what does is optional, and no feature but those of grammars turns it on.
#[test]
fn what_brings_c_is_optional() {
    let manifest: toml::Table =
        toml::from_str(&fs::read_to_string(project("Cargo.toml")).expect("a manifest")).expect("TOML");
    let dependencies = manifest["dependencies"].as_table().expect("dependencies");
    let brings_c = |name: &str| name.starts_with("tree-sitter") || name.starts_with("ast-grep");
    let mut seen = 0;
    for (name, how) in dependencies.iter().filter(|(name, _)| brings_c(name)) {
        assert_eq!(how.get("optional").and_then(toml::Value::as_bool), Some(true), "{name}");
        seen += 1;
    }
    assert!(seen > 30, "{seen}");
    let features = manifest["features"].as_table().expect("features");
    let on: Vec<&str> =
        features["internals"].as_array().expect("a list").iter().filter_map(toml::Value::as_str).collect();
    assert!(on.is_empty(), "{on:?}");
}
