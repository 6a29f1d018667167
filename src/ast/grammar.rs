//! [`Grammar`]: the grammars of this build, those of ast-grep and further ones alike.

use std::borrow::Cow;

use ast_grep_core::language::Language;
use ast_grep_core::matcher::{Pattern, PatternBuilder, PatternError};
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::tree_sitter::TSLanguage;
use ast_grep_language::{LanguageExt, SupportLang};

use super::document::Document;

/// A grammar that is built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Grammar {
    /// One that ast-grep brings, with its treatment of metavariables.
    Builtin(SupportLang),
    /// One of a crate of its own.
    Extra(Extra),
}

impl Grammar {
    /// Whether this build has it.
    pub(super) fn is_built_in(self) -> bool {
        match self {
            Self::Builtin(language) => {
                use SupportLang as S;
                let common = matches!(
                    language,
                    S::Bash | S::Go | S::Java | S::JavaScript | S::Json | S::Python | S::Rust | S::Tsx | S::TypeScript
                );
                // Another release of the Dart grammar stands among the further ones.
                let all = cfg!(feature = "languages-all") && language != S::Dart;
                all || (cfg!(feature = "languages-common") && common)
            }
            Self::Extra(language) => language.load().is_some(),
        }
    }

    /// The language for the parser. Only for grammars that are built in.
    pub(super) fn load(self) -> Option<TSLanguage> {
        match self {
            Self::Builtin(language) => self.is_built_in().then(|| language.get_ts_language()),
            Self::Extra(language) => language.load(),
        }
    }
}

macro_rules! extras {
    ($($name:ident = $language:expr),* $(,)?) => {
        /// Languages that ast-grep does not bring.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) enum Extra {
            $($name),*
        }

        impl Extra {
            #[cfg(feature = "languages-all")]
            fn load(self) -> Option<TSLanguage> {
                Some(match self {
                    $(Self::$name => $language.into()),*
                })
            }

            #[cfg(not(feature = "languages-all"))]
            fn load(self) -> Option<TSLanguage> {
                None
            }
        }
    };
}

extras! {
    Astro = tree_sitter_astro_next::LANGUAGE,
    Clojure = tree_sitter_clojure_orchard::LANGUAGE,
    CMake = tree_sitter_cmake::LANGUAGE,
    Containerfile = tree_sitter_containerfile::LANGUAGE,
    Dart = tree_sitter_dart::language(),
    Diff = tree_sitter_diff::LANGUAGE,
    Elisp = tree_sitter_elisp::LANGUAGE,
    Erlang = tree_sitter_erlang::LANGUAGE,
    Fortran = tree_sitter_fortran::LANGUAGE,
    GraphQl = tree_sitter_graphql::LANGUAGE,
    Ini = tree_sitter_ini::LANGUAGE,
    Julia = tree_sitter_julia::LANGUAGE,
    Make = tree_sitter_make::LANGUAGE,
    ObjectiveC = tree_sitter_objc::LANGUAGE,
    OCaml = tree_sitter_ocaml::LANGUAGE_OCAML,
    Odin = tree_sitter_odin::LANGUAGE,
    PowerShell = tree_sitter_powershell::LANGUAGE,
    Properties = tree_sitter_properties::LANGUAGE,
    Protobuf = tree_sitter_proto::LANGUAGE,
    R = tree_sitter_r::LANGUAGE,
    Regex = tree_sitter_regex::LANGUAGE,
    Sql = tree_sitter_sequel::LANGUAGE,
    Starlark = tree_sitter_starlark::LANGUAGE,
    Svelte = tree_sitter_svelte_ng::LANGUAGE,
    TlaPlus = tree_sitter_tlaplus::LANGUAGE,
    Toml = tree_sitter_toml_ng::LANGUAGE,
    Verilog = tree_sitter_verilog::LANGUAGE,
    Vue = tree_sitter_vue_next::LANGUAGE,
    Xml = tree_sitter_xml::LANGUAGE_XML,
    Zig = tree_sitter_zig::LANGUAGE,
}

impl Grammar {
    /// The ast-grep language whose way with metavariables this one follows. Nothing here touches its grammar.
    fn metavariables(self) -> SupportLang {
        match self {
            Self::Builtin(language) => language,
            Self::Extra(Extra::Dart) => SupportLang::Dart,
            // Few of these grammars take `$` in a name. The agent's verdicts are those of `µ` in its place for all of
            // them, also where that makes a pattern useless (make, SQL, Zig).
            Self::Extra(_) => SupportLang::Python,
        }
    }
}

impl Grammar {
    /// What 100 steps of the parser take on code, in nanoseconds, as measured (`cargo bench --bench ast_hostile`).
    pub(super) fn report(self) -> u64 {
        // It tries to go on from an error time and again where the tree shows none in the end.
        if self == Self::Builtin(SupportLang::Elixir) { 45_000 } else { 17_000 }
    }

    /// What 100 steps of the parser take on text that is nothing but errors or nests without end, in nanoseconds, as
    /// measured. Scanners that keep a stack of tags or blocks save and load it at each token; large grammars have more
    /// to try at each error.
    pub(super) fn worst_report(self) -> u64 {
        use Extra as E;
        use SupportLang as S;
        match self {
            Self::Builtin(S::Haskell | S::Html) | Self::Extra(E::Astro | E::Svelte | E::Verilog | E::Vue | E::Xml) => {
                2_000_000
            }
            Self::Builtin(S::CSharp | S::Go | S::Ruby) | Self::Extra(E::Dart | E::OCaml) => 1_000_000,
            Self::Builtin(S::Cpp | S::Elixir | S::Kotlin | S::Php | S::Rust | S::Swift)
            | Self::Extra(E::Fortran | E::Odin | E::PowerShell) => 600_000,
            Self::Builtin(S::Css | S::Hcl | S::Nix | S::Scala) | Self::Extra(E::Julia | E::Make | E::R | E::Regex) => {
                200_000
            }
            Self::Builtin(S::Json | S::Lua | S::Markdown | S::Yaml)
            | Self::Extra(
                E::Clojure
                | E::CMake
                | E::Containerfile
                | E::Diff
                | E::Elisp
                | E::Ini
                | E::Properties
                | E::Protobuf
                | E::Toml,
            ) => 100_000,
            Self::Builtin(_) | Self::Extra(_) => 400_000,
        }
    }
}

/// What ast-grep asks of a language.
impl Language for Grammar {
    fn pre_process_pattern<'q>(&self, query: &'q str) -> Cow<'q, str> {
        self.metavariables().pre_process_pattern(query)
    }

    fn meta_var_char(&self) -> char {
        self.metavariables().meta_var_char()
    }

    fn expando_char(&self) -> char {
        self.metavariables().expando_char()
    }

    fn extract_meta_var(&self, source: &str) -> Option<MetaVariable> {
        self.metavariables().extract_meta_var(source)
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        self.load().map_or(0, |language| language.id_for_node_kind(kind, true))
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.load()?.field_id_for_name(field).map(std::num::NonZero::get)
    }

    fn build_pattern(&self, builder: &PatternBuilder) -> Result<Pattern, PatternError> {
        builder.build(|source| Document::of_pattern(source, *self))
    }
}
