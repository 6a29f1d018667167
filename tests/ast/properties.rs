//! Properties over random sources and patterns: what is found is what ast-grep's plain search finds. Each run takes the
//! same seeds unless `TTSR_SEED` names another first one.

use ast_grep_core::Pattern;
use ast_grep_language::{LanguageExt, SupportLang};
use proptest::prelude::RngExt;
use proptest::test_runner::{RngAlgorithm, TestRng};
use ttsr::ast::{AstSet, Hit, Outcome, Snapshot};
use ttsr::text::JsString;

/// Sources in one run; without optimisation a twentieth.
const SOURCES: u64 = if cfg!(debug_assertions) { 200 } else { 4_000 };

/// Texts that grow in one run; without optimisation a twentieth.
const GROWTHS: u64 = if cfg!(debug_assertions) { 5 } else { 100 };

/// A language as the generator writes it: `@` stands for an expression, `~` for a name, `^` for statements.
struct Language {
    alias: &'static str,
    grammar: SupportLang,
    comment: &'static str,
    statements: &'static [&'static str],
    expressions: &'static [&'static str],
}

const LANGUAGES: [Language; 5] = [
    Language {
        alias: "ts",
        grammar: SupportLang::TypeScript,
        comment: "/* a, b */",
        statements: &[
            "@;\n",
            "@;\n",
            "const ~ = @;\n",
            "if (@) { ^ } else { ^ }\n",
            "for (const ~ of @) { ^ }\n",
            "export function ~(~: number, ~) { ^ }\n",
            "class ~ { ~ = @; ~(~) { ^ } }\n",
            "return @\n",
        ],
        expressions: &[
            "~(@)",
            "~(@, @)",
            "~(@, @, @)",
            "~(@, @,)",
            "~()",
            "~.~(@, @)",
            "~.~",
            "@ + @",
            "[@, @, @]",
            "[]",
            "{ ~: @, ~ }",
            "(~) => @",
            "await @",
            "`t ${@}`",
            "(@)",
        ],
    },
    Language {
        alias: "py",
        grammar: SupportLang::Python,
        comment: "# a, b\n",
        statements: &["@\n", "~ = @\n", "if @: @\n", "def ~(~, ~=@): return @\n", "for ~ in @:\n    @\n    @\n"],
        expressions: &[
            "~(@)",
            "~(@, @)",
            "~(@, ~=@)",
            "~.~(@)",
            "[@, @]",
            "{@: @}",
            "(@, @, @)",
            "@ + @",
            "lambda ~: @",
            "f'{~}'",
        ],
    },
    Language {
        alias: "rs",
        grammar: SupportLang::Rust,
        comment: "// a, b\n",
        statements: &[
            "@;\n",
            "let ~ = @;\n",
            "if @ { ^ }\n",
            "fn ~(~: u8) -> u8 { ^ }\n",
            "match @ { 1 => @, _ => @ }\n",
        ],
        expressions: &[
            "~(@)",
            "~(@, @)",
            "~!(@, @)",
            "~.~(@, @)",
            "[@, @]",
            "&@",
            "(@, @,)",
            "@ + @",
            "~ { ~: @ }",
            "|~| @",
        ],
    },
    Language {
        alias: "go",
        grammar: SupportLang::Go,
        comment: "/* a, b */",
        statements: &[
            "@\n",
            "~ := @\n",
            "if @ { ^ }\n",
            "func ~(~ int, ~ int) int { ^ }\n",
            "for _, ~ := range @ { ^ }\n",
        ],
        expressions: &["~(@)", "~(@, @)", "~.~(@, @)", "[]int{@, @}", "&@", "@ + @", "func() { ^ }"],
    },
    Language {
        alias: "json",
        grammar: SupportLang::Json,
        comment: "",
        statements: &["@\n"],
        expressions: &["[@, @]", "[@, @, @]", "{\"~\": @}", "{\"~\": @, \"~\": @}", "[]", "\"~\"", "null"],
    },
];

const NAMES: [&str; 4] = ["a", "b", "foo", "log"];
const LEAVES: [&str; 5] = ["1", "2", "a", "foo", "\"s\""];
const VARIABLES: [&str; 8] = ["$A", "$A", "$B", "$_", "$$$", "$$$ARGS", "$$$REST", "$$C"];

