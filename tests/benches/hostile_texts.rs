//! Texts that are hard on parsers and on their scanners: openers that nothing closes, brackets in any order, flat and
//! deep lists, indentation, soups of tokens.

/// Repeated until the size is reached.
const REPEATED: &[&str] = &[
    "(",
    "[",
    "{",
    "<",
    ")",
    "]",
    "}",
    "/*",
    "<!--",
    "(*",
    "{-",
    "\"",
    "'",
    "`",
    "\"\"\"",
    "[[",
    "[=[",
    "<<A\n",
    "<<",
    "r#\"",
    "$(",
    "${",
    "#{",
    "\\",
    "@",
    "#",
    "|",
    "=",
    ":",
    ".",
    "-",
    "\n",
    "\t",
    "\0",
    "é🙂",
    "'x = [ (\n",
    "'\"`}{)(][",
    "a = [ {",
    "if (",
    "f(",
    "<a>",
    "<a b=\"",
    "x\n",
    "x = 1\n",
    "x = 1;\n",
    "f(1, 2);\n",
    "a: b\n",
    "- a\n",
    "{\"a\":",
    "a ? b : ",
    "a + ",
    "a < b, ",
    "a.b(c) ",
    "else if ",
    "begin ",
    "case x of ",
    "let x = ",
    "| a | b |\n",
    "> ",
    "1,",
    "* a *",
    "~~~\n",
    "EOF\n",
    "%{",
    "!",
    "a b ",
    "fn f() {\n",
    "\r\n \r",
];

/// Tokens of many languages.
const TOKENS: &[&str] = &[
    "if", "else", "end", "begin", "for", "while", "do", "def", "fn", "class", "let", "var", "return", "(", ")", "[",
    "]", "{", "}", "<", ">", "\"", "'", "`", ",", ";", ":", ".", "=", "==", "=>", "->", "+", "-", "*", "/", "/*", "*/",
    "//", "#", "$", "@", "\\", "|", "&", "!", "?", "\n", "\n  ", "\n\t", " ", "a", "b1", "42", "0x1f", "'s'", "\"t\"",
    "<a>", "</a>", "${", "#{", "\"\"\"", "'''", "[[", "]]", "<<E", "é", "🙂",
];

/// A generator of small numbers that always gives the same ones.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit
    }
}

fn of_pieces(size: usize, mut piece: impl FnMut(usize) -> String) -> String {
    let (mut text, mut number) = (String::with_capacity(size + 64), 0);
    while text.len() < size {
        text.push_str(&piece(number));
        number += 1;
    }
    text
}

/// All texts of about this many bytes, each with a name.
pub(crate) fn texts(size: usize) -> Vec<(String, String)> {
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let mut texts: Vec<(String, String)> =
        REPEATED.iter().map(|unit| (format!("{unit:?}"), unit.repeat(size / unit.len() + 1))).collect();
    let mut add = |name: &str, text: String| texts.push((name.to_owned(), text));
    add("balanced parentheses", format!("x = {}1{}", "(".repeat(size / 2), ")".repeat(size / 2)));
    add("balanced lists", format!("{}{}", "[".repeat(size / 2), "]".repeat(size / 2)));
    add("balanced tags", format!("{}{}", "<a>".repeat(size / 7), "</a>".repeat(size / 7)));
    add("growing indentation", of_pieces(size, |number| format!("{}a:\n", " ".repeat(number))));
    add("zigzag indentation", of_pieces(size, |number| format!("{}if a:\n", " ".repeat(number * 7 % 23))));
    add("one word", "a".repeat(size));
    add("one string", format!("x = \"{}", "a ".repeat(size / 2)));
    add("one comment", format!("/* {}", "a 'b\n".repeat(size / 5)));
    add("one line of statements", "x = 1; ".repeat(size / 7));
    add("numbers in words", of_pieces(size, |number| format!("a{number} ")));
    add("soup of tokens", of_pieces(size, |_| TOKENS[numbers.below(TOKENS.len())].to_owned()));
    add("soup of words", of_pieces(size, |_| format!("{} ", TOKENS[numbers.below(TOKENS.len())])));
    add("soup of brackets", of_pieces(size, |_| ["(", ")", "[", "]", "{", "}", "<", ">"][numbers.below(8)].to_owned()));
    add(
        "soup of ASCII",
        of_pieces(size, |_| char::from(u8::try_from(numbers.below(95) + 32).unwrap_or(32)).to_string()),
    );
    add(
        "soup of characters",
        of_pieces(size, |_| {
            char::from_u32(u32::try_from(numbers.below(0xd000)).unwrap_or(32)).unwrap_or(' ').to_string()
        }),
    );
    texts
}
