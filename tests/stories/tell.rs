//! Makes stories up: rules, settings, and runs of prompts and scripted replies.

use std::fmt::Write as _;
use std::path::Path;

/// A small generator of random numbers (SplitMix64).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// Whether a thing that happens once in `count` times happens.
    fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// A made-up story.
pub(super) struct Story {
    /// Name and text of each rule file.
    rules: Vec<(String, String)>,
    /// `KEY=VALUE`.
    pub(super) settings: Vec<String>,
    /// Code units per delta, in all replies.
    pub(super) chunk: usize,
    /// Each run after the first resumes the session of the one before.
    pub(super) runs: Vec<Told>,
}

/// One run.
pub(super) struct Told {
    pub(super) prompts: Vec<String>,
    /// The script, one reply a line.
    pub(super) script: String,
}

const WORDS: [&str; 6] = ["alpha", "bravo", "carol", "delta", "echo", "fox"];
const FILLERS: [&str; 5] = ["then", "we go", "on, and", "so\\n", "é…"];
const MODES: [&str; 4] = ["always", "never", "prose-only", "tool-only"];
const SCOPES: [&str; 9] = [
    "text",
    "thinking",
    "tool",
    "text, thinking",
    "text, tool",
    "tool:write(*.ts)",
    "tool:edit, text",
    "tool:bash",
    "text, thinking, tool",
];
const PATHS: [&str; 4] = ["src/a.ts", "b.ts", "docs/c.md", "src/d.rs"];

impl Story {
    pub(super) fn random(random: &mut Random) -> Self {
        let rules = (0..1 + random.below(4)).map(|at| rule(at, random)).collect();
        let mut settings = vec![
            format!("ttsr.contextMode={}", random.pick(&["discard", "keep"])),
            format!("ttsr.repeatMode={}", random.pick(&["once", "after-gap"])),
            format!("ttsr.repeatGap={}", random.pick(&[0, 1, 1, 2, 3])),
        ];
        if random.once_in(2) {
            settings.push(format!("ttsr.interruptMode={}", random.pick(&MODES)));
        }
        let mut calls = 0;
        let runs = (0..1 + usize::from(random.once_in(3))).map(|_| told(random, &mut calls)).collect();
        Self { rules, settings, chunk: random.pick(&[1, 3, 4, 7, 20, 1000]), runs }
    }

    pub(super) fn write_rules(&self, folder: &Path) {
        std::fs::create_dir_all(folder).expect("a folder");
        for (name, text) in &self.rules {
            std::fs::write(folder.join(format!("{name}.md")), text).expect("a rule");
        }
    }
}

fn rule(at: usize, random: &mut Random) -> (String, String) {
    let word = random.pick(&WORDS);
    let condition = match random.below(8) {
        0 => format!("{word}|{}", random.pick(&WORDS)),
        1 => format!("{word}\\\\b"),
        2 => format!("{word}.{{0,9}}{}", random.pick(&WORDS)),
        _ => word.to_owned(),
    };
    let mut text = format!("---\ncondition: \"{condition}\"\nttsr_trigger: \"{condition}\"\n");
    if random.once_in(6) {
        let _ = writeln!(text, "astCondition: 'console.log($A)'");
    }
    if !random.once_in(4) {
        let _ = writeln!(text, "scope: {}", random.pick(&SCOPES));
    }
    if random.once_in(6) {
        let _ = writeln!(text, "globs: {}", random.pick(&["'*.ts'", "'src/**'", "'*.md'"]));
    }
    if random.once_in(2) {
        let _ = writeln!(text, "interruptMode: {}", random.pick(&MODES));
    }
    let _ = write!(text, "---\nBody {at}.\n\nMind {word}.\n");
    (format!("{}-{at}", random.pick(&["one", "two", "three"])), text)
}

fn told(random: &mut Random, calls: &mut usize) -> Told {
    let count = 1 + random.below(4);
    let prompts = (0..count).map(|at| format!("Prompt {at}: {}", prose(random, 2))).collect();
    let mut script = String::new();
    for _ in 0..count + random.below(5) {
        script.push_str(&reply(random, calls));
        script.push('\n');
    }
    Told { prompts, script }
}

fn prose(random: &mut Random, words: usize) -> String {
    let mut text = String::new();
    for _ in 0..=random.below(words) {
        let word = if random.once_in(3) { random.pick(&WORDS) } else { random.pick(&FILLERS) };
        text.push_str(word);
        text.push_str(random.pick(&[" ", " ", ". ", ""]));
    }
    text
}

fn reply(random: &mut Random, calls: &mut usize) -> String {
    let mut parts = Vec::new();
    if random.once_in(4) {
        parts.push(format!("{{\"thinking\":\"{}\"}}", prose(random, 8)));
    }
    if !random.once_in(4) {
        parts.push(format!("{{\"text\":\"{}\"}}", prose(random, 10)));
    }
    let call_count = random.pick(&[0, 0, 0, 1, 1, 2, 3]);
    let first = *calls;
    for _ in 0..call_count {
        *calls += 1;
        parts.push(call(random, *calls));
        if random.once_in(6) {
            parts.push(format!("{{\"text\":\"{}\"}}", prose(random, 4)));
        }
    }
    if parts.is_empty() {
        parts.push("{\"text\":\"Well.\"}".to_owned());
    }
    let mut reply = format!("{{\"parts\":[{}]", parts.join(","));
    if random.once_in(12) {
        reply.push_str(",\"error\":\"the provider failed\"");
    } else if random.once_in(10) {
        let _ = write!(reply, ",\"delayMs\":10,\"userInterruptAfterMs\":{}", random.pick(&[0, 5, 15, 35, 60, 200]));
    } else if random.once_in(30) {
        reply.push_str(",\"finish\":\"length\"");
    }
    if call_count > 0 && random.once_in(3) {
        let failed = random.once_in(2);
        let text = prose(random, 3);
        let _ = write!(
            reply,
            ",\"toolResults\":[{{\"id\":\"call_{}\",\"text\":\"{text}\",\"isError\":{failed}}}]",
            first + 1
        );
    }
    reply.push('}');
    reply
}

fn call(random: &mut Random, number: usize) -> String {
    let text = if random.once_in(5) { format!("console.log({})", random.pick(&WORDS)) } else { prose(random, 6) };
    let path = random.pick(&PATHS);
    let (tool, arguments) = match random.below(8) {
        0..=2 => ("write", format!("{{\"path\":\"{path}\",\"content\":\"{text}\"}}")),
        3 => ("edit", format!("{{\"path\":\"{path}\",\"old_string\":\"x\",\"new_string\":\"{text}\"}}")),
        4 => ("write", format!("{{\"content\":\"{text}\"}}")),
        5 => ("nowhere", format!("{{\"path\":\"{path}\",\"note\":\"{text}\"}}")),
        _ => ("bash", format!("{{\"command\":\"{text}\"}}")),
    };
    format!("{{\"tool\":\"{tool}\",\"id\":\"call_{number}\",\"args\":{arguments}}}")
}
