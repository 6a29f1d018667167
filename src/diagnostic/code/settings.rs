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
}
