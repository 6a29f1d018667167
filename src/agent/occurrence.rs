//! [`Agent`]: what the host sees of whoever plays a run.

use crate::clock::Clock;
use crate::message::{AgentEvent, Message};
use crate::stream::{Delta, Origin};
use crate::text::JsString;
use crate::text::json::Object;

use super::Abort;

/// Plays a run in virtual time and obeys: the scripted agent, or the recording of one.
///
/// The host asks [`Agent::due`], carries out what is scheduled before, and takes [`Agent::next_step`]. At the same time
/// the agent acts before what is scheduled.
pub trait Agent {
    /// When the agent acts next.
    fn due(&self) -> Due;

    /// Lets the next thing happen, moving `clock` to its time; none when nothing is left.
    ///
    /// A waiting agent that is asked although nobody told it to continue gives the retry up and goes on with the next
    /// prompt.
    fn next_step(&mut self, clock: &mut Clock) -> Option<Step>;

    /// The next thing that happens where that is a delta and takes no time; nothing happens otherwise. A recording
    /// gives nearly everything so, without building it first.
    fn next_delta(&mut self) -> Option<Delta<'_>> {
        None
    }

    /// Aborts the message that streams, or the calls of the one that just ended. The first order's reason is kept;
    /// without such a message nothing happens.
    fn abort(&mut self, abort: Abort);

    /// Continues without a prompt, for a retry or for follow-ups. Gives whether it did: an agent that is running
    /// refuses.
    fn continue_run(&mut self) -> bool;

    /// Why the last [`Agent::continue_run`] threw, if a script made it.
    fn take_failure_to_continue(&mut self) -> Option<JsString> {
        None
    }

    /// Hands over a message that is to be delivered: at [`Occurrence::WouldStop`], or after [`Agent::continue_run`].
    fn follow_up(&mut self, message: Message);

    /// Whether the queued follow-ups of these rules are taken now; a message of the user that was queued before comes
    /// first (engine.md E7.5a).
    fn takes_follow_ups(&mut self, rules: &[JsString]) -> bool {
        let _ = rules;
        true
    }

    /// Whether the input is over: no run is under way and no prompt is left. What comes later is lost with the process.
    fn is_over(&self) -> bool {
        false
    }

    /// All events of the message that streams, those to come included: what the model would say without an abort.
    fn whole_message(&self) -> Vec<(Origin, AgentEvent)>;
}

/// One thing that happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What happens.
    pub occurrence: Occurrence,
    /// Where it comes from; the line is one of the script.
    pub origin: Origin,
}

/// What can happen in a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Occurrence {
    /// The agent announces something.
    Event(AgentEvent),
    /// The empty second half of an interrupted message begins: the abort came behind the first half's end.
    LateStart {
        /// Milliseconds since the epoch, when known.
        timestamp: Option<f64>,
    },
    /// A judge's yes that the recording shows by its warning: the rules, and the warning's text (recordings only).
    Warned {
        /// Names of the rules, in order.
        rules: Vec<JsString>,
        /// What the warning says.
        content: JsString,
    },
    /// The run would end here. A message that is handed to [`Agent::follow_up`] now keeps it going.
    WouldStop,
    /// A follow-up joins the agent's memory, in a turn of its own (session.md S8.5f).
    Delivered(Message),
    /// The user aborts, in a stream or in the window before a retry (engine.md E7.4).
    UserInterrupt,
    /// The handoff that the reply belongs to is cancelled.
    HandoffCancelled,
    /// The script asks for a handoff here, between prompts. Who hosts the agent takes it out of the script.
    Handoff,
    /// An entry that is no message joins the session (recordings only).
    Entry(Object),
    /// A process ended; what follows runs in a new one (recordings only).
    ProcessEnd,
    /// What belongs to a recorded message is over: the next step begins something else (recordings only).
    TurnOver,
}

/// When the agent acts next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// At this time, in milliseconds since the epoch; at once when that is past.
    At(u64),
    /// When nothing else is scheduled any more: it waits for a retry, or would take the next prompt.
    Idle,
    /// Never, unless it is told to continue or prompted.
    Done,
}
