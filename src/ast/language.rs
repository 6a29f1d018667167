//! From paths to language aliases to grammars (engine.md E5.7).

#[cfg(feature = "grammars")]
use ast_grep_language::SupportLang;

#[cfg(feature = "grammars")]
use super::grammar::{Extra, Grammar};
use crate::text::JsString;

/// What is known about a language alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(any(feature = "grammars", feature = "internals")),
    expect(dead_code, reason = "a build without grammars decides nothing")
)]
pub enum Support {
    /// The agent accepts it and this build has the grammar.
    Grammar,
    /// The agent accepts it, this build lacks the grammar.
    NoGrammar,
    /// The agent refuses it: an AST condition never fires for it.
    Refused,
}

/// The alias of the first path with an extension, lower-cased, be it known or not (engine.md E5.7).
pub fn language_of(paths: &[JsString]) -> Option<JsString> {
    paths.iter().find_map(extension)
}

/// The text after the last dot of the last segment, which is neither its first unit nor its last.
fn extension(path: &JsString) -> Option<JsString> {
    let is_separator = |unit: &u16| *unit == u16::from(b'/') || *unit == u16::from(b'\\');
    let segment = path.units().rsplit(is_separator).next()?;
    let dot = segment.iter().rposition(|&unit| unit == u16::from(b'.'))?;
    let extension = &segment[dot + 1..];
    if dot == 0 || extension.is_empty() {
        return None;
    }
    let lower = String::from_utf16(extension).map(|text| JsString::from(text.to_lowercase()));
    Some(lower.unwrap_or_else(|_| JsString::from_units(extension)))
}

/// What is known about an alias; letter case and white space around it do not count.
pub fn support(alias: &JsString) -> Support {
    match resolve(alias) {
        #[cfg(feature = "grammars")]
        Resolved::Grammar(_) => Support::Grammar,
        Resolved::Lacking => Support::NoGrammar,
        Resolved::Refused => Support::Refused,
    }
}

/// The aliases that the agent accepts but for which this build has no grammar, in alphabetical order.
#[cfg(feature = "internals")]
pub fn aliases_without_grammar() -> Vec<&'static str> {
    let lacking = |language: Language| matches!(language.resolved(), Resolved::Lacking);
    let mut aliases: Vec<&str> = LANGUAGES
        .iter()
        .filter(|(language, _)| lacking(*language))
        .flat_map(|(_, aliases)| *aliases)
        .copied()
        .collect();
    aliases.sort_unstable();
    aliases
}

/// One alias for each grammar of this build.
#[cfg(feature = "internals")]
pub fn grammar_aliases() -> Vec<&'static str> {
    let built_in = |language: Language| !matches!(language.resolved(), Resolved::Lacking);
    LANGUAGES
        .iter()
        .filter(|(language, _)| built_in(*language))
        .filter_map(|(_, aliases)| aliases.first())
        .copied()
        .collect()
}

/// What an alias comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Resolved {
    #[cfg(feature = "grammars")]
    Grammar(Grammar),
    Lacking,
    Refused,
}

pub(super) fn resolve(alias: &JsString) -> Resolved {
    let Some(alias) = alias.trim().to_utf8().map(|alias| alias.to_lowercase()) else {
        return Resolved::Refused;
    };
    let known = LANGUAGES.iter().find(|(_, aliases)| aliases.contains(&alias.as_str()));
    known.map_or(Resolved::Refused, |(language, _)| language.resolved())
}

#[derive(Clone, Copy)]
enum Language {
    #[cfg(feature = "grammars")]
    Builtin(SupportLang),
    #[cfg(feature = "grammars")]
    Extra(Extra),
    /// No maintained grammar crate builds beside the others.
    Nowhere,
}

impl Language {
    #[cfg(feature = "grammars")]
    fn resolved(self) -> Resolved {
        let grammar = match self {
            Self::Builtin(language) => Some(Grammar::Builtin(language)),
            Self::Extra(language) => Some(Grammar::Extra(language)),
            Self::Nowhere => None,
        };
        // A grammar that is switched off must not be touched: it panics.
        grammar.filter(|grammar| grammar.is_built_in()).map_or(Resolved::Lacking, Resolved::Grammar)
    }

    #[cfg(not(feature = "grammars"))]
    fn resolved(self) -> Resolved {
        match self {
            Self::Nowhere => Resolved::Lacking,
        }
    }
}

/// Makes the table of what the agent accepts. A build without grammars keeps its aliases and forgets what they stand for.
macro_rules! languages {
    ($(($language:expr, $aliases:expr)),* $(,)?) => {
        /// The aliases that the agent accepts, by the grammar they stand for.
        #[cfg(feature = "grammars")]
        static LANGUAGES: &[(Language, &[&str])] = &[$(($language, $aliases)),*];
        /// The aliases that the agent accepts.
        #[cfg(not(feature = "grammars"))]
        static LANGUAGES: &[(Language, &[&str])] = &[$((Language::Nowhere, $aliases)),*];
    };
}

#[cfg(feature = "grammars")]
use Language::{Builtin, Nowhere};
#[cfg(feature = "grammars")]
use SupportLang as S;

