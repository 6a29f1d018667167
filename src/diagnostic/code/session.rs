//! Codes about session files and the injections persisted in them.

use super::kind::codes;

codes! {
    MALFORMED_LINE = 101 "malformed-line" Warning
        "A line of the session file is no JSON object and was skipped; every other line is read.";
    MISSING_HEADER = 102 "missing-header" Error
        "The first record is no header: no entry `session` with a string `id`. The agent refuses such a file, and so does this tool; nothing is ever written over it.";
    UNSUPPORTED_VERSION = 103 "unsupported-version" Note
        "The header names a version that is none of 1, 2 and 3. The agent reads such a file as version 3, without migration.";
    DUPLICATE_ID = 104 "duplicate-id" Warning
        "Two entries have the same id. The later one counts: it stands on the path in place of the earlier one, and children attach to it.";
    DANGLING_PARENT = 105 "dangling-parent" Warning
        "An entry names a parent that the file does not have. The entry is a root: what came before it is not in its context, and rules injected before it are not in force.";
    PARENT_CYCLE = 106 "parent-cycle" Warning
        "An entry is its own ancestor. The walk to the root stops at the first entry met twice; another agent of the family never ends on such a file.";
    UNKNOWN_ENTRY_TYPE = 107 "unknown-entry-type" Note
        "The entry has a type that this tool does not know. It stays in the tree and is written back unchanged.";
    TRUNCATED_TAIL = 108 "truncated-tail" Warning
        "The last line is cut short, as a writer leaves it that was killed. It is skipped; a copy keeps it.";
    MISSING_ID = 109 "missing-id" Warning
        "The entry has no id: nothing can hang on it and no branch reaches it. As last entry of the file it leaves the agent without a leaf.";
    GLUED_RECORDS = 110 "glued-records" Warning
        "A line goes on behind its record, as it happens when a writer appends to a file without final line feed. The first record is read, the rest is lost to every reader.";
    INVALID_ENTRY = 111 "invalid-entry" Warning
        "The record lacks what its type needs, or has no type. The agent fails on some of these; this tool skips them.";
    FOREIGN_HEADER = 112 "foreign-header" Warning
        "A second header stands among the entries, as when two files were joined. The agent keeps it as an entry outside the path.";
    INVALID_UTF8 = 113 "invalid-utf8" Warning
        "The line holds bytes that are no UTF-8. They are read as U+FFFD, as the agent does; a copy keeps the bytes.";
    EMPTY_SESSION = 114 "empty-session" Note
        "The file holds no entries. The agent starts a new session in its place.";
    READERS_DIFFER = 115 "readers-differ" Warning
        "What this tool reads of the file is not what the agent would see: the agent loses records, or takes another leaf. It is an error where the agent cannot open the file, fails on what it holds, or loses records.";
    STALE_EXIT = 116 "stale-exit" Warning
        "The file ends with a `session_exit` that hangs on an old entry: a process that had ended its work appended it beside a longer branch. The next start follows the dead end, and what the longer branch holds is hidden.";
    FORWARD_INDEX = 117 "forward-index" Warning
        "A compaction of a version 1 file names as first kept entry one that comes after it. The agent's migration then writes an id that the entry no longer has.";
    UNANSWERED_CALL = 118 "unanswered-call" Warning
        "The branch goes on behind a tool call that has no result on it, as after a crash, or when the result hangs on another branch: the context holds a question without an answer.";
    STRAY_RESULT = 119 "stray-result" Warning
        "A tool result answers a call that is not on the branch before it. The context holds an answer without its question.";
    NOT_A_SESSION = 121 "not-a-session" Error
        "The file is a recording of another kind: the event stream of a run, or the transcript of another agent. No session is read from it.";
    UNKNOWN_PARENT_SESSION = 122 "unknown-parent-session" Note
        "The header names a session that this one came from, and no such file is found: neither at the path that it names, nor beside the file, nor among the files that are inspected.";
    DANGLING_REFERENCE = 123 "dangling-reference" Warning
        "An entry names another that the file does not have, or that is not where it has to be: a compaction its first kept entry, a label its target, a summary the branch that it is about. What hangs on the name is lost.";
    REPEATED_CALL_ID = 124 "repeated-call-id" Warning
        "Two tool calls that are open at the same time have the same id, so nothing tells which of them a result answers.";
    MISSING_BLOB = 125 "missing-blob" Warning
        "The session names a blob, such as an image that was moved out of it, and the folder of blobs beside it does not have the blob; or its name is no digest.";
    LONE_SURROGATE = 126 "lone-surrogate" Note
        "A text holds half of a surrogate pair. The agent keeps it as it is; other programs refuse the line or replace the half.";

    UNKNOWN_RULE = 201 "unknown-rule" Warning
        "An injection names a rule that is not among the given rules: it was removed or renamed, or another rule directory was used.";
    MISSING_REMINDER = 202 "missing-reminder" Warning
        "An entry says that a rule was injected, but nothing on the path shows that its reminder reached the model: no interrupt, no deferred message, no tool reminder.";
    MISSING_RECORD = 203 "missing-record" Warning
        "The model got the reminder of a rule, but no entry beside it says so. After a resume the rule can fire again, although `once` forbids it. Typical after a crash between two appends.";
    REPEAT_VIOLATION = 204 "repeat-violation" Warning
        "A rule was injected twice with fewer completed turns between than the repeat policy demands.";
    EMPTY_INJECTION = 205 "empty-injection" Warning
        "An injection entry names no rule.";
    RULE_LIST_MISMATCH = 206 "rule-list-mismatch" Warning
        "The message with the reminders and the entry behind it name different rules.";
    OFF_BRANCH_INJECTION = 207 "off-branch-injection" Note
        "The injection stands on a branch that the leaf does not come from: it is not in force.";
    DISABLED_RULE_INJECTED = 208 "disabled-rule-injected" Note
        "The injection names a rule that the given settings disable.";
    IRREGULAR_NAME = 209 "irregular-name" Warning
        "A list of injected rules holds a name that is blank, padded with white space, there twice, or no string. Names are compared exactly, so a padded name keeps no rule silent.";
    TAG_MISMATCH = 210 "tag-mismatch" Warning
        "A reminder's tag names a rule or path that the details beside it do not.";
    VISIBLE_INJECTION = 211 "visible-injection" Warning
        "A message with reminders is marked for display; the agent writes them hidden.";
    CANCELLED_RETRY = 212 "cancelled-retry" Note
        "A rule interrupted the message, but no injection follows: the retry was cancelled. The rule stays armed.";
    FORGOTTEN_REMINDER = 213 "forgotten-reminder" Note
        "The rule is still in force as state, but its reminder lies before a compaction or reset and is no longer in the context: the rule stays silent and the model no longer knows of it.";
    LOST_INJECTION = 214 "lost-injection" Warning
        "The parent of the injection is missing, so the state before it is lost; nothing tells which rules were in force.";
    BLANKET_PLACEHOLDER = 215 "blanket-placeholder" Note
        "The placeholder result of a tool call names a rule that another call matched. Agents before the scoped abort wrote so; the call itself broke no rule.";
    DUPLICATE_DELIVERY = 216 "duplicate-delivery" Warning
        "The same reminder was delivered again with no completed turn between: the known defect of the deferred path up to 18.1.21, where a rule counted as injected only when its queued message arrived.";
    CHANGED_RULE = 217 "changed-rule" Note
        "The reminder in the session is not what the rule file says now: the rule was changed since.";
}
