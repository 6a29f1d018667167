//! [`Sections`]: what an edit input gives to each file it names.

use std::collections::HashMap;
use std::sync::Arc;

use super::growing::Growing;
use crate::text::JsString;

const LINE_FEED: u16 = 0x0A;

/// The text of one file.
#[derive(Debug)]
pub(crate) struct FileText {
    /// The path as written.
    pub path: Arc<JsString>,
    /// Its digest.
    pub text: Growing,
    /// Whether the file counts only until the next inspection.
    tentative: bool,
    /// Whether the file does not count until the next inspection.
    hidden: bool,
}

/// A place in a section to which it can be taken back.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    section: Section,
    /// Length of the file's text, when there is such a file.
    length: Option<usize>,
}

/// The files of an edit in order of first appearance, sections of the same file merged.
///
/// What is added in tentative mode is gone at the next inspection.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    files: Vec<FileText>,
    by_path: HashMap<Arc<JsString>, usize>,
    headers: Vec<JsString>,
    final_headers: usize,
    tentative: bool,
    /// Texts of files that are gone since the previous inspection, ready to be added to while one goes on.
    void: HashMap<Arc<JsString>, Growing>,
}

/// A part of the input that adds rows to one file. The file gets an entry with the first row that is not empty, or with
/// the second row.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    path: Arc<JsString>,
    file: Option<usize>,
    rows: usize,
    /// Whether the next row begins a text, so that no line feed goes before it.
    fresh: bool,
}

impl Section {
    /// A section of the file of this path.
    pub(crate) fn new(path: Arc<JsString>) -> Self {
        Self { path, file: None, rows: 0, fresh: false }
    }
}

impl Sections {
    /// The files that have an entry.
    pub(crate) fn files(&self) -> impl Iterator<Item = &FileText> {
        self.files.iter().filter(|file| !file.hidden)
    }

    /// The paths of all headers, repeats kept.
    pub(crate) fn headers(&self) -> &[JsString] {
        &self.headers
    }

    /// A new inspection: what was tentative is taken back.
    pub(crate) fn begin(&mut self) {
        self.tentative = false;
        while let Some(file) = self.files.pop_if(|file| file.tentative) {
            self.by_path.remove(&file.path);
            self.set_aside(file);
        }
        self.headers.truncate(self.final_headers);
        for file in &mut self.files {
            file.hidden = false;
            file.text.begin();
        }
        self.void.values_mut().for_each(Growing::begin);
    }

    /// From now on everything is tentative.
    pub(crate) fn set_tentative(&mut self) {
        self.tentative = true;
    }

    /// Ends the inspection.
    pub(crate) fn end(&mut self) {
        self.void.clear();
        for file in &mut self.files {
            file.text.end();
        }
    }

    /// The texts are others than at the previous inspection, whatever they say.
    pub(crate) fn forget(&mut self) {
        for file in &mut self.files {
            file.text.forget();
        }
    }

    /// Everything is void; digests are still compared with what they were. Called between inspections.
    pub(crate) fn restart(&mut self) {
        self.final_headers = 0;
        self.headers.clear();
        self.by_path.clear();
        for file in std::mem::take(&mut self.files) {
            self.set_aside(file);
        }
    }

    /// Keeps the text for comparison, should the file come again.
    fn set_aside(&mut self, mut file: FileText) {
        file.text.restart();
        self.void.insert(file.path, file.text);
    }

    /// A header names a file.
    pub(crate) fn header(&mut self, path: JsString) {
        self.headers.push(path);
        if !self.tentative {
            self.final_headers = self.headers.len();
        }
    }

    /// A section that has an entry from its beginning, even an empty one; gives the length of the file's text before
    /// its first row.
    pub(crate) fn open_part(&mut self, section: &mut Section) -> usize {
        self.open_file(section);
        section.fresh = true;
        section.file.map_or(0, |file| self.files[file].text.committed())
    }

    /// Takes back a section that [`Self::open_part`] began, up to its first row.
    pub(crate) fn rewind_part(&mut self, section: &mut Section, start: usize) {
        if let Some(file) = section.file {
            self.files[file].text.rewind(start);
        }
        section.rows = 0;
        section.fresh = true;
    }

    /// A row begins.
    pub(crate) fn row(&mut self, section: &mut Section) {
        if section.file.is_some() {
            if !std::mem::take(&mut section.fresh) {
                self.add(section, &[LINE_FEED]);
            }
        } else if section.rows > 0 {
            self.open_file(section);
            self.add(section, &[LINE_FEED]);
        }
        section.rows += 1;
    }

    /// Adds to the present row.
    pub(crate) fn units(&mut self, section: &mut Section, units: &[u16]) {
        if units.is_empty() {
            return;
        }
        if section.file.is_none() {
            self.open_file(section);
        }
        section.fresh = false;
        self.add(section, units);
    }

    /// A place to come back to with [`Self::rewind`], as long as only this section is added to.
    pub(crate) fn mark(&self, section: &Section) -> Mark {
        let length = self.by_path.get(&section.path).map(|&file| self.files[file].text.text().len());
        Mark { section: section.clone(), length }
    }

    /// Takes back what was added to the section behind the mark.
    pub(crate) fn rewind(&mut self, section: &mut Section, mark: &Mark) {
        section.clone_from(&mark.section);
        let Some(file) = self.by_path.get(&section.path).map(|&file| &mut self.files[file]) else {
            return;
        };
        match mark.length {
            Some(length) if self.tentative => file.text.hide(length),
            Some(length) => file.text.rewind(length),
            None if self.tentative => {
                file.text.hide(0);
                file.hidden = true;
            }
            None => {
                file.text.rewind(0);
                if let Some(file) = self.files.pop() {
                    self.by_path.remove(&file.path);
                    self.void.insert(file.path, file.text);
                }
            }
        }
    }

    fn open_file(&mut self, section: &mut Section) {
        if let Some(&at) = self.by_path.get(&section.path) {
            section.file = Some(at);
            if !std::mem::take(&mut self.files[at].hidden) {
                self.add(section, &[LINE_FEED]);
            }
            return;
        }
        let file = self.files.len();
        let path = Arc::clone(&section.path);
        let text = self.void.remove(&path).unwrap_or_default();
        self.files.push(FileText { path: Arc::clone(&path), text, tentative: self.tentative, hidden: false });
        self.by_path.insert(path, file);
        section.file = Some(file);
    }

    fn add(&mut self, section: &Section, units: &[u16]) {
        if let Some(file) = section.file.and_then(|file| self.files.get_mut(file)) {
            if self.tentative { file.text.tentative(units) } else { file.text.commit(units) }
        }
    }
}
