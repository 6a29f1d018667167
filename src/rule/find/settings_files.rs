//! Settings files with their precedence (engine.md E10): the user's, the project's, other tools', overlays, single
//! assignments. Later layers win, mappings are merged, everything else is replaced.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Code, Diagnostic, code};
use crate::files::read_regular;
use crate::generation::Semantics;
use crate::limits;
use crate::rule::read::{Content, Key, Node, Style, Yaml, decode, parse as parse_yaml};
use crate::settings::{RepeatMode, SETTING_KEYS, Settings};
use crate::text::json::{self, Value};
use crate::text::{JsString, LineIndex, Place};

/// The keys that the early generation knows.
const EARLY_KEYS: [&str; 4] = ["enabled", "contextMode", "repeatMode", "repeatGap"];

/// The key that came with judged rules.
const JUDGE_KEY: &str = "judge";

/// Files of other tools in the project whose settings the agent takes over, in order of precedence.
const FOREIGN_FILES: [&str; 3] = [".claude/settings.json", ".gemini/settings.json", ".cursor/settings.json"];

/// Settings layers in the order of precedence: later ones win.
#[derive(Clone, Debug, Default)]
pub struct SettingsLayers {
    layers: Vec<Layer>,
    diagnostics: Vec<Diagnostic>,
}

/// What the layers come to.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// The `ttsr` group.
    pub settings: Settings,
    /// `enabledProviders`
    pub enabled_providers: Vec<String>,
    /// `disabledProviders`
    pub disabled_providers: Vec<String>,
    /// `disabledExtensions`
    pub disabled_extensions: Vec<String>,
    /// Where each member of the `ttsr` group that counts is written: `FILE:LINE`, or `--set`.
    pub origins: std::collections::BTreeMap<String, String>,
    /// Values that the agent ignores or reads otherwise than written, with their places.
    pub diagnostics: Vec<Diagnostic>,
}

/// A settings file that has to be there and cannot be used: exit status 3.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct SettingsError {
    /// The file as named.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// Where, when the file could be read.
    pub place: Option<Place>,
}

/// An assignment `KEY=VALUE` that is none: exit status 2.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssignmentError {
    /// There is no `=`.
    #[error("`{0}` is no assignment; write `ttsr.KEY=VALUE`")]
    NoAssignment(String),
    /// The key is not known.
    #[error("unknown setting `{key}`; known are {}", SETTING_KEYS.map(|key| format!("`ttsr.{key}`")).join(", "))]
    UnknownKey {
        /// The key as written.
        key: String,
    },
}

/// One source of settings.
#[derive(Clone, Debug)]
struct Layer {
    root: Node,
    origin: Origin,
}

#[derive(Clone, Debug)]
enum Origin {
    File { name: String, text: String, lines: LineIndex },
    Assignment,
}

impl Layer {
    /// Where a part of the layer is written.
    fn shown(&self, span: &Range<usize>) -> String {
        match &self.origin {
            Origin::Assignment => "--set".to_owned(),
            Origin::File { name, text, lines } => format!("{name}:{}", lines.position(text, span.start).line),
        }
    }

    fn finding(&self, code: Code, message: impl Into<String>, span: &Range<usize>) -> Diagnostic {
        let finding = Diagnostic::new(code, message);
        match &self.origin {
            Origin::Assignment => finding,
            Origin::File { name, text, lines } => {
                let (start, end) = (lines.position(text, span.start), lines.position(text, span.end));
                let line_start = text[..start.offset].rfind('\n').map_or(0, |at| at + 1);
                let line_end = text[end.offset..].find('\n').map_or(text.len(), |at| end.offset + at);
                finding
                    .at(Place { file: name.clone(), start, end })
                    .with_snippet(&text[line_start..line_end], line_start)
            }
        }
    }
}

