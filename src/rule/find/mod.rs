//! Rules and settings where the agent finds them (engine.md E1.1 to E1.5, E10), or where the user says that they are.

mod discovery;
mod load;
pub mod settings_files;

pub use discovery::Places;
#[cfg(feature = "internals")]
pub use load::load_paths;
pub use load::{
    BUNDLED_PREFIX, Handed, LoadFailure, Loaded, Searched, Sink, search_bundled, search_paths, search_with,
};
