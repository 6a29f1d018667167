//! What rules do over many inputs, for people and as CSV (cli.md section 2, the report).

use std::cmp::Reverse;
use std::fmt::Write as _;

use comfy_table::Cell;

use super::replay_human::csv_field;
use super::{Style, count, escape};
use crate::corpus::{Corpus, RuleTotals, Sample, percentage};
use crate::replay::trace::{Counting, Outcome, Uninjected};
use crate::text::JsString;

/// How many names of silent rules and conditions are shown.
const NAMED: usize = 20;

/// How many rules are shown with places.
const SHOWN_RULES: usize = 20;

/// How many pairs of rules are shown.
const PAIRS: usize = 5;

/// The rules, the noisiest first, then by name.
pub fn ranked(corpus: &Corpus) -> Vec<(&JsString, &RuleTotals)> {
    let mut rules: Vec<_> = corpus.rules.iter().collect();
    rules.sort_by_key(|(name, rule)| (Reverse(rule.triggers), *name));
    rules
}

/// What was counted: `every`, `agent` or `mixed`. A run that stands for itself does what the agent does.
pub fn counted(corpus: &Corpus) -> Option<&'static str> {
    let mut words = corpus.counted.iter().map(|count| count.unwrap_or(Counting::Agent).as_str());
    let first = words.next()?;
    Some(if words.all(|word| word == first) { first } else { "mixed" })
}

