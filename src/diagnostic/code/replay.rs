//! Codes about replays.

use super::kind::codes;

codes! {
    DECISION_DIFFERS = 310 "decision-differs" Error
        "The engine decides otherwise than the input records: another rule set, other settings, another generation of the runtime, or a defect.";
    ONE_PROCESS = 311 "one-process" Note
        "The session does not say where a process ended, so it is taken as one process; with `after-gap` a resume in between would start the count of turns anew.";
    UNFINISHED_MESSAGE = 312 "unfinished-message" Warning
        "The input ends inside an assistant message; what it holds so far was checked.";
    GENERATION_AMBIGUOUS = 316 "generation-ambiguous" Note
        "Releases 18.2 and 18.3 leave the same marks in this input. It is read by the lifecycle v3, and v4 would read these rules or settings otherwise: name the one that wrote it with `--lifecycle`.";
    MALFORMED_TRACE = 317 "malformed-trace" Error
        "A line of a trace cannot be read, or a trace breaks off, so the report of --merge lacks what it says.";
    REPEATED_INPUT = 318 "repeated-input" Warning
        "Several of the merged traces tell of the same input, so it counts more than once.";
}
