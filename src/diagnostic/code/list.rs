//! The codes of this folder, all of them.

use super::kind::Code;
use super::{adoption, handoff, replay, session, settings, stream};

/// Every code about sessions, streams, scripts, handoffs and settings.
pub fn all() -> impl Iterator<Item = Code> {
    [session::ALL, stream::ALL, replay::ALL, handoff::ALL, settings::ALL, adoption::ALL].into_iter().flatten().copied()
}