/// The conditions of rules that trigger which never match first, with their kind.
pub fn silent_conditions(corpus: &Corpus) -> impl Iterator<Item = (&JsString, (&'static str, &JsString))> {
    corpus.registered().filter(|(_, rule)| rule.triggers > 0).flat_map(|(name, rule)| {
        let silent = rule.matches.iter().filter(|(_, triggers)| **triggers == 0);
        silent.map(move |((kind, text), _)| (name, (*kind, text)))
    })
}

/// A number to two decimals.
pub fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

/// The report for people.
pub fn render(corpus: &Corpus, style: Style) -> String {
    let mut out = head(corpus, style);
    rules(&mut out, corpus, style);
    samples(&mut out, corpus, style);
    injections(&mut out, corpus, style);
    silent(&mut out, corpus, style);
    together(&mut out, corpus, style);
    refused(&mut out, corpus, style);
    out
}

fn head(corpus: &Corpus, style: Style) -> String {
    let listed =
        |counts: Vec<String>| if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
    let kinds = corpus.kinds.iter().map(|(kind, number)| match *kind {
        "events" => count(*number, "event stream"),
        "foreign" => format!("{} of other agents", count(*number, "transcript")),
        kind => count(*number, kind),
    });
    let generations: Vec<String> = match corpus.lifecycles.len() {
        1 => corpus.lifecycles.keys().map(|name| format!("lifecycle {name}")).collect(),
        _ => corpus.lifecycles.iter().map(|(name, number)| format!("{number} by {name}")).collect(),
    };
    let mut out = style.heading(&format!("{}{}", count(corpus.inputs, "input"), listed(kinds.collect())));
    for part in generations {
        let _ = write!(out, ", {part}");
    }
    let _ = write!(out, "; {}", count(corpus.messages, "assistant message"));
    if let Some((first, last)) = &corpus.times {
        let day = |time: &JsString| escape(&time.to_string_lossy().chars().take(10).collect::<String>());
        let (first, last) = (day(first), day(last));
        let _ = write!(out, "{}", if first == last { format!(", {first}") } else { format!(", {first} to {last}") });
    }
    if !corpus.refused.is_empty() {
        let _ = write!(out, "; {}", style.bad(&format!("{} refused", corpus.refused.len())));
    }
    out.push('\n');
    let chunks: Vec<&str> = corpus.chunks.keys().map(String::as_str).collect();
    let cut =
        if chunks.is_empty() { String::new() } else { format!("Sessions are cut by {}.", escape(&chunks.join(", "))) };
    let what = match counted(corpus) {
        Some("every") => {
            "Counted: what matches in each message, however often. (--count agent: what the agent would have done)"
        }
        Some("agent") => "Counted: what the agent would have done. (--count every: what matches in each message)",
        Some(_) => "The traces were counted in different ways: make them anew with one --count.",
        None => "",
    };
    for line in [what, cut.as_str()].into_iter().filter(|line| !line.is_empty()) {
        let _ = writeln!(out, "{}", style.faint(line));
    }
    out
}

fn rules(out: &mut String, corpus: &Corpus, style: Style) {
    let triggering: Vec<_> =
        ranked(corpus).into_iter().filter(|(_, rule)| rule.triggers + rule.undecided > 0).collect();
    if corpus.inputs == 0 {
        out.push_str("\nNo input was played.\n");
        return;
    }
    if triggering.is_empty() {
        let _ = writeln!(
            out,
            "\nNo rule matches.{}",
            if corpus.rules.is_empty() { " There are no rules: name some with --rules." } else { "" }
        );
        return;
    }
    let heads = [
        "Rule",
        "Inputs",
        "Messages",
        "Per 1,000",
        "Interrupts",
        "Deferred",
        "Folded",
        "Warned",
        "Premature",
        "Undecided",
    ];
    let mut table = style.table(&heads);
    for (name, rule) in triggering {
        let decided = |word: &str| number(rule.decisions.get(word).copied().unwrap_or_default());
        let premature = match rule.premature {
            0 => Cell::new("·"),
            some => Style::notable_cell(format!("{some} ({:.0} %)", percentage(some, rule.triggers))),
        };
        let undecided = if rule.undecided == 0 { Cell::new("·") } else { Style::notable_cell(rule.undecided) };
        let cells = [
            Cell::new(shown(name)),
            Cell::new(number(rule.inputs)),
            Cell::new(number(rule.messages)),
            Cell::new(format!("{:.1}", corpus.rate(rule))),
        ];
        let decisions = ["interrupt", "defer", "fold", "warn"].map(|word| Cell::new(decided(word)));
        table.add_row(cells.into_iter().chain(decisions).chain([premature, undecided]));
    }
    let _ = writeln!(out, "\n{}\n{}", style.heading("Rules that match"), table.trim_fmt());
}

fn samples(out: &mut String, corpus: &Corpus, style: Style) {
    let matching: Vec<_> = ranked(corpus).into_iter().filter(|(_, rule)| !rule.samples.is_empty()).collect();
    if matching.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{}", style.heading("Where, at first"));
    for (name, rule) in matching.iter().take(SHOWN_RULES) {
        let _ = writeln!(out, "{}", shown(name));
        for sample in rule.samples.values() {
            let note = if sample.premature { "  (premature)" } else { "" };
            let _ = writeln!(out, "  {}  {}  {}{note}", place(sample), source(sample), excerpt(sample, style));
        }
    }
    if matching.len() > SHOWN_RULES {
        let _ = writeln!(out, "{} more rules match (--format json has all)", matching.len() - SHOWN_RULES);
    }
}

fn place(sample: &Sample) -> String {
    let line = sample.at.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}", escape(&sample.at.input))
}

fn source(sample: &Sample) -> String {
    let path = sample.path.as_ref().map(|path| format!(" {}", shown(path))).unwrap_or_default();
    match &sample.tool {
        Some(tool) => format!("{}{path}", shown(tool)),
        None => sample.source.as_str().to_owned(),
    }
}

/// The text around the match, with the match marked.
fn excerpt(sample: &Sample, style: Style) -> String {
    let text = sample.excerpt.to_string_lossy();
    let Some((start, end)) = sample.marked else { return escape(&text) };
    let part =
        |from: usize, to: usize| escape(&text.chars().skip(from).take(to.saturating_sub(from)).collect::<String>());
    let (before, found, after) = (part(0, start), part(start, end), part(end, usize::MAX));
    format!("{before}«{}»{after}", style.notable(&found))
}

