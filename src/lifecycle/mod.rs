//! The coordinator: from agent events to aborts, injections and persisted entries (engine.md E7, E9, E11).
//!
//! The host owns the agent, the session store and the clock. It feeds each [`AgentEvent`](crate::message::AgentEvent)
//! to [`Coordinator::handle`] and carries out the returned [`Action`]s in order:
//!
//! - [`Action::Schedule`]: put the task into a [`timer::Timeline`]; when it is due, call [`Coordinator::due`] and carry
//!   out what that returns. A task that was cancelled meanwhile returns nothing, so the host cancels none.
//! - [`Action::Continue`]: make the agent resume, then report the outcome to [`Coordinator::continued`], which returns
//!   further actions (the delivery of queued follow-ups).
//! - The agent's loop takes queued follow-ups by itself when it would stop otherwise: the host then calls
//!   [`Coordinator::take_queued`] before it announces that the agent is idle.
//! - Injected messages, deliveries and discards change [`Coordinator::memory`] by themselves; the host does not feed
//!   them back as events.
//! - [`Action::Ask`] (generation-v4.md W6): put the output to a judge, or look the answer up; the verdict goes to
//!   [`Coordinator::verdict`] whenever it arrives, and what that returns is carried out then. [`Action::Warn`] tells how
//!   the warning reaches the agent: at each step behind tool results or at the end of a run, before
//!   [`Coordinator::take_queued`], the host calls [`Coordinator::take_warnings`]; where that delivers something, the run
//!   goes on. A run that is about to end lets [`crate::runtime::OPEN_ASK_WAIT_MS`] pass at most while there are
//!   [`Coordinator::open_asks`]. When idle, [`WarningDelivery::OwnRun`] starts a run that takes the warning first.
//!   A host that knows no answer says so with [`Verdict::unknown`](crate::judge::Verdict::unknown), which closes the ask
//!   and is no "no"; asks that are open when the input ends are lost, as they are when the process ends.
//! - Another session: [`Coordinator::new_session`]. Planning: [`Coordinator::set_plan_mode`].
//! - A user's abort, a newer prompt, a cleared queue: [`Coordinator::user_abort`], [`Coordinator::new_generation`],
//!   [`Coordinator::drop_queued`]. At the end of the input: [`Coordinator::finish`].

mod action;
mod call;
mod coordinator;
mod listener;
mod memory;
mod pending;
mod reminder;
mod tidy;
pub mod timer;

pub use crate::message::INJECTION_TYPE;
pub use action::{
    Abort, Action, ContinueError, ContinueSource, Decision, DropReason, Fold, Injection, OTHER_TOOL_CALL_REASON, Task,
    Trigger, Warning, WarningDelivery,
};
pub use coordinator::{Coordinator, Options};
pub use listener::{Listener, Listeners, Reaction, Surface, payload, rule_value};
pub use memory::{AgentMemory, Remembered};
pub use reminder::{ReminderKind, Template, Templates, join_blocks, shown_path};
pub use tidy::tidy;
