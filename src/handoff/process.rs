//! [`Process`]: what the agent holds while it hands off, and the steps of the switch (handoff.md H6.1).

use crate::clock::Clock;
use crate::engine::Manager;
use crate::generation::Pipeline;
use crate::generation::{Lifecycle, Semantics};
use crate::host::trace::TraceKind;
use crate::json_object;
use crate::lifecycle::{Coordinator, Options as LifecycleOptions};
use crate::message::Message;
use crate::rule::CompiledRule;
use crate::session::{NewHeader, ReadError, ReadMode, Session, SessionError, Store, TitleSlot};
use crate::settings::Settings;
use crate::text::JsString;
use crate::text::json::Value;

use super::compaction::{KeptTail, compaction_entry};
use super::{Machine, Step, context_message};

/// Working directory where the session names none.
const DEFAULT_CWD: &str = "/project";

/// The stream rules in force while the document is generated (handoff.md H3.4).
#[derive(Clone, Debug)]
pub struct Rules {
    /// The registered rules in order, their paths as shown.
    pub compiled: Vec<CompiledRule>,
    /// The settings in force.
    pub settings: Settings,
    /// The generation of the rule engine.
    pub semantics: Semantics,
    /// Home directory, for shown paths.
    pub home: JsString,
    /// The first lines of a trace: the run and its rules.
    pub head: Vec<TraceKind>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            compiled: Vec::new(),
            settings: Settings::default(),
            semantics: Lifecycle::V3.semantics(),
            home: "/home/user".into(),
            head: Vec::new(),
        }
    }
}

/// Messages that wait for the agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Queues {
    /// To be said while it works.
    pub steering: Vec<Message>,
    /// To be said when it would stop.
    pub follow_ups: Vec<Message>,
    /// To go with the next prompt.
    pub next_turn: Vec<Message>,
}

impl Queues {
    /// Whether nothing waits.
    #[cfg(feature = "internals")]
    pub fn is_empty(&self) -> bool {
        self.steering.is_empty() && self.follow_ups.is_empty() && self.next_turn.is_empty()
    }
}

/// An agent with a session open.
#[derive(Debug)]
pub struct Process {
    /// Messages that wait.
    pub queues: Queues,
    /// Turns since the agent was last reminded of its tasks.
    pub reminder_turns: u32,
    pub(super) coordinator: Coordinator,
    pub(super) old: Store,
    pub(super) new: Option<Store>,
    pub(super) branch: Vec<usize>,
    pub(super) memory: Vec<Message>,
    /// Rules injected on the source's path, those of the handoff's own replies included.
    pub(super) injected: Vec<JsString>,
    pub(super) machine: Option<Machine>,
    pub(super) entry: Option<JsString>,
    pub(super) head: Vec<TraceKind>,
    pub(super) replies_taken: usize,
    agent_session: JsString,
}

impl Process {
    /// The agent as resuming `session` at its leaf makes it.
    ///
    /// # Errors
    /// When an entry cannot be read.
    pub fn new(session: Session, rules: Rules) -> Result<Self, SessionError> {
        let cwd = session.cwd().cloned().unwrap_or_else(|| DEFAULT_CWD.into());
        let manager = Manager::new(rules.compiled, rules.settings, rules.semantics);
        let coordinator = Coordinator::new(manager, LifecycleOptions::new(cwd, rules.home));
        let mut process = Self::with(session, coordinator)?;
        process.coordinator.restore(process.injected.iter().cloned());
        process.head = rules.head;
        Ok(process)
    }

    /// An agent that is at work in `session` at its leaf, with its rule engine as it is.
    ///
    /// # Errors
    /// When an entry cannot be read.
    pub fn with(session: Session, coordinator: Coordinator) -> Result<Self, SessionError> {
        let leaf = session.leaf();
        let branch = session.branch(leaf);
        let memory = match leaf {
            Some(_) => session.context(leaf)?.messages.into_iter().map(|shown| shown.message).collect(),
            None => Vec::new(),
        };
        let injected = session.injected_rules(leaf)?;
        let old = Store::resume(session, leaf);
        Ok(Self {
            queues: Queues::default(),
            reminder_turns: 0,
            coordinator,
            agent_session: old.id(),
            old,
            new: None,
            branch,
            memory,
            injected,
            machine: None,
            entry: None,
            head: Vec::new(),
            replies_taken: 0,
        })
    }

    /// The handoff has come so far already: the request is out, and answered.
    #[must_use]
    pub fn at(mut self, machine: Machine) -> Self {
        self.machine = Some(machine);
        self
    }

    /// How many scripted replies the side request took.
    pub fn replies_taken(&self) -> usize {
        self.replies_taken
    }

    /// Takes the rule engine's side out.
    pub fn take_coordinator(&mut self) -> Coordinator {
        std::mem::replace(&mut self.coordinator, Coordinator::idle())
    }

