//! Where trace events go.

use super::trace::TraceEvent;

/// Takes the events of a run in order.
pub trait TraceSink {
    /// Takes one event.
    fn event(&mut self, event: TraceEvent);
}

impl TraceSink for Vec<TraceEvent> {
    fn event(&mut self, event: TraceEvent) {
        self.push(event);
    }
}

impl<F: FnMut(TraceEvent)> TraceSink for F {
    fn event(&mut self, event: TraceEvent) {
        self(event);
    }
}