impl SettingsLayers {
    /// No layers: the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what the agent itself reads: the user's file, the project's files, other tools' files, and the
    /// overlays that `PI_CONFIG_FILES` names, which is `overlays` here: paths in the platform's list notation.
    ///
    /// # Errors
    /// When a `config.yml` or an overlay cannot be used; the agent does not start then.
    pub fn add_agent_files(
        &mut self,
        project: &Path,
        home: &Path,
        overlays: Option<&std::ffi::OsStr>,
    ) -> Result<(), SettingsError> {
        let user = ["config.yml", "config.yaml"].map(|name| home.join(".omp/agent").join(name));
        if let Some(path) = user.iter().find(|path| path.exists()) {
            self.add_own(path)?;
        }
        self.add_optional(&project.join(".omp/settings.json"));
        let config = project.join(".omp/config.yml");
        if config.exists() {
            self.add_own(&config)?;
        }
        for name in FOREIGN_FILES {
            self.add_optional(&project.join(name));
        }
        let overlays: Vec<PathBuf> = overlays.map(|list| std::env::split_paths(list).collect()).unwrap_or_default();
        overlays.iter().filter(|path| !path.as_os_str().is_empty()).try_for_each(|path| self.add_file(path))
    }

    /// Adds a file that has to be there: JSON when its name ends in `.json`, else YAML.
    ///
    /// # Errors
    /// When the file cannot be read or parsed.
    pub fn add_file(&mut self, path: &Path) -> Result<(), SettingsError> {
        self.layers.push(read(path)?);
        Ok(())
    }

    /// Adds a file of the agent's own. What is no regular file is passed over, lest a pipe holds the run up.
    fn add_own(&mut self, path: &Path) -> Result<(), SettingsError> {
        if path.is_file() {
            return self.add_file(path);
        }
        self.add_optional(path);
        Ok(())
    }

    /// Adds a file without which the agent goes on.
    fn add_optional(&mut self, path: &Path) {
        if !path.exists() {
            return;
        }
        match read(path) {
            Ok(layer) => self.layers.push(layer),
            Err(error) => {
                let message = format!("the settings file is ignored: {}", error.message);
                let finding = Diagnostic::new(code::INVALID_SETTINGS_FILE, message);
                self.diagnostics.push(finding.at(error.place.unwrap_or_else(|| Place::line(error.path, 1, 0))));
            }
        }
    }

    /// Adds one assignment, such as `ttsr.repeatMode=after-gap`; the value is read as YAML, else taken as text.
    ///
    /// # Errors
    /// When it is no assignment to a known key.
    pub fn add_assignment(&mut self, assignment: &str) -> Result<(), AssignmentError> {
        let Some((key, text)) = assignment.split_once('=') else {
            return Err(AssignmentError::NoAssignment(assignment.to_owned()));
        };
        let known = key.trim().strip_prefix("ttsr.").filter(|name| SETTING_KEYS.contains(name));
        let Some(name) = known else { return Err(AssignmentError::UnknownKey { key: key.to_owned() }) };
        let value = match parse_yaml(text) {
            Ok(Content::One(node)) => node.value,
            _ => Yaml::String(text.to_owned()),
        };
        let node = |value| Node { value, style: Style::Plain, span: 0..0 };
        let key = |text: &str| Key { text: text.to_owned(), span: 0..0, overridden: Vec::new() };
        let group = node(Yaml::Map(vec![(key(name), node(value))]));
        self.layers.push(Layer { root: node(Yaml::Map(vec![(key("ttsr"), group)])), origin: Origin::Assignment });
        Ok(())
    }

