//! The chapters of `src/behaviour`: what the code cites exists in them, and the code cites them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::support::project;

/// As what the code cites a chapter, and the chapter.
const CHAPTERS: [(&str, &str); 6] = [
    ("engine.md", "engine.md"),
    ("session.md", "session.md"),
    ("handoff.md", "handoff.md"),
    ("generation-v4.md", "generation_v4.md"),
    ("matching.md", "matching.md"),
    ("cli.md", "command_line.md"),
];

fn chapter(file: &str) -> String {
    fs::read_to_string(project("src/behaviour").join(file)).expect("a chapter")
}

/// The sections that a chapter has: ids at the beginning of a heading, a paragraph, an item or a row.
fn sections(text: &str) -> BTreeSet<String> {
    let id = Regex::new(r"(?m)^(?:#+ |- |\| )?\**([A-Z]\d+(?:\.\d+[a-z]?)?)\b").expect("a pattern");
    let letter = Regex::new(r"(?m)^ ([a-z])\. ").expect("a pattern");
    let mut found: BTreeSet<String> = BTreeSet::new();
    let mut last = String::new();
    for line in text.lines() {
        if let Some(own) = id.captures(line) {
            last = own[1].to_owned();
            found.insert(last.clone());
        }
        // Lettered parts of a section.
        if let Some(part) = letter.captures(line) {
            found.insert(format!("{last}{}", &part[1]));
        }
    }
    found
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

/// Every citation of a chapter with a section, by the name of the chapter: the sections, and where each stands first.
fn citations() -> BTreeMap<String, BTreeMap<String, String>> {
    let cited = Regex::new(r"([a-z0-9-]+\.md) ((?:[A-Z]\d+(?:\.\d+)?[a-z]?(?:, | and | to )?)+)").expect("a pattern");
    let id = Regex::new(r"[A-Z]\d+(?:\.\d+)?[a-z]?").expect("a pattern");
    let line_end = Regex::new(r"\n\s*//[/!]? ?").expect("a pattern");
    let mut files = Vec::new();
    sources(&project("src"), &mut files);
    sources(&project("tests"), &mut files);
    let mut found: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a source");
        // A citation may go on behind the end of a line of comment.
        let text = line_end.replace_all(&text, " ").into_owned();
        for citation in cited.captures_iter(&text) {
            for section in id.find_iter(&citation[2]) {
                let sections = found.entry(citation[1].to_owned()).or_default();
                sections.entry(section.as_str().to_owned()).or_insert_with(|| file.display().to_string());
            }
        }
    }
    found
}

#[test]
fn what_is_cited_exists() {
    let citations = citations();
    let mut missing = Vec::new();
    let mut seen = 0;
    for (cited, sections_cited) in &citations {
        let Some((_, file)) = CHAPTERS.iter().find(|(name, _)| name == cited) else { continue };
        let known = sections(&chapter(file));
        for (section, place) in sections_cited {
            seen += 1;
            // A part of a section that the chapter does not number by itself is its section's.
            let whole = section.trim_end_matches(|last: char| last.is_ascii_lowercase());
            if !known.contains(section) && !known.contains(whole) {
                missing.push(format!("{cited} {section}, cited in {place}"));
            }
        }
    }
    assert!(seen > 150, "only {seen} citations were found");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_chapter_is_named_and_cited() {
    let citations = citations();
    for (cited, file) in CHAPTERS {
        assert!(!chapter(file).is_empty());
        // The command line has numbers for sections.
        assert!(cited == "cli.md" || citations.contains_key(cited), "{cited} is not cited");
    }
}

#[test]
fn the_chapters_speak_of_nothing_outside_of_the_project() {
    let outside = Regex::new(r"\.\./shared|\bOURS\b|\[[VRDM]\]|\bseeds/|\bspec/").expect("a pattern");
    for (_, file) in CHAPTERS.into_iter().chain([("", "changelog.md"), ("", "contributing.md")]) {
        let text = chapter(file);
        let found: Vec<&str> = text.lines().filter(|line| outside.is_match(line)).collect();
        assert!(found.is_empty(), "{file}:\n{}", found.join("\n"));
    }
}
