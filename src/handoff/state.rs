//! The states of a handoff and what leads from one to the next (handoff.md H6).

use crate::generation::Pipeline;

/// Where a handoff stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing was asked for.
    Idle,
    /// The check before the command found too little in the file (ours: refused).
    Warned,
    /// The messages of the branch are counted.
    Guard,
    /// The model is asked.
    Generating,
    /// A step of the switch is under way.
    At(Step),
    /// The document is in place.
    Done,
    /// Cancelled, or taken for it.
    Cancelled,
    /// Failed, or refused by the guard.
    Failed,
    /// An automatic handoff without document: the next method is tried (G4, G5).
    Fallback,
}

/// A step behind the generation, in the order of handoff.md H6 and H6.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// What the old session still holds in memory is written.
    FlushOld,
    /// A new session without entries exists: the leaf is null.
    NewSession,
    /// The agent forgets its messages.
    ResetAgent,
    /// The agent gets the new session's id.
    RebindSession,
    /// Queued messages are dropped (G1 to G3).
    ClearQueues,
    /// The counter of task reminders begins anew.
    ResetReminders,
    /// The document becomes the first entry.
    Inject,
    /// The document becomes a compaction entry (G5).
    CommitCompaction,
    /// The agent's messages are made anew from the session.
    Rebuild,
}

impl Step {
    /// The step behind this one.
    pub fn next(self, pipeline: Pipeline) -> Option<Self> {
        Some(match self {
            Self::FlushOld => Self::NewSession,
            Self::NewSession => Self::ResetAgent,
            Self::ResetAgent => Self::RebindSession,
            Self::RebindSession if pipeline.clears_queues() => Self::ClearQueues,
            Self::RebindSession | Self::ClearQueues => Self::ResetReminders,
            Self::ResetReminders => Self::Inject,
            Self::Inject | Self::CommitCompaction => Self::Rebuild,
            Self::Rebuild => return None,
        })
    }

    /// The first step behind the generation.
    pub fn first(pipeline: Pipeline) -> Self {
        if pipeline.opens_session() { Self::FlushOld } else { Self::CommitCompaction }
    }
}

impl State {
    /// The word in traces, as handoff.md H6 has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "IDLE",
            Self::Warned => "WARNED",
            Self::Guard => "GUARD",
            Self::Generating => "GENERATING",
            Self::At(step) => step.as_str(),
            Self::Done => "DONE",
            Self::Cancelled => "CANCELLED",
            Self::Failed => "FAILED",
            Self::Fallback => "FALLBACK",
        }
    }
}

impl Step {
    /// The word in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FlushOld => "FLUSH_OLD",
            Self::NewSession => "NEW_SESSION",
            Self::ResetAgent => "RESET_AGENT",
            Self::RebindSession => "REBIND_SESSION",
            Self::ClearQueues => "CLEAR_QUEUES",
            Self::ResetReminders => "RESET_REMINDERS",
            Self::Inject => "INJECT",
            Self::CommitCompaction => "COMMIT_COMPACTION",
            Self::Rebuild => "REBUILD",
        }
    }
}

/// What happens to a handoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The file holds fewer than two messages.
    TooFewInFile,
    /// The handoff is asked for.
    Begin,
    /// The guard refuses.
    Refused,
    /// The guard lets it pass: the controller exists from here.
    Passed,
    /// `abortHandoff()`, or an error that counts as one.
    Abort,
    /// The provider, or a step of the switch, fails.
    Error,
    /// The reply has no text.
    NoText,
    /// The reply has text.
    Text,
    /// The step is done.
    StepDone,
}

/// A transition that the generation does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{event:?} cannot happen in {state:?}")]
pub struct WrongTransition {
    /// Where it stands.
    pub state: State,
    /// What was to happen.
    pub event: Event,
}

/// The state machine of one handoff.
#[derive(Clone, Debug)]
pub struct Machine {
    pipeline: Pipeline,
    automatic: bool,
    state: State,
    controller: bool,
}

impl Machine {
    /// An idle machine. An automatic handoff is one that a full context triggers (handoff.md H2.4).
    pub fn new(pipeline: Pipeline, automatic: bool) -> Self {
        Self { pipeline, automatic, state: State::Idle, controller: false }
    }

    /// Where it stands.
    pub fn state(&self) -> State {
        self.state
    }

    /// Whether the controller exists: `isGeneratingHandoff`.
    #[cfg(feature = "internals")]
    pub fn is_generating(&self) -> bool {
        self.controller
    }

    /// Moves on. The controller is made when the guard lets pass and is gone at every end.
    ///
    /// # Errors
    /// When the event cannot happen here; the state stays.
    pub fn apply(&mut self, event: Event) -> Result<State, WrongTransition> {
        let state = self.target(event).ok_or(WrongTransition { state: self.state, event })?;
        self.state = state;
        self.controller = matches!(state, State::Generating | State::At(_));
        Ok(state)
    }