    /// Merges the layers and applies them as the generation does.
    pub fn resolve(&self, semantics: &Semantics) -> Resolved {
        let mut resolved = Resolved { diagnostics: self.diagnostics.clone(), ..Resolved::default() };
        let mut group: Vec<(&str, &Node, &Layer)> = Vec::new();
        for layer in &self.layers {
            resolved.diagnostics.extend(dotted_keys(layer));
            let strings = |key: &str, list: &mut Vec<String>| {
                if let Some(names) = layer.root.get(key).and_then(string_list) {
                    *list = names;
                }
            };
            strings("enabledProviders", &mut resolved.enabled_providers);
            strings("disabledProviders", &mut resolved.disabled_providers);
            strings("disabledExtensions", &mut resolved.disabled_extensions);
            let Some(node) = layer.root.get("ttsr") else { continue };
            let Yaml::Map(members) = &node.value else {
                // A group that is no mapping replaces the mappings of earlier layers.
                group.clear();
                let message = format!("`ttsr` should be a mapping, not {}; the defaults apply", node.kind());
                resolved.diagnostics.push(layer.finding(code::IGNORED_SETTING, message, &node.span));
                continue;
            };
            for (key, value) in members {
                if !SETTING_KEYS.contains(&key.text.as_str()) {
                    resolved.diagnostics.push(unknown_key(layer, key));
                    continue;
                }
                group.retain(|(name, ..)| *name != key.text);
                group.push((&key.text, value, layer));
            }
        }
        let gap = group.iter().find(|(key, ..)| *key == "repeatGap").map(|(_, value, layer)| (*value, *layer));
        for (key, value, layer) in group {
            let too_early = semantics.legacy_trigger_only && !EARLY_KEYS.contains(&key);
            if too_early || (!semantics.judged_rules && key == JUDGE_KEY) {
                let message = format!("the lifecycle {} does not know `ttsr.{key}`", semantics.lifecycle.as_str());
                resolved.diagnostics.push(layer.finding(code::SETTING_BEYOND_LIFECYCLE, message, &value.span));
                continue;
            }
            resolved.origins.insert(key.to_owned(), layer.shown(&value.span));
            if let Ok(Some(message)) = resolved.settings.apply(key, &value.to_json(), semantics) {
                let finding = layer.finding(code::IGNORED_SETTING, message, &value.span);
                resolved.diagnostics.push(match list_help(key, value, layer) {
                    Some(help) => finding.with_help(help),
                    None => finding,
                });
            }
        }
        let Settings { repeat_mode, repeat_gap, .. } = resolved.settings;
        if let Some((value, layer)) = gap.filter(|_| repeat_mode == RepeatMode::AfterGap && repeat_gap <= 0.0) {
            let message = "with no turn between, a rule fires again on each piece of the stream that matches";
            let finding = layer.finding(code::NO_GAP, message.to_owned(), &value.span);
            resolved.diagnostics.push(finding.with_help("write `repeatGap: 1` or more, or `repeatMode: once`"));
        }
        resolved
    }
}

/// How to write the names where a list is due.
fn list_help(key: &str, value: &Node, layer: &Layer) -> Option<String> {
    let Yaml::String(text) = &value.value else { return None };
    let names: Vec<JsString> =
        text.split(',').map(|name| name.trim().into()).filter(|name: &JsString| !name.is_empty()).collect();
    if key != "disabledRules" || names.is_empty() {
        return None;
    }
    let list = Value::Array(names.into_iter().map(Value::from).collect()).to_json().to_string();
    Some(match layer.origin {
        Origin::Assignment => format!("write `--set ttsr.{key}='{}'`", list.replace('\'', "'\\''")),
        Origin::File { .. } => format!("write `{key}: {list}`"),
    })
}

fn string_list(node: &Node) -> Option<Vec<String>> {
    let Yaml::List(items) = &node.value else { return None };
    let text = |item: &Node| if let Yaml::String(text) = &item.value { Some(text.clone()) } else { None };
    Some(items.iter().filter_map(text).collect())
}

fn dotted_keys(layer: &Layer) -> Vec<Diagnostic> {
    let Yaml::Map(members) = &layer.root.value else { return Vec::new() };
    let dotted = members.iter().filter(|(key, _)| key.text.starts_with("ttsr."));
    dotted
        .map(|(key, _)| {
            let message = format!("`{}` is ignored: the agent reads nested keys only", key.text);
            let name = &key.text["ttsr.".len()..];
            layer
                .finding(code::DOTTED_SETTING, message, &key.span)
                .with_help(format!("write `ttsr:` and below it, indented, `{name}: …`"))
        })
        .collect()
}

fn unknown_key(layer: &Layer, key: &Key) -> Diagnostic {
    let message = format!("the agent has no setting `ttsr.{}`", key.text);
    let finding = layer.finding(code::UNKNOWN_SETTING, message, &key.span);
    let plain = |text: &str| text.to_ascii_lowercase().replace(['-', '_'], "");
    match SETTING_KEYS.iter().find(|known| plain(known) == plain(&key.text)) {
        Some(known) => finding.with_help(format!("write `{known}`")),
        None => finding.with_help(format!("known are {}", SETTING_KEYS.map(|key| format!("`{key}`")).join(", "))),
    }
}

