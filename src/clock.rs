//! The only doors to time and randomness.

/// Milliseconds since the Unix epoch, and a source of ids. Fixed by default, so that equal input gives equal
/// bytes.
#[derive(Clone, Debug)]
pub struct Clock {
    now_ms: u64,
    state: u64,
}

/// Where a replay's clock starts unless `--now` says otherwise: 2026-01-01T00:00:00.000Z.
pub const REPLAY_EPOCH_MS: u64 = 1_767_225_600_000;

impl Clock {
    /// A clock that stands at `now_ms` and draws ids from `seed`.
    pub fn fixed(now_ms: u64, seed: u64) -> Self {
        Self { now_ms, state: seed }
    }

    /// A clock at the machine's time with an unpredictable seed.
    pub fn system() -> Self {
        use std::hash::{BuildHasher, RandomState};
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Self::fixed(now.as_millis() as u64, RandomState::new().hash_one(now.as_nanos()))
    }

    /// The present, in milliseconds since the Unix epoch.
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// Moves time forward.
    pub fn advance(&mut self, ms: u64) {
        self.now_ms += ms;
    }

    /// The present as ISO 8601 with milliseconds and `Z` (session.md S2.1).
    pub fn iso(&self) -> String {
        iso_time(self.now_ms)
    }

    /// 64 fresh bits (the SplitMix64 sequence of the seed).
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A fresh entry id: 8 lower-case hex digits (session.md S2.1). The caller redraws on collision.
    pub fn entry_id(&mut self) -> String {
        format!("{:08x}", self.bits() >> 32)
    }

    /// A fresh session id: a UUID of version 7 (session.md S6.2).
    pub fn session_id(&mut self) -> String {
        let time = self.now_ms & 0xFFFF_FFFF_FFFF;
        let (high, low) = (self.bits(), self.bits());
        format!(
            "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
            time >> 16,
            time & 0xFFFF,
            high & 0xFFF,
            0x8000 | ((high >> 16) & 0x3FFF),
            low & 0xFFFF_FFFF_FFFF
        )
    }
}

/// Milliseconds since the Unix epoch as ISO 8601 with milliseconds and `Z`.
pub fn iso_time(ms: u64) -> String {
    let time = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok()).unwrap_or_default();
    format!("{time:.3}")
}

/// Milliseconds since the Unix epoch of an ISO 8601 time.
pub fn parse_iso_time(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_ids_have_the_agents_form() {
        let mut clock = Clock::fixed(REPLAY_EPOCH_MS + 5, 1);
        assert_eq!(clock.iso(), "2026-01-01T00:00:00.005Z");
        assert_eq!(parse_iso_time(&clock.iso()), Some(REPLAY_EPOCH_MS as i64 + 5));
        assert_eq!(clock.entry_id().len(), 8);
        let id = clock.session_id();
        assert_eq!((id.len(), &id[14..15]), (36, "7"));
        assert_eq!(iso_time(REPLAY_EPOCH_MS), "2026-01-01T00:00:00.000Z");
    }
}
