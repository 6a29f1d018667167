//! Conditions for the calls of a tool that shows its arguments as JSON: each that matches a command as people see it
//! fires on the call, or there is an error whose remedy does.

use super::{Rules, call, quoted, rule};

const COMMANDS: [&str; 12] = [
    "git push",
    "git commit -m \"wip\"",
    "echo \"a\" | tee b",
    "cd x\ngit push --force",
    "printf 'a\tb'",
    "grep -E '\\d+' a.txt",
    "sed 's/\"/\\\\\"/'",
    "NAME=\"x\" make",
    "rm -rf /tmp/x",
    "cat <<EOF\n\"quoted\"\nEOF",
    "echo 漢字",
    "awk '{print $1}'",
];

/// The text as a pattern for itself.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for one in text.chars() {
        match one {
            '\n' => pattern.push_str("\\n"),
            '\t' => pattern.push_str("\\t"),
            '\\' | '^' | '$' | '.' | '|' | '?' | '*' | '+' | '(' | ')' | '[' | ']' | '{' | '}' => {
                pattern.push('\\');
                pattern.push(one);
            }
            _ => pattern.push(one),
        }
    }
    pattern
}

/// Ways to ask for a command.
fn conditions(command: &str) -> Vec<String> {
    let whole = escaped(command);
    let lines = command.lines().map(escaped);
    let words = command.split(' ').map(escaped);
    let mut all = vec![whole.clone(), format!("^{whole}"), format!("(?i)^{whole}"), format!("^\\s*{whole}")];
    all.push(format!("^(?:{whole}|zzz)"));
    all.extend(lines.map(|line| format!("(?m)^{line}")));
    all.extend(words.clone());
    all.extend(words.clone().zip(words.skip(1)).map(|(one, other)| format!("{one}\\s+{other}")));
    all
}

fn bash(condition: &str) -> Rules {
    rule(&format!("condition: {}\nscope: tool:bash", quoted(condition)))
}

#[test]
fn what_matches_a_command_fires_on_its_call_or_is_told_how_to() {
    let (mut fired, mut mended) = (0, 0);
    for command in COMMANDS {
        let call = call("bash", &[&serde_json::json!({"command": command}).to_string()]);
        for condition in conditions(command) {
            let rules = bash(&condition);
            let errors: Vec<_> =
                rules.check().findings().into_iter().filter(|found| found.severity == "error").collect();
            if rules.fires(&call).is_some() {
                assert!(errors.is_empty(), "{condition}: {errors:#?}");
                fired += 1;
                continue;
            }
            // A quote at the edge may be one of the JSON: another call holds that.
            if errors.is_empty() && (condition.starts_with(['"', '\\']) || condition.ends_with('"')) {
                continue;
            }
            let [error] = errors.as_slice() else { panic!("{condition} for {command:?}: {errors:#?}") };
            assert_eq!(error.name, "unseen-text", "{condition}");
            let written = error.help.trim_start_matches("write '").trim_start_matches("write `").trim_end_matches('`');
            let again = rule(&format!("condition: {written}\nscope: tool:bash"));
            let left = again.check().findings();
            assert!(left.iter().all(|found| found.severity != "error"), "{condition}: {written}: {left:#?}");
            assert!(again.fires(&call).is_some(), "{condition}: {written} for {command:?}");
            mended += 1;
        }
    }
    assert!(fired > 30 && mended > 30, "{fired}, {mended}");
}
