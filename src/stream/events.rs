//! [`Events`]: what streamed in a recorded message, in whichever form it is there.

use crate::message::{AgentEvent, Message};

use super::chunker::{Chunker, Cutter, Piece};
use super::log::{Cursor, Log, Logged};
use super::{Delta, Origin};

/// The deltas and block ends of a message in order: as they were recorded, or cut from the whole message when they are
/// asked for.
#[derive(Clone, Debug, Default)]
pub struct Events {
    log: Log<(Origin, AgentEvent)>,
    /// In place of the log: what to cut.
    cut: Option<Cut>,
}

#[derive(Clone, Debug)]
struct Cut {
    chunker: Chunker,
    message: Message,
    origin: Origin,
}

impl Events {
    /// The events of a message that is there whole; see [`Chunker::events`].
    pub fn cut(chunker: Chunker, message: &Message, origin: &Origin) -> Self {
        let cut = Cut { chunker, message: message.clone(), origin: origin.clone() };
        Self { log: Log::default(), cut: Some(cut) }
    }

    /// Adds an event.
    pub fn push(&mut self, origin: Origin, event: AgentEvent) {
        let log = self.log();
        if !Delta::of(&event, &origin).is_some_and(|delta| log.push_delta(&delta)) {
            log.push((origin, event));
        }
    }

    /// Adds a delta.
    pub fn push_delta(&mut self, delta: &Delta<'_>) {
        let log = self.log();
        if !log.push_delta(delta) {
            log.push((delta.origin(), delta.event()));
        }
    }

    /// The log; what is cut from a message becomes one before something is added to it.
    fn log(&mut self) -> &mut Log<(Origin, AgentEvent)> {
        if self.cut.is_some() {
            *self = self.iter().collect();
        }
        &mut self.log
    }

    /// Number of events; what is cut from a message is cut for it.
    pub fn len(&self) -> usize {
        if self.cut.is_some() { self.iter().count() } else { self.log.len() }
    }

    /// Whether nothing streamed.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// All events with their places.
    pub fn iter(&self) -> impl Iterator<Item = (Origin, AgentEvent)> {
        let mut player = self.player();
        std::iter::from_fn(move || {
            let (event, origin) = player.next(self)?.into_event();
            Some((origin, event))
        })
    }

    /// A player before the first event.
    pub fn player(&self) -> Player {
        Player(match &self.cut {
            None => Place::Logged(Cursor::default()),
            Some(Cut { chunker, message, origin }) => Place::Cut(Box::new(Cutter::new(*chunker, message, origin))),
        })
    }
}

impl FromIterator<(Origin, AgentEvent)> for Events {
    fn from_iter<I: IntoIterator<Item = (Origin, AgentEvent)>>(events: I) -> Self {
        let mut all = Self::default();
        events.into_iter().for_each(|(origin, event)| all.push(origin, event));
        all
    }
}

/// How far [`Events`] were played.
#[derive(Clone, Debug)]
pub struct Player(Place);

#[derive(Clone, Debug)]
enum Place {
    Logged(Cursor),
    Cut(Box<Cutter>),
}

impl Default for Player {
    fn default() -> Self {
        Self(Place::Logged(Cursor::default()))
    }
}

impl Player {
    /// The next event; none at the end. `events` are those that the player is of.
    pub fn next<'a>(&'a mut self, events: &'a Events) -> Option<Piece<'a>> {
        match &mut self.0 {
            Place::Cut(cutter) => cutter.next_piece(),
            Place::Logged(cursor) => Some(match events.log.next(cursor)? {
                Logged::Delta(delta) => Piece::Delta(delta),
                Logged::Other((origin, event)) => Piece::Event(event.clone(), origin.clone()),
            }),
        }
    }

    /// The next event when it is a delta; otherwise nothing moves.
    pub fn next_delta<'a>(&'a mut self, events: &'a Events) -> Option<Delta<'a>> {
        match &mut self.0 {
            Place::Cut(cutter) => cutter.next_delta(),
            Place::Logged(cursor) => {
                let mut ahead = *cursor;
                match events.log.next(&mut ahead)? {
                    Logged::Delta(delta) => {
                        *cursor = ahead;
                        Some(delta)
                    }
                    Logged::Other(_) => None,
                }
            }
        }
    }
}