languages! {
    (Builtin(S::Bash), &["bash", "bats", "ksh", "sh", "zsh"]),
    (Builtin(S::C), &["c", "h"]),
    (Builtin(S::CSharp), &["c#", "cs", "csharp"]),
    (Builtin(S::Cpp), &["c++", "cc", "cpp", "cu", "cuh", "cxx", "hh", "hpp", "ino"]),
    (Builtin(S::Css), &["css"]),
    (Builtin(S::Elixir), &["elixir", "ex", "exs"]),
    (Builtin(S::Go), &["go", "golang"]),
    (Builtin(S::Haskell), &["haskell", "hs"]),
    (Builtin(S::Hcl), &["hcl", "terraform", "tf", "tfvars"]),
    (Builtin(S::Html), &["htm", "html", "xhtml"]),
    (Builtin(S::Java), &["java"]),
    (Builtin(S::JavaScript), &["cjs", "javascript", "js", "jsx", "mjs"]),
    (Builtin(S::Json), &["json"]),
    (Builtin(S::Kotlin), &["kotlin", "kt", "ktm", "kts"]),
    (Builtin(S::Lua), &["lua"]),
    (Builtin(S::Markdown), &["markdown", "md", "mdx"]),
    (Builtin(S::Nix), &["nix"]),
    (Builtin(S::Php), &["php"]),
    (Builtin(S::Python), &["py", "py3", "pyi", "python"]),
    (Builtin(S::Ruby), &["gemspec", "rb", "rbw", "ruby"]),
    (Builtin(S::Rust), &["rs", "rust"]),
    (Builtin(S::Scala), &["sbt", "sc", "scala"]),
    (Builtin(S::Solidity), &["sol", "solidity"]),
    (Builtin(S::Swift), &["swift"]),
    (Builtin(S::Tsx), &["tsx"]),
    (Builtin(S::TypeScript), &["cts", "mts", "ts", "typescript"]),
    (Builtin(S::Yaml), &["yaml", "yml"]),
    (Language::Extra(Extra::Astro), &["astro"]),
    (Language::Extra(Extra::Clojure), &["clj", "cljc", "cljs", "clojure", "clojurescript", "edn"]),
    (Language::Extra(Extra::CMake), &["cmake"]),
    (Language::Extra(Extra::Containerfile), &["containerfile", "docker", "dockerfile"]),
    (Language::Extra(Extra::Dart), &["dart"]),
    (Language::Extra(Extra::Diff), &["diff", "patch"]),
    (Language::Extra(Extra::Elisp), &["el", "elisp", "emacs-lisp", "emacslisp"]),
    (Language::Extra(Extra::Erlang), &["erl", "erlang", "hrl"]),
    (Language::Extra(Extra::Fortran), &["f03", "f08", "f90", "f95", "fortran"]),
    (Language::Extra(Extra::GraphQl), &["gql", "graphql"]),
    (Language::Extra(Extra::Ini), &["cfg", "conf", "config", "ini"]),
    (Language::Extra(Extra::Julia), &["jl", "julia"]),
    (Language::Extra(Extra::Make), &["gnumake", "mak", "make", "makefile", "mk"]),
    (Language::Extra(Extra::ObjectiveC), &["m", "mm", "obj-c", "objc", "objective-c"]),
    (Language::Extra(Extra::OCaml), &["ml", "ocaml"]),
    (Language::Extra(Extra::Odin), &["odin"]),
    (Language::Extra(Extra::PowerShell), &["powershell", "ps1", "psm1"]),
    (Language::Extra(Extra::Properties), &["properties"]),
    (Language::Extra(Extra::Protobuf), &["proto", "protobuf"]),
    (Language::Extra(Extra::R), &["r"]),
    (Language::Extra(Extra::Regex), &["re", "regex"]),
    (Language::Extra(Extra::Sql), &["sql"]),
    (Language::Extra(Extra::Starlark), &["bazel", "bzl", "skylark", "star", "starlark"]),
    (Language::Extra(Extra::Svelte), &["svelte"]),
    (Language::Extra(Extra::TlaPlus), &["pcal", "pluscal", "tla", "tla+", "tlaplus"]),
    (Language::Extra(Extra::Toml), &["toml"]),
    (Language::Extra(Extra::Verilog), &["sv", "svh", "systemverilog", "v", "verilog", "vh"]),
    (Language::Extra(Extra::Vue), &["vue"]),
    (Language::Extra(Extra::Xml), &["plist", "svg", "xml", "xsl", "xslt"]),
    (Language::Extra(Extra::Zig), &["zig"]),
    (Nowhere, &["just", "justfile"]),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(paths: &[&str]) -> Option<String> {
        let paths: Vec<JsString> = paths.iter().map(|&path| path.into()).collect();
        language_of(&paths).map(|alias| alias.to_string_lossy())
    }

    #[test]
    fn the_first_extension_decides() {
        assert_eq!(of(&["a.txt", "b.ts"]).as_deref(), Some("txt"));
        assert_eq!(of(&["a", "b.ts"]).as_deref(), Some("ts"));
        assert_eq!(of(&["a.TS"]).as_deref(), Some("ts"));
        assert_eq!(of(&["a.d.ts"]).as_deref(), Some("ts"));
        assert_eq!(of(&["x.tar.gz"]).as_deref(), Some("gz"));
        for path in ["Makefile", ".gitignore", "a.", "dir.ts/file", ""] {
            assert_eq!(of(&[path]), None, "{path}");
        }
    }

    #[test]
    fn no_alias_stands_twice() {
        let mut aliases: Vec<&str> = LANGUAGES.iter().flat_map(|(_, aliases)| *aliases).copied().collect();
        aliases.sort_unstable();
        assert_eq!(aliases.len(), 158);
        assert!(aliases.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn case_and_blanks_do_not_count() {
        for alias in ["hxx", "d.ts", ".ts", "", "scss", "t s"] {
            assert_eq!(support(&alias.into()), Support::Refused, "{alias}");
        }
        assert_eq!(support(&"  TypeScript ".into()), support(&"ts".into()));
        assert_ne!(support(&"ts".into()), Support::Refused);
        assert_eq!(support(&"just".into()), Support::NoGrammar);
    }
}
