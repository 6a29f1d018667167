//! The layers of the library: a module imports only from lower ones (table in `src/lib.rs`).

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::project;

/// Modules by layer, lowest first.
const LAYERS: [&[&str]; 13] = [
    &["text", "diagnostic", "generation", "runtime", "settings", "clock"],
    &["pattern", "glob", "ast", "message"],
    &["rule", "session", "stream", "tool"],
    &["history"],
    &["engine"],
    &["judge"],
    &["lifecycle", "agent"],
    &["host"],
    &["handoff"],
    &["replay"],
    &["audit"],
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
            // `diagnostic` may know `text`, the settings and the clock stand on text too.
            let allowed = name == module || other < own || (own == 0 && matches!(name.as_str(), "text" | "generation"));
            if !allowed {
                wrong.push(format!("{} imports {name}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
