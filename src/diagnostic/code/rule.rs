//! Codes about rule files.

use super::codes;

codes! {
    INVALID_FRONTMATTER = 1 "invalid-frontmatter" Warning
        "The frontmatter is not valid YAML, so the agent repairs it line by line and values may not be what was written.";
    INVALID_CONDITION = 3 "invalid-condition" Error
        "A condition does not compile as an ECMAScript regular expression, so the agent skips it.";
    INVALID_SCOPE_TOKEN = 6 "invalid-scope-token" Warning
        "A token of the scope is neither `text`, `thinking`, `tool` nor a tool with an optional path, so the agent skips it.";
    UNREACHABLE_SCOPE = 7 "unreachable-scope" Error
        "No token of the scope is valid, so no stream can reach the rule and the agent does not register it.";
    SHADOWED_RULE = 9 "shadowed-rule" Note
        "Another file of the same rule name comes first in discovery order, so this one is never used.";
    EMPTY_CONTENT = 12 "empty-content" Error
        "The rule has no body. The agent drops it, after it has already hidden every later rule of the same name.";
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
        "A rule file or folder cannot be read, so the agent goes on without it.";
    SKIPPED_FILE = 27 "skipped-file" Note
        "An entry looks like a rule file but is none: a folder, a special file, or an extension in upper case.";
    MISSING_APPLY_TO = 28 "missing-apply-to" Warning
        "An instructions file does not say with `applyTo` which files it is for, so the agent gives it no globs.";
    NOTHING_REGISTERED_IN_V1 = 29 "nothing-registered-in-v1" Warning
        "The lifecycle v1 knows only a `ttsr_trigger` string, so none of these rules is registered, though a later lifecycle would register some.";
    CONDITION_BEYOND_LIMITS = 30 "condition-beyond-limits" Error
        "A condition is valid but larger than this program evaluates, so it cannot tell when the rule triggers.";
}
