//! Random patterns and texts, small and full of corner cases.

/// A seeded source of choices (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }
}

/// Units that texts and literals are made of: the front ones often, the others now and then.
const UNITS: [u16; 22] = [
    0x61, 0x62, 0x63, 0x41, 0x20, 0x0A, 0x42, 0x31, 0x5F, 0xD83D, 0xDE00, 0xE9, 0xC9, 0x0D, 0x2028, 0x3C3, 0x3C2,
    0x17F, 0x212A, 0x73, 0x6B, 0x2D,
];

/// Units that fold in a way that the other engine gets wrong.
const ODD: [u16; 4] = [0x17F, 0x212A, 0x73, 0x6B];

pub fn unit(random: &mut Random) -> u16 {
    let kinds = *random.pick(&[2, 2, 3, 5, 9, 11, UNITS.len()]);
    UNITS[random.below(kinds)]
}

pub fn text(random: &mut Random, longest: usize) -> Vec<u16> {
    let kinds = *random.pick(&[2, 3, 4, 7, 11, UNITS.len()]);
    (0..random.below(longest + 1)).map(|_| UNITS[random.below(kinds)]).collect()
}

/// A pattern, and the same for the other engine where that is known to be right about it.
#[derive(Default)]
pub struct Generated {
    pub source: Vec<u16>,
    /// The pattern without the leading flag group.
    pub other: Option<String>,
    pub flags: String,
    groups: usize,
    /// Capture groups not closed yet.
    open: Vec<usize>,
    ignores_case: bool,
    odd: bool,
}

impl Generated {
    pub fn new(random: &mut Random) -> Self {
        let mut made = Self { other: Some(String::new()), ..Self::default() };
        if random.chance(30) {
            for flag in ["i", "m", "s"] {
                if random.chance(45) {
                    made.flags.push_str(flag);
                }
            }
        }
        if !made.flags.is_empty() {
            made.source.extend(format!("(?{})", made.flags).encode_utf16());
            made.ignores_case = made.flags.contains('i');
        }
        let depth = random.below(3) + 1;
        made.disjunction(random, depth);
        if made.ignores_case && made.odd {
            made.other = None;
        }
        made
    }

    /// Whether the other engine is right about this text.
    pub fn can_compare(&self, text: &[u16]) -> bool {
        self.other.is_some() && !(self.ignores_case && text.iter().any(|unit| ODD.contains(unit)))
    }

    fn both(&mut self, text: &str) {
        self.source.extend(text.encode_utf16());
        if let Some(other) = &mut self.other {
            other.push_str(text);
        }
    }

    /// Each part tells whether it can match the empty text.
    fn disjunction(&mut self, random: &mut Random, depth: usize) -> bool {
        let mut can_be_empty = self.sequence(random, depth);
        while random.chance(25) {
            self.both("|");
            can_be_empty |= self.sequence(random, depth);
        }
        can_be_empty
    }

    fn sequence(&mut self, random: &mut Random, depth: usize) -> bool {
        let length = *random.pick(&[0, 1, 1, 2, 2, 3, 4]);
        (0..length).fold(true, |empty, _| self.term(random, depth) && empty)
    }

    fn term(&mut self, random: &mut Random, depth: usize) -> bool {
        let kind = random.below(100);
        let mut can_be_empty = match kind {
            0..=34 => self.literal(random),
            35..=52 => self.class(random),
            53..=60 => {
                self.both(random.pick::<&str>(&["^", "$", "\\b", "\\B"]));
                return true;
            }
            61..=68 if self.groups > 0 => {
                let group = random.below(self.groups + 1) + 1;
                // A digit that follows must not join the number.
                self.both(&format!("(?:\\{group})"));
                if self.open.contains(&group) {
                    // The other engine takes a group for set before it is closed.
                    self.other = None;
                }
                true
            }
            _ if depth == 0 => self.literal(random),
            61..=74 => {
                self.both(random.pick::<&str>(&["(?=", "(?!"]));
                self.disjunction(random, depth - 1);
                self.both(")");
                if random.chance(90) {
                    return true;
                }
                true
            }
            75..=81 => {
                self.both(random.pick::<&str>(&["(?<=", "(?<!"]));
                self.disjunction(random, depth - 1);
                self.both(")");
                return true;
            }
            82..=90 => {
                self.groups += 1;
                let name = if random.chance(25) { format!("?<g{}>", self.groups) } else { String::new() };
                self.both(&format!("({name}"));
                self.open.push(self.groups);
                let can_be_empty = self.disjunction(random, depth - 1);
                self.open.pop();
                self.both(")");
                can_be_empty
            }
            91..=93 => {
                let modifier = *random.pick(&["(?i:", "(?-i:", "(?s:", "(?m:", "(?ms-i:"]);
                self.ignores_case |= modifier == "(?i:";
                self.both(modifier);
                let can_be_empty = self.disjunction(random, depth - 1);
                self.both(")");
                can_be_empty
            }
            _ => {
                self.both("(?:");
                let can_be_empty = self.disjunction(random, depth - 1);
                self.both(")");
                can_be_empty
            }
        };
        if random.chance(30) {
            let quantifier = *random.pick(&["*", "+", "?", "{2}", "{0,2}", "{1,3}", "{2,}", "{0}", "{3,5}", "{0,4}"]);
            self.both(quantifier);
            if random.chance(25) {
                self.both("?");
            }
            if can_be_empty {
                // The other engine repeats some empty rounds for ever.
                self.other = None;
            }
            can_be_empty |= quantifier == "*" || quantifier == "?" || quantifier.starts_with("{0");
        }
        can_be_empty
    }