/// Writes sources, and patterns that have variables in them.
struct Writer<'r> {
    random: &'r mut TestRng,
    language: &'static Language,
    /// Of a hundred names and expressions those that are variables.
    variables: u32,
}

impl Writer<'_> {
    fn chance(&mut self, percent: u32) -> bool {
        self.random.random_range(0..100) < percent
    }

    fn pick(&mut self, items: &[&'static str]) -> &'static str {
        items[self.random.random_range(0..items.len())]
    }

    fn fill(&mut self, template: &str, depth: usize) -> String {
        let mut text = String::new();
        for character in template.chars() {
            match character {
                '@' => text.push_str(&self.expression(depth)),
                '~' if self.chance(self.variables) => text.push_str(self.pick(&VARIABLES)),
                '~' => text.push_str(self.pick(&NAMES)),
                '^' => (0..self.random.random_range(0..3)).for_each(|_| text.push_str(&self.statement(depth + 1))),
                _ => text.push(character),
            }
            if matches!(character, '(' | ',' | '{' | '[') && self.chance(6) {
                text.push_str(self.language.comment);
            }
        }
        text
    }

    fn expression(&mut self, depth: usize) -> String {
        if self.chance(self.variables) {
            return self.pick(&VARIABLES).to_owned();
        }
        if depth > 3 || self.chance(30) {
            return self.pick(&LEAVES).to_owned();
        }
        let template = self.pick(self.language.expressions);
        self.fill(template, depth + 1)
    }

    fn statement(&mut self, depth: usize) -> String {
        let template = if depth > 3 { self.language.statements[0] } else { self.pick(self.language.statements) };
        self.fill(template, depth + 1)
    }

    fn pattern(&mut self) -> String {
        self.variables = *[10, 25, 40].get(self.random.random_range(0..3)).unwrap_or(&25);
        let template =
            if self.chance(70) { self.pick(self.language.expressions) } else { self.pick(self.language.statements) };
        let pattern = self.fill(template, 1);
        self.variables = 0;
        pattern.trim().to_owned()
    }

    /// A source that the pattern may match: its variables hold expressions, at times not the same ones.
    fn instance(&mut self, pattern: &str) -> String {
        let mut text = String::new();
        let mut rest = pattern;
        while let Some(at) = rest.find('$') {
            text.push_str(&rest[..at]);
            let name = rest[at..].trim_start_matches('$');
            let dollars = rest.len() - at - name.len();
            let end =
                name.find(|character: char| !character.is_ascii_uppercase() && character != '_').unwrap_or(name.len());
            rest = &name[end..];
            let count = if dollars == 3 { self.random.random_range(0..4) } else { 1 };
            let held: Vec<String> = (0..count).map(|_| self.expression(3)).collect();
            text.push_str(&held.join(", "));
        }
        text + rest + "\n"
    }

    /// Patterns, and a source with instances of them, which may be cut off anywhere.
    fn case(&mut self) -> (Vec<String>, String) {
        let patterns: Vec<String> = (0..self.random.random_range(1..7)).map(|_| self.pattern()).collect();
        let mut source = String::new();
        for _ in 0..self.random.random_range(1..6) {
            if self.chance(50) {
                let at = self.random.random_range(0..patterns.len());
                source.push_str(&self.instance(&patterns[at]));
            } else {
                source.push_str(&self.statement(0));
            }
        }
        if self.chance(30) {
            source.truncate(self.random.random_range(0..=source.len()));
        }
        (patterns, source)
    }
}

fn writer(random: &mut TestRng) -> Writer<'_> {
    let language = &LANGUAGES[random.random_range(0..LANGUAGES.len())];
    Writer { random, language, variables: 0 }
}

fn seeded(seed: u64) -> TestRng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
}