    /// The rule engine's side, to be brought into a state before the handoff.
    #[cfg(feature = "internals")]
    pub fn coordinator_mut(&mut self) -> &mut Coordinator {
        &mut self.coordinator
    }

    /// The rule engine's side.
    #[cfg(feature = "internals")]
    pub fn coordinator(&self) -> &Coordinator {
        &self.coordinator
    }

    /// The old session, with what the handoff adds to it.
    #[cfg(feature = "internals")]
    pub fn old(&self) -> &Store {
        &self.old
    }

    /// The new session, once it exists.
    #[cfg(feature = "internals")]
    pub fn new_session(&self) -> Option<&Store> {
        self.new.as_ref()
    }

    /// Takes both sessions out, the old one first.
    pub fn into_sessions(self) -> (Store, Option<Store>) {
        (self.old, self.new)
    }

    /// What the agent holds in memory.
    pub fn memory(&self) -> &[Message] {
        &self.memory
    }

    /// The id of the session that the agent speaks for.
    #[cfg(feature = "internals")]
    pub fn agent_session(&self) -> &JsString {
        &self.agent_session
    }

    /// `isGeneratingHandoff`: whether the controller exists.
    #[cfg(feature = "internals")]
    pub fn is_generating(&self) -> bool {
        self.machine.as_ref().is_some_and(Machine::is_generating)
    }

    /// The session that was read.
    pub(super) fn source(&self) -> Option<&Session> {
        self.old.base()
    }

    /// Carries out one step of the switch.
    ///
    /// # Errors
    /// When a session cannot be read again.
    pub(super) fn perform(&mut self, step: Step, switch: &Switch<'_>, clock: &mut Clock) -> Result<(), SessionError> {
        match step {
            // Entries are in the store as soon as they are made; it is written with the rest.
            Step::FlushOld => {}
            Step::NewSession => self.new = Some(self.fresh_session(switch, clock)),
            Step::ResetAgent => self.memory.clear(),
            Step::RebindSession => {
                if let Some(new) = &self.new {
                    self.agent_session = new.id();
                }
            }
            Step::ClearQueues => {
                self.queues = Queues::default();
                self.coordinator.drop_queued();
            }
            Step::ResetReminders => self.reminder_turns = 0,
            Step::Inject => {
                if let Some(new) = &mut self.new {
                    let content = context_message(switch.document);
                    self.entry = Some(new.append_custom_message("handoff", content, true, None, Some("agent"), clock));
                }
            }
            Step::CommitCompaction => {
                if let (Some(session), Some(tail)) = (self.old.base(), switch.tail) {
                    let members = compaction_entry(session, &self.branch, tail, switch.document)?;
                    self.entry = Some(self.old.append("compaction", members, clock));
                }
            }
            Step::Rebuild => {
                self.memory = self.rebuilt()?;
                self.coordinator.forget_messages();
            }
        }
        Ok(())
    }

    fn fresh_session(&self, switch: &Switch<'_>, clock: &mut Clock) -> Store {
        let pipeline = switch.pipeline;
        let id = pipeline.has_short_ids().then(|| format!("{:016x}", clock.bits()).into());
        let cwd = self.old.header().get("cwd").and_then(Value::as_string).cloned().unwrap_or_default();
        let header = NewHeader { cwd, parent_session: switch.parent.cloned(), id, ..NewHeader::default() };
        let store = Store::create(header, clock);
        if !pipeline.has_title_slot() {
            return store;
        }
        store.with_title_slot(TitleSlot { title: JsString::new(), source: None, updated_at: clock.iso().into() })
    }

    /// The messages of the session that the agent has open, as a load of its file gives them.
    fn rebuilt(&self) -> Result<Vec<Message>, SessionError> {
        let open = self.new.as_ref().unwrap_or(&self.old);
        let failed = |error| SessionError::Io { line: 0, error };
        let bytes = open.to_bytes().map_err(failed)?;
        let session = Session::from_bytes(bytes, "", ReadMode::Tolerant).map_err(|error| match error {
            ReadError::Io(error) => failed(error),
            ReadError::Refused(refusal) => failed(std::io::Error::other(refusal.message)),
        })?;
        let context = session.context(session.leaf())?;
        Ok(context.messages.into_iter().map(|shown| shown.message).collect())
    }

    /// The prompt that asks for the document, as the generation puts it into the session.
    pub fn prompt(pipeline: Pipeline, request: &JsString, clock: &Clock) -> Message {
        let (role, attribution) = pipeline.prompt_role();
        Message::new(json_object! {
            "role": role,
            "content": vec![crate::message::text_block(request.clone())],
            "attribution": attribution,
            "timestamp": clock.now_ms(),
        })
    }
}

/// What the steps of a switch need to know.
pub(super) struct Switch<'a> {
    pub(super) pipeline: Pipeline,
    pub(super) document: &'a JsString,
    pub(super) parent: Option<&'a JsString>,
    pub(super) tail: Option<KeptTail>,
}