fn injections(out: &mut String, corpus: &Corpus, style: Style) {
    let mut table =
        style.table(&["Rule", "Injected", "Obeyed", "Repeated", "Unknown", "Matched again", "Matched, not injected"]);
    for (name, rule) in ranked(corpus) {
        let outcome = |outcome: Outcome| rule.outcomes.get(outcome.as_str()).copied().unwrap_or_default();
        let (obeyed, repeated) = (outcome(Outcome::Obeyed), outcome(Outcome::Repeated));
        let injected: usize = rule.outcomes.values().sum();
        let missed = Uninjected::ALL.into_iter().filter_map(|why| {
            let number = rule.uninjected.get(why.as_str()).copied().filter(|number| *number > 0)?;
            Some(format!("{number} {}", reason(why)))
        });
        let missed: Vec<String> = missed.collect();
        if !rule.is_given
            || injected == 0 && (missed.is_empty() || corpus.rules.values().all(|rule| rule.outcomes.is_empty()))
        {
            continue;
        }
        let share = match obeyed + repeated {
            0 => number(obeyed),
            known => format!("{obeyed} ({:.0} %)", percentage(obeyed, known)),
        };
        table.add_row([
            shown(name),
            number(injected),
            share,
            number(repeated),
            number(outcome(Outcome::Unknown)),
            number(rule.again),
            missed.join("\n"),
        ]);
    }
    if table.row_count() > 0 {
        let _ = writeln!(out, "\n{}\n{}", style.heading("Did it help? Injections in the recordings"), table.trim_fmt());
    }
    let unknown: Vec<String> =
        corpus.rules.iter().filter(|(_, rule)| !rule.is_given).map(|(name, _)| shown(name)).collect();
    if !unknown.is_empty() {
        let heading = style.heading("Injected in the recordings, and not among the rules given here:");
        let _ = writeln!(out, "\n{heading} {}", listed(&unknown));
    }
}

fn reason(why: Uninjected) -> &'static str {
    match why {
        Uninjected::Spent => "spent: injected before",
        Uninjected::NotThereYet => "before its first injection",
        Uninjected::Cut => "by this cut of the text only",
        Uninjected::NeverNamed => "where the recording never names it",
    }
}

fn silent(out: &mut String, corpus: &Corpus, style: Style) {
    let registered = corpus.registered().count();
    let rules: Vec<String> =
        corpus.registered().filter(|(_, rule)| rule.triggers == 0).map(|(name, _)| shown(name)).collect();
    if !rules.is_empty() {
        let _ = writeln!(
            out,
            "\n{} {} of {}: {}",
            style.heading("Never matched:"),
            rules.len(),
            count(registered, "rule"),
            listed(&rules)
        );
        let _ = writeln!(
            out,
            "{}",
            style.faint("ttsr replay FILE --only-rule NAME --explain says why, message by message.")
        );
    }
    let conditions: Vec<String> = silent_conditions(corpus)
        .map(|(rule, (_, text))| format!("{}: {}", shown(rule), escape(&text.quotable())))
        .collect();
    if !conditions.is_empty() {
        let _ = writeln!(out, "\n{}", style.heading("Conditions that never match first, of rules that do match"));
        for condition in conditions.iter().take(NAMED) {
            let _ = writeln!(out, "  {condition}");
        }
        if conditions.len() > NAMED {
            let _ = writeln!(out, "  {} more (--format json has all)", conditions.len() - NAMED);
        }
    }
    let refused = corpus.rules.iter().filter(|(_, rule)| rule.is_given && rule.registered == 0);
    for (name, rule) in refused {
        if let Some(reason) = &rule.reason {
            let _ = writeln!(
                out,
                "{}",
                style.notable(&format!("rule {} is not registered: {}", shown(name), escape(reason)))
            );
        }
    }
}

