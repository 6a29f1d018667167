//! Codes about rule files.

use super::codes;

codes! {
    INVALID_FRONTMATTER = 1 "invalid-frontmatter" Warning
        "The frontmatter is not valid YAML, so the agent repairs it line by line and values may not be what was written.";
    INVALID_CONDITION = 3 "invalid-condition" Error
        "A condition does not compile as an ECMAScript regular expression, so the agent skips it.";
}
