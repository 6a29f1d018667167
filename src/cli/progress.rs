//! [`Progress`]: how far a long run is, on a terminal (cli.md section 1).

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::CliError;
use super::inputs::Input;
use crate::output::escape;

/// What is done sooner needs no progress.
const PATIENCE: Duration = Duration::from_secs(1);

/// How many characters of the present file's name are shown.
const NAME: usize = 40;

const TEMPLATE: &str = "{bar:20} {bytes}/{total_bytes}  {binary_bytes_per_sec}  {eta} left  {msg}";

/// A bar that appears when a run takes longer than anybody waits gladly.
pub(super) struct Progress {
    began: Instant,
    bar: Option<ProgressBar>,
    total: u64,
    files: usize,
    /// Bytes and files that are done.
    done: (u64, usize),
    shows: bool,
}

impl Progress {
    /// Nothing is done yet.
    pub(super) fn new(inputs: &[Result<Input, CliError>], shows: bool) -> Self {
        let total = if shows { inputs.iter().map(size).sum() } else { 0 };
        Self { began: Instant::now(), bar: None, total, files: inputs.len(), done: (0, 0), shows }
    }

    /// The work on an input begins.
    pub(super) fn begin(&mut self, input: &Result<Input, CliError>) {
        if !self.shows || self.began.elapsed() < PATIENCE {
            return;
        }
        let (total, (bytes, files)) = (self.total, self.done);
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            bar.set_style(ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_position(bytes);
            bar
        });
        let name = input.as_ref().map(Input::name).unwrap_or_default();
        let characters = name.chars().count();
        let end: String = name.chars().skip(characters.saturating_sub(NAME)).collect();
        bar.set_message(format!("file {} of {}  {}", files + 1, self.files, escape(&end)));
    }

    /// The work on it is over.
    pub(super) fn end(&mut self, input: &Result<Input, CliError>) {
        if self.shows {
            self.done.0 += size(input);
            self.done.1 += 1;
            if let Some(bar) = &self.bar {
                bar.set_position(self.done.0);
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Bytes of an input, as far as they are known.
fn size(input: &Result<Input, CliError>) -> u64 {
    match input {
        Ok(Input::File(path) | Input::Branch(path, ..)) => path.metadata().map_or(0, |metadata| metadata.len()),
        _ => 0,
    }
}