fn seeds(count: u64) -> std::ops::Range<u64> {
    let first: u64 = std::env::var("TTSR_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    println!("seeds {first} to {}", first + count - 1);
    first..first + count
}

/// The node that ast-grep's own search finds first.
fn plain(grammar: SupportLang, pattern: &str, source: &str) -> Option<Hit> {
    let pattern = Pattern::try_new(pattern, grammar).ok()?;
    let root = grammar.ast_grep(source);
    let bytes = root.root().find(pattern)?.range();
    let units = |bytes: &str| bytes.encode_utf16().count();
    Some(Hit { pattern: 0, range: units(&source[..bytes.start])..units(&source[..bytes.end]) })
}

fn is_lone_list(pattern: &str) -> bool {
    pattern.starts_with("$$$")
        && pattern.trim_start_matches('$').chars().all(|character| character.is_ascii_uppercase())
}

#[test]
fn a_search_finds_what_ast_grep_finds() {
    let (mut matches, mut others, mut undecided) = (0, 0, 0);
    for seed in seeds(SOURCES) {
        let random = &mut seeded(seed);
        let mut writer = writer(random);
        let (mut patterns, source) = writer.case();
        let Language { alias, grammar, .. } = writer.language;
        patterns.retain(|pattern| !is_lone_list(pattern));
        let rules: Vec<Vec<JsString>> = patterns.iter().map(|pattern| vec![pattern.as_str().into()]).collect();
        let candidates = Vec::from_iter(0..rules.len());
        let units = JsString::from(source.as_str());
        let outcomes = AstSet::new(rules).run(&mut Snapshot::new(), &(*alias).into(), units.units(), 0, &candidates);
        for (pattern, outcome) in patterns.iter().zip(outcomes) {
            let wanted = plain(*grammar, pattern, &source);
            let found = match outcome {
                Outcome::Match(hit) => Some(hit),
                Outcome::NoMatch => None,
                Outcome::NoGrammar | Outcome::Undecided(_) => {
                    undecided += 1;
                    continue;
                }
            };
            assert_eq!(found, wanted, "seed {seed}: {alias}: {pattern:?} on {source:?}");
            if wanted.is_some() { matches += 1 } else { others += 1 }
        }
    }
    println!("{matches} matches, {others} others, {undecided} undecided");
    assert!(matches * 5 > others && undecided * 100 < matches, "the cases show too little");
}

/// Long texts are parsed on as they grow, and known parts of the tree are not searched again.
#[test]
fn a_text_that_grows_shows_what_ast_grep_finds() {
    let (mut matches, mut others, mut undecided) = (0, 0, 0);
    for seed in seeds(GROWTHS) {
        let random = &mut seeded(seed);
        let mut writer = writer(random);
        let Language { alias, grammar, .. } = writer.language;
        let (mut patterns, _) = writer.case();
        patterns.retain(|pattern| !is_lone_list(pattern));
        let mut source = String::new();
        while source.len() < 2_200 {
            source.push_str(&writer.statement(1));
        }
        let start = source.len();
        for _ in 0..writer.random.random_range(2..6) {
            let at = writer.random.random_range(0..patterns.len().max(1));
            source.push_str(&patterns.get(at).map(|pattern| writer.instance(pattern)).unwrap_or_default());
            source.push_str(&writer.statement(1));
        }
        let rules: Vec<Vec<JsString>> = patterns.iter().map(|pattern| vec![pattern.as_str().into()]).collect();
        let candidates = Vec::from_iter(0..rules.len());
        let (mut set, mut snapshot, mut end) = (AstSet::new(rules), Snapshot::new(), start);
        while end < source.len() {
            let before = end;
            end = (end + writer.random.random_range(1..60)).min(source.len());
            let text = &source[..end];
            let units = JsString::from(text);
            let outcomes = set.run(&mut snapshot, &(*alias).into(), units.units(), before, &candidates);
            for (pattern, outcome) in patterns.iter().zip(outcomes) {
                let found = match outcome {
                    Outcome::Match(_) => true,
                    Outcome::NoMatch => false,
                    Outcome::NoGrammar | Outcome::Undecided(_) => {
                        undecided += 1;
                        continue;
                    }
                };
                let wanted = plain(*grammar, pattern, text).is_some();
                assert_eq!(found, wanted, "seed {seed}: {alias}: {pattern:?} on {text:?}");
                if wanted { matches += 1 } else { others += 1 }
            }
        }
    }
    println!("{matches} matches, {others} others, {undecided} undecided");
    assert!(matches * 5 > others && undecided * 20 < matches, "the cases show too little");
}
