//! Numbers and keywords of lenient JSON.

use crate::text::json::Value;

/// The value of a token; nothing when it is none. It makes no difference whether the text goes on behind it: a number in
/// progress counts as soon as it is one (`12.`), and not while it is none (`1e`).
pub(super) fn read_atom(token: &[u16]) -> Option<Value> {
    let text = String::from_utf16(token).ok()?;
    match text.as_str() {
        "true" | "True" => Some(Value::Bool(true)),
        "false" | "False" => Some(Value::Bool(false)),
        "null" | "None" => Some(Value::Null),
        _ => read_number(&text),
    }
}

/// Whether a token that begins like this is a number.
pub(super) fn begins_number(unit: u16) -> bool {
    u8::try_from(unit).is_ok_and(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.'))
}

/// Whether the unit belongs to a number, valid or not: what else follows is no part of it (`1_000` is 1).
pub(super) fn continues_number(unit: u16) -> bool {
    begins_number(unit) || u8::try_from(unit).is_ok_and(|byte| byte.is_ascii_alphabetic())
}

/// A number as ECMAScript converts a string to one, kept as written where JSON writes it so.
fn read_number(text: &str) -> Option<Value> {
    if is_json_number(text) {
        return Some(Value::Number(text.into()));
    }
    let radix = match text.get(..2) {
        Some("0x" | "0X") => 16,
        Some("0o" | "0O") => 8,
        Some("0b" | "0B") => 2,
        _ => 10,
    };
    if radix != 10 {
        let digits = &text[2..];
        let mut number = 0.0_f64;
        for digit in digits.chars() {
            number = number.mul_add(f64::from(radix), f64::from(digit.to_digit(radix)?));
        }
        return (!digits.is_empty()).then(|| Value::from(number));
    }
    let numeric = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    let number: f64 = text.parse().ok().filter(|_| numeric)?;
    Some(Value::from(number))
}

fn is_json_number(text: &str) -> bool {
    let mut rest = text.strip_prefix('-').unwrap_or(text).bytes().peekable();
    let digits = |rest: &mut std::iter::Peekable<std::str::Bytes<'_>>| {
        let mut count = 0;
        while rest.next_if(u8::is_ascii_digit).is_some() {
            count += 1;
        }
        count
    };
    let leading_zero = rest.peek() == Some(&b'0');
    let whole = digits(&mut rest);
    if whole == 0 || (leading_zero && whole > 1) {
        return false;
    }
    if rest.next_if_eq(&b'.').is_some() && digits(&mut rest) == 0 {
        return false;
    }
    if rest.next_if(|byte| matches!(byte, b'e' | b'E')).is_some() {
        rest.next_if(|byte| matches!(byte, b'+' | b'-'));
        if digits(&mut rest) == 0 {
            return false;
        }
    }
    rest.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        read_atom(&text.encode_utf16().collect::<Vec<_>>()).map(|value| value.stringify())
    }

    #[test]
    fn numbers_are_read_as_ecmascript_does() {
        for (text, expected) in [("0x10", "16"), ("01", "1"), ("+5", "5"), ("12.", "12"), (".5", "0.5"), ("-0", "0")] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["-", "1.2.3", "1e", "1.5e-", "0x", "inf", "NaN", "Infinity", "tru", "TRUE", "+-1"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
