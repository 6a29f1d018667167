//! The edit formats once more, each read as a whole and without regard to cost: what a call that streams must show.

/// One entry a file: its path and its digest.
pub type Entries = Vec<(String, String)>;

/// Adds one section of a file; sections of the same file are joined.
fn add(entries: &mut Entries, path: &str, digest: String) {
    if digest.is_empty() {
        return;
    }
    match entries.iter_mut().find(|(known, _)| known == path) {
        Some((_, text)) => *text = format!("{text}\n{digest}"),
        None => entries.push((path.to_owned(), digest)),
    }
}

/// The added lines of a text.
fn added(text: &str) -> String {
    let rows = text.split('\n').filter(|line| line.starts_with('+') && !line.starts_with("+++ "));
    rows.map(|line| &line[1..]).collect::<Vec<_>>().join("\n")
}

/// Entries and the paths of all headers.
pub fn hashline(input: &str) -> (Entries, Vec<String>) {
    let (mut entries, mut paths) = (Vec::new(), Vec::new());
    let mut section: Option<(String, String)> = None;
    for line in input.replace("\r\n", "\n").split('\n') {
        if let Some(path) = hashline_header(line) {
            if let Some((path, text)) = section.replace((path.clone(), String::new())) {
                add(&mut entries, &path, added(&text));
            }
            paths.push(path);
        } else if let Some((_, text)) = &mut section {
            text.push_str(line);
            text.push('\n');
        }
    }
    if let Some((path, text)) = section {
        add(&mut entries, &path, added(&text));
    }
    (entries, paths)
}

fn hashline_header(line: &str) -> Option<String> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    if inner.contains(['[', ']']) {
        return None;
    }
    let path = match inner.rsplit_once('#') {
        Some((path, tag)) if tag.len() == 4 && tag.bytes().all(|byte| byte.is_ascii_hexdigit()) => path,
        _ => inner,
    };
    let path = path.trim();
    let path = path.strip_prefix("*** Update File:").unwrap_or(path).trim();
    (!path.is_empty()).then(|| path.to_owned())
}

/// The entry of a call to one file, where there is one: of edits, whether it creates the file, and its diff.
pub fn patch(edits: &[(bool, String)]) -> Option<String> {
    let part = |(create, diff): &(bool, String)| {
        let is_row = |line: &str| line.starts_with('+') && !line.starts_with("+++ ");
        if *create && !diff.split('\n').any(is_row) { diff.clone() } else { added(diff) }
    };
    (!edits.is_empty()).then(|| edits.iter().map(part).collect::<Vec<_>>().join("\n"))
}

/// Entries and the paths of all headers.
pub fn apply_patch(input: &str) -> (Entries, Vec<String>) {
    (apply_patch_entries(input).unwrap_or_default(), apply_patch_paths(input))
}

fn apply_patch_paths(input: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut lines = input.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let Some(rest) = ["Add", "Update", "Delete"]
            .into_iter()
            .find_map(|kind| line.strip_prefix("*** ")?.strip_prefix(kind)?.strip_prefix(" File:"))
        else {
            continue;
        };
        let path = rest.trim();
        paths.extend(if path.is_empty() { lines.find(|line| !line.is_empty()) } else { Some(path) }.map(str::to_owned));
    }
    paths
}

fn apply_patch_entries(input: &str) -> Option<Entries> {
    let mut lines: Vec<&str> = input.trim().split('\n').collect();
    let open = lines.first()?.trim().trim_start_matches("cat").trim_start();
    if let Some(word) = open.strip_prefix("<<") {
        let word = word.strip_prefix('-').unwrap_or(word).trim_matches(['\'', '"']);
        if word.is_empty() || lines.pop()?.trim() != word {
            return None;
        }
        lines.drain(..1.min(lines.len()));
        while lines.first().is_some_and(|line| line.trim().is_empty()) {
            lines.remove(0);
        }
    }
    if lines.first()?.trim() != "*** Begin Patch" {
        return None;
    }
    let mut entries = Vec::new();
    let mut rest = &lines[1..];
    while let Some((first, body)) = rest.split_first() {
        let first = first.trim();
        rest = body;
        let take = |fits: &dyn Fn(&&&str) -> bool| {
            let count = body.iter().take_while(|line| fits(line)).count();
            body.split_at(count)
        };
        if let Some(path) = first.strip_prefix("*** Update File: ") {
            let marks = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
            let (rows, after) = take(&|line| !marks.iter().any(|mark| line.starts_with(mark)));
            add(&mut entries, path, added(&rows.join("\n")));
            rest = after;
        } else if let Some(path) = first.strip_prefix("*** Add File: ") {
            let (rows, after) = take(&|line| line.starts_with('+'));
            let content: Vec<&str> = rows.iter().map(|line| &line[1..]).collect();
            add(&mut entries, path, added(&content.join("\n")));
            rest = after;
        } else if !first.is_empty() && !first.starts_with("*** Delete File: ") {
            break;
        }
    }
    Some(entries)
}

