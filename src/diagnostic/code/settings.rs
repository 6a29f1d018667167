//! Codes about settings and circumstances.

use super::kind::codes;

codes! {
    IGNORED_SETTING = 501 "ignored-setting" Warning
        "A setting has a value that the agent ignores or reads otherwise than written; it does not check types.";
    UNKNOWN_SETTING = 502 "unknown-setting" Warning
        "The `ttsr` group has no such key, so the agent ignores it.";
    DOTTED_SETTING = 503 "dotted-setting" Warning
        "A key is written with a dot at the top level. The agent reads nested keys only, so it ignores this one.";
    INVALID_SETTINGS_FILE = 504 "invalid-settings-file" Warning
        "A settings file is not valid, so the agent goes on without it.";
    SETTING_BEYOND_LIFECYCLE = 505 "setting-beyond-lifecycle" Note
        "The lifecycle in force does not know this setting yet, so it has no effect.";
    NO_GAP = 506 "no-gap" Warning
        "The repeat mode `after-gap` is set with a gap of no turns, so a rule fires again at once: on each piece of the stream that matches.";
    UNREADABLE_INPUT = 510 "unreadable-input" Error
        "An input is missing or cannot be read, so nothing is known of it. The others are still done.";
    EMPTY_INPUT = 511 "empty-input" Error
        "An input holds nothing. A recording begins with a session header or a `ready` line.";
    UNKNOWN_INPUT = 512 "unknown-input" Error
        "An input is neither a session file nor an event stream, so nothing can be replayed from it.";
    REFUSED_SESSION = 513 "refused-session" Error
        "A session file is such that no agent opens it, so nothing can be read from it.";
    NO_INPUT = 514 "no-input" Error
        "A directory was named as an input and has no file below it that could be one.";
}