fn read(path: &Path) -> Result<Layer, SettingsError> {
    let name = path.to_string_lossy().into_owned();
    let fail = |message: String| SettingsError { path: name.clone(), message, place: None };
    let bytes = read_regular(path, limits::SETTINGS_FILE.get()).map_err(|error| fail(super::load::describe(&error)))?;
    let text = decode(bytes).text;
    let lines = LineIndex::new(&text);
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    match parse(&text, is_json) {
        Ok(root) => Ok(Layer { root, origin: Origin::File { name, text, lines } }),
        Err((message, offset)) => {
            let place = Place::point(name.clone(), lines.position(&text, offset));
            Err(SettingsError { path: name, message, place: Some(place) })
        }
    }
}

/// Reads a settings text. The error is a message and a byte offset.
fn parse(text: &str, is_json: bool) -> Result<Node, (String, usize)> {
    let start = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    let body = &text[start..];
    if is_json {
        let value = json::parse(body).map_err(|error| (error.message, start + error.offset))?;
        // JSON is YAML but for tabs between tokens; the YAML reader gives the places.
        if let Ok(Content::One(mut node)) = parse_yaml(&body.replace('\t', " ")) {
            node.map_spans(&|span| start + span.start..start + span.end);
            return Ok(node);
        }
        return Ok(from_json(&value));
    }
    match parse_yaml(body) {
        Ok(Content::One(mut node)) => {
            node.map_spans(&|span| start + span.start..start + span.end);
            Ok(node)
        }
        Ok(Content::Several { at }) => Err(("several YAML documents".to_owned(), start + at)),
        Err(error) => Err((error.message, start + error.offset)),
    }
}