fn together(out: &mut String, corpus: &Corpus, style: Style) {
    let mut pairs: Vec<_> = corpus.together.iter().collect();
    pairs.sort_by_key(|(rules, messages)| (Reverse(**messages), *rules));
    if pairs.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{}", style.heading("Rules that match in the same messages"));
    for ((one, other), messages) in pairs.iter().take(PAIRS) {
        let _ = writeln!(out, "  {} and {}: {}", shown(one), shown(other), count(**messages, "message"));
    }
    if pairs.len() > PAIRS {
        let _ = writeln!(out, "  {} (--format json has them)", count(pairs.len() - PAIRS, "further pair"));
    }
}

fn refused(out: &mut String, corpus: &Corpus, style: Style) {
    if corpus.refused.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{}", style.heading("Inputs that could not be read"));
    for one in &corpus.refused {
        let code = shown(&one.code);
        let _ = writeln!(out, "  {}: {} ({code})", escape(&one.input), escape(&one.why.to_string_lossy()));
    }
}

fn shown(text: &JsString) -> String {
    escape(&text.to_string_lossy())
}

fn number(number: usize) -> String {
    if number == 0 { "·".to_owned() } else { number.to_string() }
}

fn listed(names: &[String]) -> String {
    let more = if names.len() > NAMED {
        format!(" and {} more (--format json has all)", names.len() - NAMED)
    } else {
        String::new()
    };
    format!("{}{more}", names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", "))
}

/// The counts of the rules as CSV.
pub fn csv_rules(corpus: &Corpus) -> String {
    let outcomes = Outcome::ALL.map(Outcome::as_str);
    let mut out = format!(
        "rule,registered,inputs,messages,per_1000_messages,triggers,interrupts,deferred,folded,warned,premature,undecided,\
         injected,{}\n",
        outcomes.join(",")
    );
    for (name, rule) in ranked(corpus) {
        let decided = |word: &str| rule.decisions.get(word).copied().unwrap_or_default();
        let counts = [
            rule.triggers,
            decided("interrupt"),
            decided("defer"),
            decided("fold"),
            decided("warn"),
            rule.premature,
            rule.undecided,
            rule.outcomes.values().sum(),
        ];
        let followed = outcomes.map(|word| rule.outcomes.get(word).copied().unwrap_or_default());
        let counts: Vec<String> = counts.into_iter().chain(followed).map(|count| count.to_string()).collect();
        let _ = writeln!(
            out,
            "{},{},{},{},{},{}",
            csv_field(&name.to_string_lossy()),
            rule.registered > 0,
            rule.inputs,
            rule.messages,
            hundredths(corpus.rate(rule)),
            counts.join(",")
        );
    }
    out
}

/// The places that the report shows, as CSV.
pub fn csv_samples(corpus: &Corpus) -> String {
    let mut out = "rule,input,line,message,source,tool,path,decision,premature,excerpt\n".to_owned();
    for (name, rule) in ranked(corpus) {
        for sample in rule.samples.values() {
            let optional = |text: &Option<JsString>| {
                text.as_ref().map(|text| csv_field(&text.to_string_lossy())).unwrap_or_default()
            };
            let number = |number: Option<usize>| number.map(|number| number.to_string()).unwrap_or_default();
            let fields = [
                csv_field(&name.to_string_lossy()),
                csv_field(&sample.at.input),
                number(sample.at.line),
                number(sample.at.message),
                sample.source.as_str().to_owned(),
                optional(&sample.tool),
                optional(&sample.path),
                sample.decision.as_str().to_owned(),
                sample.premature.to_string(),
                csv_field(&sample.excerpt.to_string_lossy()),
            ];
            let _ = writeln!(out, "{}", fields.join(","));
        }
    }
    out
}

/// The inputs that could not be read, as CSV.
pub fn csv_refused(corpus: &Corpus) -> String {
    let mut out = "input,code,why\n".to_owned();
    for one in &corpus.refused {
        let fields =
            [&one.input, &one.code.to_string_lossy(), &one.why.to_string_lossy()].map(|field| csv_field(field));
        let _ = writeln!(out, "{}", fields.join(","));
    }
    out
}
