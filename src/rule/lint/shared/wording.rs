//! How advice writes values, and which word was most likely meant.

/// A YAML value in single quotes.
pub(in super::super) fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A YAML list on one line.
pub(in super::super) fn flow_list(parts: &[String]) -> String {
    let list: Vec<String> = parts.iter().map(|part| in_quotes(part)).collect();
    format!("[{}]", list.join(", "))
}

/// A condition without a leading group of flags that counts for all of it, and the flags.
pub(in super::super) fn split_flags(condition: &str) -> (&str, &str) {
    let inner = condition.strip_prefix("(?").and_then(|rest| rest.split_once(')'));
    match inner {
        Some((flags, rest)) if !flags.is_empty() && flags.chars().all(|flag| "ims".contains(flag)) => (flags, rest),
        _ => ("", condition),
    }
}

/// The word of the list that is nearest to `word`, if it is near enough for a slip.
pub(in super::super) fn nearest<'w>(word: &str, known: &[&'w str]) -> Option<&'w str> {
    const LONGEST: usize = 40;
    if word.len() > LONGEST {
        return None;
    }
    let near = |known: &&&str| strsim::osa_distance(word, known);
    let best = known.iter().min_by_key(near)?;
    (near(&best) <= 1 + best.len() / 5).then_some(*best)
}
