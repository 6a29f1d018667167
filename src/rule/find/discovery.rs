//! Finding rules where the agent finds them (engine.md E1.1 to E1.5).

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::load::{Loaded, Reader, Searched, Sink, has_extension, walk_finding};
use crate::diagnostic::Diagnostic;
use crate::files::unreadable_ignore_lists;
use crate::generation::Semantics;
use crate::rule::lint::{missing_apply_to, skipped_file};
use crate::rule::read::{Node, Provider, Rule, Yaml};
use crate::text::JsString;

/// Where to look, and what narrows the search.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The working directory of the session.
    pub project: PathBuf,
    /// The same as the user named it, relative to the current directory; empty for that one. Reports put it in front
    /// of the files of the project.
    pub project_name: PathBuf,
    /// The user's home directory.
    pub home: PathBuf,
    /// Roots of extension packages (provider `omp-plugins`).
    pub extension_packages: Vec<PathBuf>,
    /// Roots of plugins (provider `claude-plugins`).
    pub plugin_roots: Vec<PathBuf>,
    /// The value of `COPILOT_CUSTOM_INSTRUCTIONS_DIRS`: directories parted by commas.
    pub instruction_dirs: Option<String>,
    /// The setting `enabledProviders`: opts in to foreign tools' folders in the home directory.
    pub enabled_providers: Vec<String>,
    /// The setting `disabledProviders`.
    pub disabled_providers: Vec<String>,
    /// The setting `disabledExtensions`; `rule:NAME` hides a rule before it can claim its name.
    pub disabled_extensions: Vec<String>,
}

/// A file or directory, and the path under which the agent would show it (engine.md E9.5): no path of this machine.
#[derive(Clone, Debug)]
struct Spot {
    path: PathBuf,
    shown: String,
}

/// A step of the search.
enum Step {
    /// The files of one directory with one of these extensions.
    Directory(Spot, &'static [&'static str]),
    /// One file with a fixed name and, where it says so, in force always.
    File { at: Spot, name: &'static str, always: bool },
    /// `*.instructions.md` below a directory.
    Instructions(Spot),
}

const BOTH: &[&str] = &["md", "mdc"];
const MD: &[&str] = &["md"];

impl Places {
    /// Reads every rule file, in discovery order.
    #[cfg(feature = "internals")]
    pub fn discover(&self, semantics: &Semantics) -> Loaded {
        Loaded::collect(|sink| self.search(semantics, sink))
    }

    /// As [`Places::discover`], each rule to `sink` as it is read.
    pub fn search(&self, semantics: &Semantics, sink: &mut dyn Sink) -> Searched {
        let name_of = |path: &Path| self.name_of(path);
        let mut reader = Reader::new(semantics, &self.disabled_extensions, &name_of, sink);
        for (provider, steps) in self.steps() {
            let disabled = self.disabled_providers.iter().any(|id| id == provider.id());
            if disabled || (semantics.legacy_trigger_only && !provider.is_early()) {
                continue;
            }
            for step in steps {
                self.run(step, provider, &mut reader);
            }
        }
        Searched { failures: Vec::new(), files: reader.files }
    }

    /// Whether a foreign tool's folder in the home directory is read.
    fn is_opted_in(&self, provider: Provider) -> bool {
        let covers = |id: &str| {
            matches!(id, "*" | "all") || id == provider.id() || (id == "claude" && provider == Provider::ClaudePlugins)
        };
        !provider.needs_opt_in() || self.enabled_providers.iter().any(|id| covers(id))
    }

    /// What reports call a file: from the project, as `~/…` in the home, never by an absolute path.
    pub fn name_of(&self, path: &Path) -> String {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        if let Ok(inside) = path.strip_prefix(&self.project) {
            return text(&self.project_name.join(inside));
        }
        if let Ok(inside) = path.strip_prefix(&self.home)
            && !self.home.as_os_str().is_empty()
        {
            return format!("~/{}", text(inside));
        }
        let mut above = self.project.ancestors().enumerate().skip(1);
        match above.find_map(|(steps, base)| Some((steps, path.strip_prefix(base).ok()?))) {
            Some((steps, inside)) => text(&self.project_name.join("../".repeat(steps)).join(inside)),
            None => text(path),
        }
    }

    /// `below` in `base`. Shown as the agent would show it: relative to the project inside of it, as `~/…` in the
    /// home. A directory above a project that lies in no home is `../`, any other goes by its own name alone.
    fn spot(&self, base: &Path, below: &str) -> Spot {
        let with_slash = |path: &Path| match path.to_string_lossy() {
            path if path.is_empty() => String::new(),
            path => format!("{path}/"),
        };
        let in_home = || base.strip_prefix(&self.home).ok().filter(|_| !self.home.as_os_str().is_empty());
        let shown = if let Ok(inside) = base.strip_prefix(&self.project) {
            with_slash(inside)
        } else if let Some(inside) = in_home() {
            format!("~/{}", with_slash(inside))
        } else if let Some(steps) = self.project.ancestors().position(|above| above == base) {
            "../".repeat(steps)
        } else {
            with_slash(Path::new(base.file_name().unwrap_or_default()))
        };
        Spot { path: base.join(below), shown: format!("{shown}{below}") }
    }

