//! Codes about rule files.

use super::codes;

codes! {
    INVALID_FRONTMATTER = 1 "invalid-frontmatter" Warning
        "The frontmatter is not valid YAML, so the agent repairs it line by line and values may not be what was written.";
    MISSING_TRIGGER = 2 "missing-trigger" Error
        "The key for conditions is there, but its value is none: blank, an empty list, a number, a mapping. The agent says nothing and the rule never triggers.";
    INVALID_CONDITION = 3 "invalid-condition" Error
        "A condition does not compile as an ECMAScript regular expression, so the agent skips it, and only it, without telling the author.";
    NO_VALID_CONDITION = 4 "no-valid-condition" Error
        "Each of several conditions fails to compile, so the agent does not register the rule.";
    INVALID_AST_CONDITION = 5 "invalid-ast-condition" Warning
        "An AST pattern does not parse in the language of the paths it is for, so the agent ignores it.";
    INVALID_SCOPE_TOKEN = 6 "invalid-scope-token" Warning
        "A token of the scope is neither `text`, `thinking`, `tool` nor a tool with an optional path, so the agent skips it.";
    UNREACHABLE_SCOPE = 7 "unreachable-scope" Error
        "No token of the scope is valid, so no stream can reach the rule and the agent does not register it.";
    INVALID_GLOB = 8 "invalid-glob" Warning
        "A bracket of a glob has no partner, or a backslash stands before a letter. The agent takes the one literally and lets the other match nothing, without a word.";
    SHADOWED_RULE = 9 "shadowed-rule" Note
        "Another file of the same rule name comes first in discovery order, so this one is never used.";
    UNKNOWN_KEY = 10 "unknown-key" Warning
        "A key is close to a known one but not the same. The agent ignores keys that it does not know, without a word.";
    INVALID_INTERRUPT_MODE = 11 "invalid-interrupt-mode" Error
        "The value of `interruptMode` must be exactly `never`, `prose-only`, `tool-only` or `always`; any other is ignored and the global mode applies.";
    EMPTY_CONTENT = 12 "empty-content" Error
        "The rule has no body. The agent drops it, after it has already hidden every later rule of the same name.";
    GLOB_AS_CONDITION = 13 "glob-as-condition" Error
        "A condition with `/` and a wildcard, and without any character that only a regular expression has, is taken for a file glob; only a warning where files were most likely meant.";
    MATCHES_EMPTY = 14 "matches-empty" Warning
        "The condition matches the empty text, so the rule triggers on the first piece of any output.";
    AST_NEVER_RUNS = 15 "ast-never-runs" Error
        "Nothing that the rule lets in is ever parsed, so its AST condition is dead.";
    GLOBS_EXCLUDE_PROSE = 16 "globs-exclude-prose" Error
        "Prose and thinking have no paths, so a rule with `globs` never fires on them.";
    SUPERLINEAR_PATTERN = 17 "superlinear-pattern" Warning
        "The agent tests a condition by backtracking over all of the text so far, at each piece of the stream. By count, this one takes very many steps on ordinary text, or on a short text that it can read in many ways, which the message gives. Such a text blocks the agent; after about half a second it gives up and takes the condition for unmatched.";
    UNTRANSLATED_INLINE_FLAG = 18 "untranslated-inline-flag" Error
        "Only one group of the flags `i`, `m` and `s` at the very start of a condition is understood. With any other flag group the condition does not compile, so the agent skips it.";
    LEGACY_KEY = 19 "legacy-key" Note
        "The key is the old name of `condition`. The agent still reads it.";
    CHUNK_DEPENDENT_PATTERN = 20 "chunk-dependent-pattern" Note
        "The condition asks what follows its match: a note for `$` and `\\b`, a warning for a negative look-ahead. A stream arrives in pieces, so the rule may fire at the end of a piece though the next piece undoes the match.";
    UNCLOSED_FENCE = 21 "unclosed-fence" Error
        "The file begins with a fence that is never closed, so the agent finds no frontmatter and takes all of the file for the body.";
    FRONTMATTER_BEYOND_LIMITS = 22 "frontmatter-beyond-limits" Error
        "The frontmatter is larger, deeper or more repetitive than this program reads, so it cannot tell what the agent makes of the rule.";
    BYTE_ORDER_MARK = 23 "byte-order-mark" Note
        "The file begins with a byte order mark. The agent drops it, other tools choke on it.";
    UTF16_FILE = 24 "utf16-file" Warning
        "The file is encoded as UTF-16. The agent reads it because of its mark; hardly any other tool does.";
    MALFORMED_TEXT = 25 "malformed-text" Warning
        "The file holds bytes that are not UTF-8. The agent reads U+FFFD in their place, so patterns there match something else.";
    UNREADABLE_RULE_FILE = 26 "unreadable-rule-file" Error
        "A rule file or folder cannot be read, such as a link that leads nowhere, so the agent goes on without it.";
    SKIPPED_FILE = 27 "skipped-file" Note
        "An entry looks like a rule file but is none: a folder, a special file, or an extension in upper case.";
    MISSING_APPLY_TO = 28 "missing-apply-to" Warning
        "An instructions file does not say with `applyTo` which files it is for, so the agent gives it no globs.";
    NOTHING_REGISTERED_IN_V1 = 29 "nothing-registered-in-v1" Warning
        "The lifecycle v1 knows only a `ttsr_trigger` string, so none of these rules is registered, though a later lifecycle would register some.";
    CONDITION_BEYOND_LIMITS = 30 "condition-beyond-limits" Error
        "A condition is valid but larger than this program evaluates, so it cannot tell when the rule triggers.";
    SETTING_AS_KEY = 31 "setting-as-key" Warning
        "The key is a setting of the agent, which holds for all rules. In a rule file nothing reads it.";
    MASKED_LEGACY_KEY = 32 "masked-legacy-key" Warning
        "Two keys for conditions stand side by side; only the first of `condition`, `ttsr_trigger`, `ttsrTrigger` that has a value counts.";
    COMMA_IN_GLOB = 33 "comma-in-glob" Error
        "The agent does not split globs at commas, so a glob with a comma outside braces is one path with a comma in its name.";
    NEGATED_GLOB = 34 "negated-glob" Warning
        "A glob is tried on each form of a path and on its base name, and one match suffices. A negated glob therefore matches almost always.";
    MISPLACED_FENCE = 35 "misplaced-fence" Error
        "The frontmatter must begin with the first character of the file. Behind a blank line or other text it is body.";
    WRONG_TYPE = 36 "wrong-type" Warning
        "A value has a type that the agent ignores without a word.";
    CONTROL_CHARACTER = 37 "control-character" Error
        "YAML reads `\\b` in double quotes as a backspace. The pattern then demands a character that no text has.";
    QUOTED_CONDITION = 38 "quoted-condition" Error
        "The frontmatter is not valid YAML, often because of a backslash in double quotes. The agent then keeps the raw text, quotes included.";
    REGEX_LITERAL = 39 "regex-literal" Warning
        "A condition is the pattern alone, not a JavaScript literal: slashes and flags are taken literally.";
    FOREIGN_SYNTAX = 40 "foreign-syntax" Error
        "The pattern uses syntax of another kind of regular expression, which ECMAScript reads as plain letters.";
    CATCH_ALL = 41 "catch-all" Warning
        "A file glob as the only condition adds `.*`, which matches every piece of prose when prose is in the scope.";
    UNKNOWN_SCOPE_TOOL = 42 "unknown-scope-tool" Warning
        "Any word in a scope that is no stream is taken for the name of a tool. If there is no such tool, the rule is registered and never fires.";
    LITERAL_DOT_GLOB = 43 "literal-dot-glob" Warning
        "A leading `./` in a glob is literal, and paths are rarely written so.";
    RELATIVE_GLOB = 44 "relative-glob" Note
        "A glob with a folder in front matches a path as it is called and relative to the working directory. It does not match an absolute path elsewhere.";
    START_ANCHOR = 45 "start-anchor" Note
        "`^` without the flag `m` matches at the very start of what was streamed so far, not at the start of each line.";
    ANY_CONDITION = 46 "any-condition" Note
        "One matching condition of a list is enough. A condition that names a place, files or an exception does not narrow the others; it triggers the rule alone.";
    NORMALISATION_FORM = 47 "normalisation-form" Note
        "Unicode has two forms of some letters: one character, or a base letter and a mark. The agent compares code units, so a pattern in one form does not match text in the other.";
    SEVERAL_DOCUMENTS = 48 "several-documents" Warning
        "The frontmatter holds more than one YAML document. The agent then reads no key at all, without a word.";
    INVALID_EXAMPLE = 50 "invalid-example" Error
        "An entry of `examples` is no sample: a string, or a mapping of `text` with `source`, `tool`, `path` and `verdict`. It is never run.";
    EXAMPLE_DID_NOT_FIRE = 51 "example-did-not-fire" Error
        "A sample stands under `fires` and the rule does not fire on it.";
    EXAMPLE_FIRED = 52 "example-fired" Error
        "A sample stands under `silent` and the rule fires on it.";
    PREMATURE_EXAMPLE = 53 "premature-example" Error
        "The rule fires on the beginning of a sample but not on all of it. The agent decides while text streams, so whether it fires depends on where a piece happens to end.";
    UNDECIDED_EXAMPLE = 54 "undecided-example" Error
        "This program cannot tell whether the rule fires on a sample, so the sample says nothing about the rule.";
    UNTESTED_CONDITION = 55 "untested-condition" Note
        "The rule has samples, and none under `fires` makes this condition match. It may be wrong or never needed. A warning with --examples-required.";
    MISSING_EXAMPLES = 56 "missing-examples" Error
        "A registered rule has no sample under `fires`, and --examples-required asks for one.";
    EXAMPLE_NOT_RUN = 57 "example-not-run" Warning
        "The rule is not registered under these settings, for this agent or in this lifecycle, so its samples cannot be run.";
    INVALID_QUESTION = 70 "invalid-question" Error
        "The value of `question` is blank or no text, so the agent ignores it. No judge is asked; conditions beside it are matched against the stream.";
    INEFFECTIVE_INTERRUPT_MODE = 71 "ineffective-interrupt-mode" Warning
        "A rule with a `question` is judged when an output is complete, and gives a warning then. There is nothing left to interrupt, so `interruptMode` has no effect.";
    LOST_GATE = 72 "lost-gate" Warning
        "Beside a `question`, conditions choose the outputs that a judge is asked about. None of these can be used, so the judge is asked about each output, which costs a request.";
    QUESTION_BEFORE_V4 = 73 "question-before-v4" Warning
        "Only the lifecycle v4 knows the key `question`. An earlier agent takes the conditions beside it for those of a stream rule, and interrupts; without conditions it has nothing that triggers the rule.";
    STICKY_LOOK_AHEAD = 74 "sticky-look-ahead" Note
        "From v4 on, a condition of nothing but look-aheads that begin with `[\\s\\S]*` is tried at the start of the buffer only. An alternative beside that beginning is then found nowhere else, though earlier agents find it.";
}