/// A JSON value without places.
fn from_json(value: &Value) -> Node {
    let value = match value {
        Value::Null => Yaml::Null,
        Value::Bool(value) => Yaml::Bool(*value),
        Value::Number(text) => Yaml::Number(text.parse().unwrap_or(f64::NAN), text.to_string()),
        Value::String(text) => Yaml::String(text.to_string_lossy()),
        Value::Array(items) => Yaml::List(items.iter().map(from_json).collect()),
        Value::Object(members) => {
            let key = |text: String| Key { text, span: 0..0, overridden: Vec::new() };
            Yaml::Map(members.iter().map(|(name, value)| (key(name.to_string_lossy()), from_json(value))).collect())
        }
    };
    Node { value, style: Style::Plain, span: 0..0 }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::generation::Lifecycle;
    use crate::settings::{ContextMode, InterruptMode};

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        fs::write(path, text).expect("written");
    }

    fn resolve(layers: &SettingsLayers) -> Resolved {
        layers.resolve(&Lifecycle::V3.semantics())
    }

    #[test]
    fn later_layers_win_and_a_group_that_is_null_gives_the_defaults() {
        let root = tempfile::tempdir().expect("a folder");
        let (project, home) = (root.path().join("p"), root.path().join("h"));
        write(&home, ".omp/agent/config.yml", "ttsr:\n  repeatGap: 3\n  contextMode: keep\n  repeatMode: after-gap\n");
        write(&home, ".omp/agent/config.yaml", "ttsr: {repeatGap: 99}\n");
        write(&project, ".omp/settings.json", "{\n\t\"ttsr\": {\"contextMode\": \"discard\", \"repeatGap\": 4}\n}");
        write(
            &project,
            ".omp/config.yml",
            "ttsr:\n  repeatGap: 5\n  builtinRules: false\nenabledProviders: [cursor]\n",
        );
        write(&project, ".omp/config.yaml", "ttsr: {repeatGap: 98}\n");
        write(&project, ".claude/settings.json", "{\"ttsr\": {\"repeatGap\": 6}}");
        let mut layers = SettingsLayers::new();
        layers.add_agent_files(&project, &home, None).expect("all valid");
        let resolved = resolve(&layers);
        assert_eq!(resolved.settings.repeat_gap, 6.0);
        assert_eq!(resolved.settings.context_mode, ContextMode::Discard);
        assert_eq!(resolved.settings.repeat_mode, RepeatMode::AfterGap);
        assert!(!resolved.settings.builtin_rules);
        assert_eq!(resolved.enabled_providers, ["cursor"]);
        assert_eq!(resolved.diagnostics, []);

        write(&project, "over.yml", "ttsr: null\n");
        let overlay = project.join("over.yml").into_os_string();
        let mut layers = SettingsLayers::new();
        layers.add_agent_files(&project, &home, Some(&overlay)).expect("all valid");
        layers.add_assignment("ttsr.interruptMode=never").expect("known");
        let resolved = resolve(&layers);
        assert_eq!(resolved.settings.repeat_gap, 10.0);
        assert_eq!(resolved.settings.interrupt_mode, InterruptMode::Never);
    }

    #[test]
    fn odd_values_do_what_the_agent_does_and_are_pointed_at() {
        let root = tempfile::tempdir().expect("a folder");
        let text = "ttsr:\n  enabled:\n  builtinRules: \"false\"\n  disabledRules: ab\n  interrupt_mode: never\n  interruptMode: Never\nttsr.repeatGap: 2\n";
        write(root.path(), "c.yml", text);
        let mut layers = SettingsLayers::new();
        layers.add_file(&root.path().join("c.yml")).expect("valid");
        let resolved = resolve(&layers);
        assert!(!resolved.settings.enabled && resolved.settings.builtin_rules);
        assert_eq!(resolved.settings.disabled_rules, ["a", "b"]);
        assert_eq!(resolved.settings.interrupt_mode, InterruptMode::Never);
        let lines: Vec<_> = resolved
            .diagnostics
            .iter()
            .map(|finding| (finding.code.name(), finding.place.as_ref().expect("a place").start.line))
            .collect();
        let ignored = "ignored-setting";
        let wanted =
            [("dotted-setting", 7), ("unknown-setting", 5), (ignored, 2), (ignored, 3), (ignored, 4), (ignored, 6)];
        assert_eq!(lines, wanted);
    }

    #[test]
    fn what_has_to_be_there_and_is_not_valid_is_an_error_with_its_place() {
        let root = tempfile::tempdir().expect("a folder");
        write(root.path(), "bad.yml", "a: 1\nttsr: [\n");
        write(root.path(), "bad.json", "{\n \"ttsr\": x\n}");
        write(root.path(), ".omp/settings.json", "{");
        let mut layers = SettingsLayers::new();
        for (name, line) in [("bad.yml", 3), ("bad.json", 2)] {
            let error = layers.add_file(&root.path().join(name)).expect_err("malformed");
            assert_eq!(error.place.expect("a place").start.line, line, "{name}");
        }
        assert!(layers.add_file(&root.path().join("none.yml")).expect_err("missing").place.is_none());
        assert!(layers.add_file(root.path()).is_err());
        layers.add_agent_files(root.path(), root.path(), None).expect("only an optional file is bad");
        assert_eq!(resolve(&layers).diagnostics[0].code, code::INVALID_SETTINGS_FILE);
        assert!(matches!(layers.add_assignment("ttsr.x=1"), Err(AssignmentError::UnknownKey { .. })));
        assert!(matches!(layers.add_assignment("ttsr.enabled"), Err(AssignmentError::NoAssignment(_))));
    }

    #[test]
    fn only_the_lifecycle_with_judged_rules_knows_their_setting() {
        let mut layers = SettingsLayers::new();
        layers.add_assignment("ttsr.judge=off").expect("an assignment");
        let resolved = resolve(&layers);
        assert_eq!(resolved.settings.judge, crate::settings::JudgeMode::Auto);
        assert_eq!(resolved.diagnostics[0].message, "the lifecycle v3 does not know `ttsr.judge`");
        let resolved = layers.resolve(&Lifecycle::V4.semantics());
        assert_eq!((resolved.settings.judge, resolved.diagnostics.len()), (crate::settings::JudgeMode::Off, 0));
    }

    #[test]
    fn the_early_lifecycle_knows_four_settings() {
        let mut layers = SettingsLayers::new();
        layers.add_assignment("ttsr.disabledRules=[a]").expect("known");
        layers.add_assignment("ttsr.repeatGap=2").expect("known");
        let resolved = layers.resolve(&Lifecycle::V1.semantics());
        assert!(resolved.settings.disabled_rules.is_empty());
        assert_eq!(resolved.settings.repeat_gap, 2.0);
        assert_eq!(resolved.diagnostics[0].code, code::SETTING_BEYOND_LIFECYCLE);
    }
}