    fn steps(&self) -> Vec<(Provider, Vec<Step>)> {
        let rules_of = |roots: &[PathBuf]| -> Vec<Step> {
            roots.iter().map(|root| Step::Directory(self.spot(root, "rules"), BOTH)).collect()
        };
        vec![
            (Provider::Native, self.native()),
            (Provider::OmpPlugins, rules_of(&self.extension_packages)),
            (
                Provider::ClaudePlugins,
                if self.is_opted_in(Provider::ClaudePlugins) { rules_of(&self.plugin_roots) } else { Vec::new() },
            ),
            (Provider::Agents, self.agents()),
            (Provider::Cursor, self.cursor()),
            (Provider::Windsurf, self.windsurf()),
            (Provider::Cline, self.cline()),
            (Provider::Github, self.github()),
        ]
    }

    fn native(&self) -> Vec<Step> {
        let mut steps = vec![
            Step::Directory(self.spot(&self.project, ".omp/rules"), BOTH),
            Step::Directory(self.spot(&self.home, ".omp/agent/rules"), BOTH),
            Step::File { at: self.spot(&self.home, ".omp/agent/RULES.md"), name: "RULES", always: true },
        ];
        let nearest = self.up_to_repository().find(|base| base.join(".omp/RULES.md").is_file());
        let step = |base| Step::File { at: self.spot(base, ".omp/RULES.md"), name: "RULES@project", always: true };
        steps.extend(nearest.map(step));
        steps
    }

    fn agents(&self) -> Vec<Step> {
        // Home is read once, as the user's, not on the way up.
        let project = self.up_to_repository().take_while(|at| **at != *self.home);
        let bases = project.chain([self.home.as_path()]);
        let of = |base: &Path| [".agent/rules", ".agents/rules"].map(|at| Step::Directory(self.spot(base, at), BOTH));
        bases.flat_map(of).collect()
    }

    fn cursor(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        if self.is_opted_in(Provider::Cursor) {
            steps.push(Step::Directory(self.spot(&self.home, ".cursor/rules"), BOTH));
        }
        steps.push(Step::Directory(self.spot(&self.project, ".cursor/rules"), BOTH));
        steps
    }

    fn windsurf(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        if self.is_opted_in(Provider::Windsurf) {
            let at = self.spot(&self.home, ".codeium/windsurf/memories/global_rules.md");
            steps.push(Step::File { at, name: "global_rules", always: false });
        }
        steps.push(Step::Directory(self.spot(&self.project, ".windsurf/rules"), MD));
        steps
    }

    fn cline(&self) -> Vec<Step> {
        let nearest = self.project.ancestors().find(|base| base.join(".clinerules").exists());
        let step = |base| {
            let at = self.spot(base, ".clinerules");
            if at.path.is_dir() {
                Step::Directory(at, MD)
            } else {
                Step::File { at, name: "clinerules", always: false }
            }
        };
        nearest.map(step).into_iter().collect()
    }

    fn github(&self) -> Vec<Step> {
        let named = self.instruction_dirs.as_deref().unwrap_or_default();
        let dirs = named.split(',').map(str::trim).filter(|dir| !dir.is_empty());
        // An absolute entry replaces the project in the join.
        let bases = std::iter::once(self.project.clone()).chain(dirs.map(|dir| self.project.join(dir)));
        bases.map(|base| Step::Instructions(self.spot(&base, ".github/instructions"))).collect()
    }

    /// The project and its ancestors, up to the one that holds the repository.
    fn up_to_repository(&self) -> impl Iterator<Item = &Path> {
        let mut inside = true;
        self.project.ancestors().take_while(move |at| {
            let take = inside;
            inside = !at.join(".git").exists();
            take
        })
    }
}

impl Places {
    fn run(&self, step: Step, provider: Provider, reader: &mut Reader<'_>) {
        match step {
            Step::Directory(directory, extensions) => {
                for path in self.files_in(&directory.path, Some(1), reader.sink, |name| has_extension(name, extensions))
                {
                    reader.found(&path, provider, |_| directory.shown_below(&path), |_| None);
                }
            }
            Step::File { at, name, always } => {
                if !at.path.is_file() {
                    return;
                }
                let adjust = |rule: &mut Rule| {
                    rule.name = name.into();
                    rule.fields.always_apply |= always;
                    None
                };
                reader.found(&at.path, provider, |_| at.shown.clone(), adjust);
            }
            Step::Instructions(directory) => {
                for path in self.files_in(&directory.path, None, reader.sink, |name| name.ends_with(".instructions.md"))
                {
                    reader.found(&path, provider, |_| directory.shown_below(&path), as_instructions);
                }
            }
        }
    }