    fn literal(&mut self, random: &mut Random) -> bool {
        let unit = unit(random);
        self.odd |= ODD.contains(&unit);
        if (0xD800..0xE000).contains(&unit) || random.chance(5) {
            // The other engine joins two halves that stand side by side.
            let escape = format!("\\u{unit:04x}");
            if random.chance(50) || !(0xD800..0xE000).contains(&unit) {
                self.source.extend(escape.encode_utf16());
            } else {
                self.source.push(unit);
            }
            if let Some(other) = &mut self.other {
                other.push_str(&format!("(?:{escape})"));
            }
        } else {
            self.both(&char::from_u32(u32::from(unit)).unwrap_or('a').to_string());
        }
        false
    }

    fn class(&mut self, random: &mut Random) -> bool {
        let fixed = [".", "\\w", "\\W", "\\d", "\\s", "\\S", "[ab]", "[^a]", "[a-c]", "[^]", "[]", "[\\w-]", "[^\\s_]"];
        if random.chance(75) {
            self.both(random.pick::<&str>(&fixed));
            return false;
        }
        let negated = random.chance(40);
        let mut members: Vec<u16> = (0..random.below(3) + 1).map(|_| unit(random)).collect();
        // No hyphen in the middle: it would make a range.
        members.sort_unstable();
        members.dedup();
        self.odd |= members.iter().any(|unit| ODD.contains(unit));
        let halves = members.iter().any(|unit| (0xD800..0xE000).contains(unit));
        let escaped: String = members.iter().map(|unit| format!("\\u{unit:04x}")).collect();
        self.source.extend(format!("[{}{escaped}]", if negated { "^" } else { "" }).encode_utf16());
        match &mut self.other {
            Some(_) if halves && negated => self.other = None,
            Some(other) if halves => {
                let alternatives: Vec<String> = members.iter().map(|unit| format!("[\\u{unit:04x}]")).collect();
                other.push_str(&format!("(?:{})", alternatives.join("|")));
            }
            Some(other) => other.push_str(&format!("[{}{escaped}]", if negated { "^" } else { "" })),
            None => {}
        }
        false
    }
}

/// A pattern that can read one text in very many ways: repeats of repeats, of few letters.
pub fn ambiguous(random: &mut Random) -> String {
    // Without a group to refer to, all is decided by the automaton.
    let mut groups = if random.chance(25) { Some(0) } else { None };
    let mut source = String::new();
    if random.chance(60) {
        source.push('^');
    }
    for _ in 0..random.below(3) + 1 {
        repeated(random, 2, &mut groups, &mut source);
    }
    source.push_str(random.pick::<&str>(&["", "", "$", "b", "!", "\\b", "(?!a)", "(?=.*b)", "a{20}$"]));
    source
}

fn repeated(random: &mut Random, depth: usize, groups: &mut Option<usize>, source: &mut String) {
    match random.below(if depth == 0 { 5 } else { 14 }) {
        0..=2 => source.push_str(random.pick::<&str>(&["a", "a", "[ab]", ".", "\\w", "a?"])),
        3 if groups.is_some_and(|groups| groups > 0) => {
            source.push_str(&format!("(?:\\{})", random.below(groups.unwrap_or_default()) + 1));
        }
        3 | 4 => source.push_str(random.pick::<&str>(&["b", "(?:^|a)", "(?<=a)", "(?!b)"])),
        kind => {
            match groups {
                Some(groups) if kind >= 10 => {
                    *groups += 1;
                    source.push('(');
                }
                _ => source.push_str("(?:"),
            }
            for index in 0..random.below(2) + 1 {
                if index > 0 {
                    source.push('|');
                }
                for _ in 0..random.below(2) + 1 {
                    repeated(random, depth - 1, groups, source);
                }
            }
            source.push(')');
            source.push_str(random.pick::<&str>(&["*", "+", "+", "*?", "{20}", "{0,20}", "{3,}", "{2,40}", ""]));
        }
    }
    // What was read last may be an assertion, which cannot be repeated: a group can.
    if source.ends_with(['a', '.', 'w', ']']) && random.chance(40) {
        source.push_str(random.pick::<&str>(&["*", "+", "{0,20}", "+?"]));
    }
}