    fn target(&self, event: Event) -> Option<State> {
        Some(match (self.state, event) {
            (State::Idle, Event::TooFewInFile) => State::Warned,
            (State::Idle, Event::Begin) => State::Guard,
            (State::Guard, Event::Refused) => State::Failed,
            (State::Guard, Event::Passed) => State::Generating,
            (State::Generating, Event::Abort) => State::Cancelled,
            (State::Generating | State::At(_), Event::Error) => State::Failed,
            (State::Generating, Event::NoText) if self.pipeline.prompts_in_session() => State::Cancelled,
            (State::Generating, Event::NoText) if self.automatic => State::Fallback,
            (State::Generating, Event::NoText) => State::Failed,
            (State::Generating, Event::Text) => State::At(Step::first(self.pipeline)),
            (State::At(step), Event::StepDone) => step.next(self.pipeline).map_or(State::Done, State::At),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: [Event; 9] = [
        Event::TooFewInFile,
        Event::Begin,
        Event::Refused,
        Event::Passed,
        Event::Abort,
        Event::Error,
        Event::NoText,
        Event::Text,
        Event::StepDone,
    ];

    fn after(pipeline: Pipeline, automatic: bool, events: &[Event]) -> Machine {
        let mut machine = Machine::new(pipeline, automatic);
        for event in events {
            machine.apply(*event).unwrap_or_else(|error| panic!("{pipeline:?}: {error}"));
        }
        machine
    }

    /// The only events that `machine` takes.
    fn takes(machine: &Machine) -> Vec<Event> {
        EVENTS.into_iter().filter(|event| machine.clone().apply(*event).is_ok()).collect()
    }

    const GENERATING: [Event; 2] = [Event::Begin, Event::Passed];

    #[test]
    fn idle_is_left_by_the_warning_or_the_command() {
        for pipeline in Pipeline::ALL {
            let idle = Machine::new(pipeline, false);
            assert_eq!((idle.state(), idle.is_generating()), (State::Idle, false));
            assert_eq!(takes(&idle), [Event::TooFewInFile, Event::Begin]);
            assert_eq!(after(pipeline, false, &[Event::TooFewInFile]).state(), State::Warned);
            assert_eq!(after(pipeline, false, &[Event::Begin]).state(), State::Guard);
        }
    }

    #[test]
    fn the_guard_refuses_or_makes_the_controller() {
        for pipeline in Pipeline::ALL {
            let guard = after(pipeline, false, &[Event::Begin]);
            assert_eq!(takes(&guard), [Event::Refused, Event::Passed]);
            assert!(!guard.is_generating());
            assert_eq!(after(pipeline, false, &[Event::Begin, Event::Refused]).state(), State::Failed);
            let generating = after(pipeline, false, &GENERATING);
            assert_eq!((generating.state(), generating.is_generating()), (State::Generating, true));
            assert_eq!(takes(&generating), [Event::Abort, Event::Error, Event::NoText, Event::Text]);
        }
    }

    #[test]
    fn every_end_of_the_generation_clears_the_controller() {
        for pipeline in Pipeline::ALL {
            for automatic in [false, true] {
                let end = |event| {
                    let mut machine = after(pipeline, automatic, &GENERATING);
                    let state = machine.apply(event).expect("an arrow");
                    assert!(!machine.is_generating(), "{pipeline:?} {event:?}");
                    assert!(takes(&machine).is_empty(), "{pipeline:?} {event:?}");
                    state
                };
                assert_eq!(end(Event::Abort), State::Cancelled);
                assert_eq!(end(Event::Error), State::Failed);
                let without_text = match (pipeline, automatic) {
                    (Pipeline::G1 | Pipeline::G2 | Pipeline::G3, _) => State::Cancelled,
                    (Pipeline::G4 | Pipeline::G5, false) => State::Failed,
                    (Pipeline::G4 | Pipeline::G5, true) => State::Fallback,
                };
                assert_eq!(end(Event::NoText), without_text);
            }
        }
    }

    #[test]
    fn the_switch_goes_through_its_steps_in_order() {
        let steps = |pipeline| {
            let mut machine = after(pipeline, false, &GENERATING);
            let mut steps = Vec::new();
            let mut state = machine.apply(Event::Text).expect("text");
            while let State::At(step) = state {
                assert!(machine.is_generating());
                assert_eq!(takes(&machine), [Event::Error, Event::StepDone]);
                let mut failing = machine.clone();
                assert_eq!(failing.apply(Event::Error), Ok(State::Failed));
                assert!(!failing.is_generating());
                steps.push(step);
                state = machine.apply(Event::StepDone).expect("the next step");
            }
            assert_eq!((state, machine.is_generating()), (State::Done, false));
            assert!(takes(&machine).is_empty());
            steps
        };
        use Step::{
            ClearQueues, CommitCompaction, FlushOld, Inject, NewSession, RebindSession, Rebuild, ResetAgent,
            ResetReminders,
        };
        for pipeline in [Pipeline::G1, Pipeline::G2, Pipeline::G3] {
            assert_eq!(
                steps(pipeline),
                [FlushOld, NewSession, ResetAgent, RebindSession, ClearQueues, ResetReminders, Inject, Rebuild]
            );
        }
        assert_eq!(
            steps(Pipeline::G4),
            [FlushOld, NewSession, ResetAgent, RebindSession, ResetReminders, Inject, Rebuild]
        );
        assert_eq!(steps(Pipeline::G5), [CommitCompaction, Rebuild]);
    }
}