    /// The regular files in a directory whose name is wanted, in ascending order by bytes. Hidden and ignored files
    /// are not seen; `depth` limits how deep the search goes.
    fn files_in(
        &self,
        directory: &Path,
        depth: Option<usize>,
        sink: &mut dyn Sink,
        wanted: impl Fn(&str) -> bool,
    ) -> Vec<PathBuf> {
        if !directory.is_dir() {
            return Vec::new();
        }
        let mut files = Vec::new();
        let unreadable = unreadable_ignore_lists(directory);
        for (list, why) in &unreadable {
            let message = format!("not read, so that no ignore list counts for this search: {why}");
            let help = "put a list of patterns in its place, or remove it";
            sink.finding(skipped_file::finding(self.name_of(list), &message, help));
        }
        let walk = WalkBuilder::new(directory)
            .git_ignore(unreadable.is_empty())
            .max_depth(depth)
            .follow_links(true)
            .ignore(false)
            .git_global(false)
            .git_exclude(false)
            .require_git(false)
            .build();
        for entry in walk {
            match entry {
                Ok(entry) => {
                    let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
                    let name = entry.file_name().to_string_lossy();
                    if wanted(&name) && is_file {
                        files.push(entry.into_path());
                    } else if wanted(&name) && entry.depth() > 0 {
                        let (message, help) = ("not read as a rule: it is no regular file", "put a file in its place");
                        sink.finding(skipped_file::finding(self.name_of(entry.path()), message, help));
                    }
                }
                Err(error) => {
                    let finding = walk_finding(directory, &error, &|path| self.name_of(path));
                    finding.into_iter().for_each(|finding| sink.finding(finding));
                }
            }
        }
        // The order of bytes, not of path segments.
        files.sort_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
        self.tell_overlooked(directory, depth, &files, sink, wanted);
        files
    }

    /// Says of files that look like those wanted, and are not among the `files` that the agent sees, why they are not.
    fn tell_overlooked(
        &self,
        directory: &Path,
        depth: Option<usize>,
        files: &[PathBuf],
        sink: &mut dyn Sink,
        wanted: impl Fn(&str) -> bool,
    ) {
        let seen: HashSet<&Path> = files.iter().map(PathBuf::as_path).collect();
        let walk = WalkBuilder::new(directory)
            .standard_filters(false)
            .sort_by_file_name(std::ffi::OsStr::cmp)
            .filter_entry(|entry| entry.file_name() != ".git")
            .build();
        // What cannot be read is told by the search for the others.
        for entry in walk.filter_map(Result::ok) {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy());
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            if !is_file || !wanted(&name.to_ascii_lowercase()) || seen.contains(path) {
                continue;
            }
            let (message, help) = if depth.is_some_and(|depth| entry.depth() > depth) {
                ("not read: the agent reads the files of a folder of rules, none of the folders in it", "move it up")
            } else if !wanted(&name) {
                ("not read: the extension of a rule file is in lower case", "rename it to `.md`")
            } else if path.strip_prefix(directory).is_ok_and(is_hidden) {
                ("not read: its name, or that of its folder, begins with a dot", "rename it")
            } else {
                ("not read: a `.gitignore` names it", "take it out of there, or name it as PATH to have it checked")
            };
            sink.finding(skipped_file::finding(self.name_of(path), message, help));
        }
    }
}

impl Spot {
    /// How a file below this directory is shown.
    fn shown_below(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.path).unwrap_or(Path::new(path.file_name().unwrap_or_default()));
        format!("{}/{}", self.shown, below.to_string_lossy())
    }
}

/// Whether a name in the path begins with a dot.
fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
}

/// What the provider `github` makes of a rule (engine.md E1.5). The result is the warning about a missing `applyTo`.
fn as_instructions(rule: &mut Rule) -> Option<Diagnostic> {
    let name = rule.name.to_string_lossy();
    let name = name.strip_suffix(".instructions").unwrap_or(&name).to_owned();
    let file = rule.file.clone()?;
    let apply_to = file.frontmatter.as_ref().and_then(|frontmatter| frontmatter.get("applyTo"));
    let globs = apply_to.and_then(apply_to_globs);
    if rule.fields.description.as_ref().is_none_or(JsString::is_empty) {
        rule.fields.description = Some(format!("GitHub instructions `{name}`").into());
    }
    rule.name = name.as_str().into();
    let everywhere = |glob: &JsString| *glob == "*" || *glob == "**" || *glob == "**/*";
    match globs {
        Some(globs) if globs.iter().any(everywhere) => {
            rule.fields.always_apply = true;
            rule.fields.globs = None;
            None
        }
        Some(globs) => {
            rule.fields.globs = Some(globs);
            None
        }
        None => {
            rule.fields.globs = None;
            Some(missing_apply_to::finding(&file))
        }
    }
}

fn apply_to_globs(node: &Node) -> Option<Vec<JsString>> {
    let items: &[Node] = match &node.value {
        Yaml::List(items) => items,
        _ => std::slice::from_ref(node),
    };
    let texts = items.iter().filter_map(|item| match &item.value {
        Yaml::String(text) => Some(text.as_str()),
        _ => None,
    });
    let globs: Vec<JsString> = texts
        .flat_map(|text| text.split(','))
        .map(|glob| JsString::from(glob).trim())
        .filter(|g| !g.is_empty())
        .collect();
    (!globs.is_empty()).then_some(globs)
}
