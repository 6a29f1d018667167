//! Small session files made for one question each.

use std::fs;
use std::path::Path;

/// A session file under construction. Each entry hangs on the one before, unless it says otherwise.
pub struct Made {
    lines: Vec<String>,
    leaf: Option<String>,
    number: u32,
    prefix: u32,
}

impl Made {
    /// A session with this id in that project, begun in that minute.
    pub fn new(id: &str, cwd: &str, minute: u32) -> Self {
        let (hour, minute) = (minute / 60, minute % 60);
        let header = format!(
            r#"{{"type":"session","version":3,"id":"{id}","timestamp":"2026-02-01T{hour:02}:{minute:02}:00.000Z","cwd":"{cwd}"}}"#
        );
        Self { lines: vec![header], leaf: None, number: 0, prefix: hour * 60 + minute }
    }

    /// Adds members to the header.
    pub fn header(&mut self, members: &str) -> &mut Self {
        let header = self.lines[0].trim_end_matches('}').to_owned();
        self.lines[0] = format!("{header},{members}}}");
        self
    }

    /// Appends an entry of these members, which name neither id nor parent, and gives its id.
    pub fn entry(&mut self, members: &str) -> String {
        let parent = self.leaf.clone();
        self.entry_under(parent.as_deref(), members)
    }

    /// As [`Made::entry`], under another parent.
    pub fn entry_under(&mut self, parent: Option<&str>, members: &str) -> String {
        self.number += 1;
        let id = format!("{:04x}{:04x}", self.prefix, self.number);
        let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
        let (minute, second) = (self.number / 60, self.number % 60);
        let hour = 8 + self.prefix / 60;
        self.lines.push(format!(
            r#"{{{members},"id":"{id}","parentId":{parent},"timestamp":"2026-02-01T{hour:02}:{minute:02}:{second:02}.000Z"}}"#
        ));
        self.leaf = Some(id.clone());
        id
    }

    /// A line as it stands.
    pub fn line(&mut self, line: &str) -> &mut Self {
        self.lines.push(line.to_owned());
        self
    }

    /// A prompt.
    pub fn user(&mut self, text: &str) -> String {
        self.entry(&format!(r#""type":"message","message":{{"role":"user","content":"{text}"}}"#))
    }

    /// An answer that ended by itself.
    pub fn answer(&mut self, text: &str) -> String {
        self.entry(&message(&format!(r#"{{"type":"text","text":"{text}"}}"#), r#""stopReason":"stop""#))
    }

    /// An answer that calls a tool.
    pub fn call(&mut self, call: &str) -> String {
        let block = format!(r#"{{"type":"toolCall","id":"{call}","name":"bash","arguments":{{}}}}"#);
        self.entry(&message(&block, r#""stopReason":"toolUse""#))
    }

    /// The result of a call.
    pub fn result(&mut self, call: &str, text: &str) -> String {
        self.entry(&format!(
            r#""type":"message","message":{{"role":"toolResult","toolCallId":"{call}","toolName":"bash","content":[{{"type":"text","text":"{text}"}}],"isError":false}}"#
        ))
    }

    /// An answer that a rule interrupted, and nothing behind it.
    pub fn interrupted(&mut self, rule: &str, text: &str) -> String {
        let stop = format!(r#""stopReason":"aborted","errorMessage":"TTSR matched rule: {rule}""#);
        self.entry(&message(&format!(r#"{{"type":"text","text":"{text}"}}"#), &stop))
    }

    /// The message with the reminder of a rule.
    pub fn reminder(&mut self, rule: &str, body: &str) -> String {
        self.entry(&format!(
            r#""type":"custom_message","customType":"ttsr-injection","content":"<system-interrupt reason=\"rule_violation\" rule=\"{rule}\" path=\".omp/rules/{rule}.md\">\nStop.\n\n{body}\n</system-interrupt>","display":false,"details":{{"rules":["{rule}"]}},"attribution":"agent""#
        ))
    }

    /// The entry that records an injection.
    pub fn record(&mut self, rule: &str) -> String {
        self.entry(&format!(r#""type":"ttsr_injection","injectedRules":["{rule}"]"#))
    }

    /// A whole interrupt: aborted answer, reminder, entry, retried answer. Gives the entry's id.
    pub fn interrupt(&mut self, rule: &str, body: &str) -> String {
        self.interrupted(rule, "no");
        self.reminder(rule, body);
        let entry = self.record(rule);
        self.answer("better");
        entry
    }

    /// A reminder behind an answer that ended by itself.
    pub fn deferred(&mut self, rule: &str, body: &str, delivery: usize) -> String {
        self.entry(&format!(
            r#""type":"custom_message","customType":"ttsr-injection","content":"<system-interrupt reason=\"rule_violation\" rule=\"{rule}\" path=\".omp/rules/{rule}.md\">\nMind.\n\n{body}\n</system-interrupt>","display":false,"details":{{"rules":["{rule}"],"deliveryId":{delivery}}},"attribution":"agent""#
        ));
        let entry = self.record(rule);
        self.answer("better");
        entry
    }

    /// A reminder in front of a tool result.
    pub fn folded(&mut self, rule: &str, body: &str) -> String {
        let call = format!("call-{}", self.number);
        self.call(&call);
        let entry = self.record(rule);
        self.entry(&format!(
            r#""type":"message","message":{{"role":"toolResult","toolCallId":"{call}","toolName":"bash","content":[{{"type":"text","text":"<system-reminder reason=\"rule_violation\" rule=\"{rule}\" path=\".omp/rules/{rule}.md\">\nMind.\n\n{body}\n</system-reminder>"}},{{"type":"text","text":"ok"}}],"isError":false}}"#
        ));
        self.answer("better");
        entry
    }

    /// An entry with the id and the parent of one that is there.
    pub fn twin(&mut self, id: &str, members: &str) {
        let own = format!("\"id\":\"{id}\"");
        let line = self.lines.iter().find(|line| line.contains(&own)).expect("the entry");
        let tail = line[line.find(&own).expect("its id")..].to_owned();
        self.lines.push(format!("{{{members},{tail}"));
    }

    /// The end of a process.
    pub fn exit(&mut self) -> String {
        self.entry(r#""type":"custom","customType":"session_exit","data":{"reason":"dispose","kind":"normal"}"#)
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Writes the file and gives its name.
    pub fn write(&self, folder: &Path, name: &str) -> String {
        let path = folder.join(name);
        fs::write(&path, self.text()).expect("a session");
        path.to_string_lossy().into_owned()
    }
}

/// An assistant's message.
fn message(block: &str, rest: &str) -> String {
    format!(
        r#""type":"message","message":{{"role":"assistant","content":[{block}],"api":"a","provider":"acme","model":"m","usage":{{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}}},{rest},"timestamp":1773482103000}}"#
    )
}