/// One operation of a `sloppy` block.
#[derive(Default)]
struct Operation<'a> {
    find: Vec<&'a str>,
    put: Option<Vec<&'a str>>,
    after: Option<Vec<&'a str>>,
}

impl Operation<'_> {
    fn shown(&self, all: bool) -> Option<String> {
        let solid = |lines: &[&str]| {
            let start = lines.iter().position(|line| !line.trim().is_empty())?;
            let end = lines.iter().rposition(|line| !line.trim().is_empty())?;
            Some(lines[start..=end].join("\n"))
        };
        let find = solid(&self.find);
        let put = self.put.as_deref().and_then(solid);
        let mut shown = vec![if all { "«*" } else { "«" }.to_owned()];
        shown.extend(find.clone());
        if let Some(lines) = &self.after {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            shown.push(format!("\0AFTER {}", ttsr::text::json::Value::from(text.as_str()).to_json()));
        } else {
            if find.is_none() && put.is_none() {
                return None;
            }
            if find.is_some() && self.put.is_some() {
                shown.push("»".to_owned());
            }
            shown.extend(put);
        }
        Some(shown.join("\n"))
    }
}

/// Entries; the paths are theirs.
pub fn sloppy(input: &str) -> Entries {
    let mut entries = Vec::new();
    let mut file: Option<String> = None;
    let (mut all, mut stopped, mut verbatim) = (false, false, false);
    let mut operation = Operation::default();
    let mut end = |operation: &mut Operation<'_>, file: &Option<String>, all: bool| {
        if let (Some(file), Some(shown)) = (file, std::mem::take(operation).shown(all)) {
            add(&mut entries, file, shown);
        }
    };
    let mut lines: Vec<&str> = input.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    for line in lines {
        let text = line.trim();
        let edit = edit_tag(text);
        if file.is_none() && !text.is_empty() && !matches!(edit, Some((Some(_), _))) {
            return Vec::new();
        }
        if let Some((path, is_all)) = edit {
            end(&mut operation, &file, all);
            file = path.or(file);
            (all, stopped) = (is_all, false);
            continue;
        }
        if file.is_none() || stopped {
            continue;
        }
        match text {
            "</SM:EDIT>" | "</SM:PUT>" | "<SM:FIND>" | "</SM:AFTER>" => {
                end(&mut operation, &file, all);
                all &= text != "</SM:EDIT>";
                verbatim &= text != "</SM:AFTER>";
            }
            "</SM:FIND>" => {}
            "<SM:PUT>" => (operation.put, operation.after) = (Some(Vec::new()), None),
            "<SM:PUT></SM:PUT>" => {
                (operation.put, operation.after) = (Some(Vec::new()), None);
                end(&mut operation, &file, all);
            }
            "<SM:AFTER>" => {
                (operation.put, operation.after) = (None, Some(Vec::new()));
                verbatim = true;
            }
            "*** End Patch" | "*** End of File" if !verbatim => stopped = true,
            "*** Begin Patch" if !verbatim => {}
            _ if !verbatim
                && ["Add", "Update", "Delete"].iter().any(|kind| text.starts_with(&format!("*** {kind} File:"))) => {}
            _ => operation.after.as_mut().or(operation.put.as_mut()).unwrap_or(&mut operation.find).push(line),
        }
    }
    end(&mut operation, &file, all);
    entries
}

/// The path, where there is one, and whether it says `all`.
fn edit_tag(text: &str) -> Option<(Option<String>, bool)> {
    let inside = text.strip_prefix("<SM:EDIT")?.strip_suffix('>')?;
    if inside.contains('>') {
        return None;
    }
    let quoted = inside.split_once("path=").or_else(|| inside.split_once("file=")).and_then(|(_, rest)| {
        let quote = rest.chars().next()?;
        rest[1..].split(quote).next()
    });
    let path = quoted.map(str::trim).filter(|path| !path.is_empty()).map(str::to_owned);
    Some((path, inside.split_whitespace().any(|word| word == "all")))
}
