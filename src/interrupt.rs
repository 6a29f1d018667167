//! Signals that end the program, held back while a temporary file is on disk, so that none is left behind, and while a
//! run over many inputs can still tell what it has done.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
use std::time::Duration;

use signal_hook::SigId;
use signal_hook::consts::SIGINT;

/// Signals by which a user, a shell or a system ends a program.
#[cfg(unix)]
const ENDING: [i32; 3] = [SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const ENDING: [i32; 1] = [SIGINT];

/// How many temporary files are on disk.
static FILES: AtomicUsize = AtomicUsize::new(0);
/// Whether a signal ends the program at once: while there is none.
static AT_ONCE: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| Arc::new(AtomicBool::new(true)));
/// What of [`FILES`] is no file but a run that can still tell.
static PATIENT: AtomicUsize = AtomicUsize::new(0);
/// The signal after which a run tells what it has done, 0 for none.
static FIRST: AtomicUsize = AtomicUsize::new(0);
/// The signal that was held back, 0 for none.
static CAME: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);
/// What was registered for an interrupt from the keyboard.
static KEYBOARD: Mutex<Vec<SigId>> = Mutex::new(Vec::new());

/// Lets signals that end the program wait for [`Held`]. A file that would pass the limit of its size is an error of
/// writing, not the end of the program.
///
/// # Errors
/// When the system takes no handler.
pub fn install() -> io::Result<()> {
    for signal in ENDING {
        let ids = [
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&AT_ONCE))?,
            signal_hook::flag::register_usize(signal, Arc::clone(&CAME), usize::try_from(signal).unwrap_or_default())?,
        ];
        if signal == SIGINT
            && let Ok(mut keyboard) = KEYBOARD.lock()
        {
            keyboard.extend(ids);
        }
    }
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    Ok(())
}

/// Leaves interrupts from the keyboard to whoever asks for them.
pub fn leave_keyboard() {
    if let Ok(mut keyboard) = KEYBOARD.lock() {
        for id in keyboard.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}

/// While it lives, a signal waits; then it does what it came for.
#[derive(Debug)]
pub struct Held(());

impl Held {
    /// Holds signals back.
    #[must_use]
    pub fn back() -> Self {
        FILES.fetch_add(1, Ordering::SeqCst);
        AT_ONCE.store(false, Ordering::SeqCst);
        Self(())
    }

    /// Fails when a signal waits, so that long writing ends early.
    ///
    /// # Errors
    /// When a signal has come.
    pub fn check(&self) -> io::Result<()> {
        match came() {
            0 => Ok(()),
            _ => Err(io::Error::other("interrupted")),
        }
    }
}

fn came() -> usize {
    match FIRST.load(Ordering::SeqCst) {
        0 => CAME.load(Ordering::SeqCst),
        first => first,
    }
}

/// Does what the signal does that came, if one came; it ends the program.
fn end() {
    if let Ok(signal @ 1..) = i32::try_from(came()) {
        // Where it cannot, the run goes on as if it had not come.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
}

/// While it lives, the first signal waits, so that a run over many inputs tells what it has done; the second one ends
/// the program, as soon as no temporary file is on disk.
#[derive(Debug)]
pub struct Patience {
    held: Option<Held>,
    is_over: Arc<AtomicBool>,
}

impl Patience {
    /// Holds the first signal back.
    #[must_use]
    pub fn begin() -> Self {
        PATIENT.fetch_add(1, Ordering::SeqCst);
        let patience = Self { held: Some(Held::back()), is_over: Arc::default() };
        let is_over = Arc::clone(&patience.is_over);
        thread::spawn(move || {
            while !is_over.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(20));
                if FIRST.load(Ordering::SeqCst) == 0 {
                    FIRST.store(CAME.swap(0, Ordering::SeqCst), Ordering::SeqCst);
                } else if CAME.load(Ordering::SeqCst) != 0
                    && FILES.load(Ordering::SeqCst) <= PATIENT.load(Ordering::SeqCst)
                {
                    end();
                }
            }
        });
        patience
    }

    /// Whether a signal waits.
    pub fn is_interrupted(&self) -> bool {
        came() != 0
    }
}

impl Drop for Patience {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        PATIENT.fetch_sub(1, Ordering::SeqCst);
        drop(self.held.take());
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if FILES.fetch_sub(1, Ordering::SeqCst) > 1 {
            return;
        }
        AT_ONCE.store(true, Ordering::SeqCst);
        end();
    }
}
