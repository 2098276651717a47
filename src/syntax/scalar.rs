//! Values that are one word: numbers, booleans, dates and times, and words that are none of them.

use super::ValueKind;
use super::render;

/// Why a word is no value.
#[derive(Debug, PartialEq)]
pub(super) enum Fault {
    /// A number or date that was written wrongly.
    Malformed(String),
    /// A string without quotes, it seems; more words of it may follow.
    Word,
}

use Fault::{Malformed, Word};

/// The value that `word` stands for.
pub(super) fn scalar(word: &str) -> Result<ValueKind, Fault> {
    match word {
        "true" => return Ok(ValueKind::Boolean(true)),
        "false" => return Ok(ValueKind::Boolean(false)),
        "inf" | "+inf" => return Ok(ValueKind::Float(f64::INFINITY)),
        "-inf" => return Ok(ValueKind::Float(f64::NEG_INFINITY)),
        "nan" | "+nan" => return Ok(ValueKind::Float(f64::NAN)),
        "-nan" => return Ok(ValueKind::Float(-f64::NAN)),
        _ => {}
    }
    if is_dated(word) {
        return datetime(word);
    }
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    let begins_with_digit =
        |text: &str| text.starts_with(|character: char| character.is_ascii_digit());
    let number = begins_with_digit(unsigned)
        || unsigned
            .strip_prefix(['.', '_', '+', '-'])
            .is_some_and(begins_with_digit);
    if !number {
        return Err(Word);
    }
    if let Some(radix) = Radix::of(unsigned) {
        return integer_with_radix(word, unsigned, radix);
    }
    let of_digits = |extra: &str| {
        unsigned
            .chars()
            .all(|character| character.is_ascii_digit() || extra.contains(character))
    };
    if of_digits("_") {
        integer(word, unsigned)
    } else if of_digits("_.eE+-") {
        float(word, unsigned)
    } else {
        Err(Word)
    }
}

/// What to say of `text`, which stands where a value belongs and is none.
pub(super) fn word_message(text: &str) -> String {
    const LONGEST_SHOWN: usize = 60;
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        "true" | "false" | "inf" | "nan" => return format!("write `{lower}` in small letters"),
        "null" | "none" | "nil" | "undefined" | "~" => {
            return "TOML has no null; leave the key out".to_owned();
        }
        "yes" | "on" => return "write `true`, or a string in quotes".to_owned(),
        "no" | "off" => return "write `false`, or a string in quotes".to_owned(),
        _ => {}
    }
    if text.contains(['“', '”', '„', '‘', '’', '«', '»']) {
        return "use straight quotes, `\"` or `'`".to_owned();
    }
    if text.ends_with(['"', '\'']) {
        return "this string has no opening quote".to_owned();
    }
    if text.len() > LONGEST_SHOWN || text.chars().any(char::is_control) {
        return "strings need quotes".to_owned();
    }
    format!("strings need quotes: {}", render::string(text))
}

/// Whether `word` is cut to be a date or a time: `dddd-d…` or `dd:…`.
pub(super) fn is_dated(word: &str) -> bool {
    let bytes = word.as_bytes();
    let digits = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let follows_digit = bytes.get(digits + 1).is_some_and(u8::is_ascii_digit);
    match bytes.get(digits) {
        Some(b'-') => digits == 4 && follows_digit,
        Some(b':') => digits > 0 && digits <= 2 && follows_digit,
        _ => false,
    }
}

fn datetime(word: &str) -> Result<ValueKind, Fault> {
    match word.parse::<toml_edit::Datetime>() {
        Ok(_) => Ok(ValueKind::Datetime(word.into())),
        Err(error) => {
            let error = error.to_string();
            Err(Malformed(match error.split_once(", expected ") {
                Some((_, expected)) => {
                    format!("not a valid date or time; expected {expected}")
                }
                None => "not a valid date or time".to_owned(),
            }))
        }
    }
}

#[derive(Clone, Copy)]
struct Radix {
    base: u32,
    name: &'static str,
    number: &'static str,
    prefix: &'static str,
}

impl Radix {
    fn of(unsigned: &str) -> Option<Radix> {
        let (base, name, number, prefix) = match unsigned.get(..2)? {
            "0x" | "0X" => (16, "hexadecimal", "a hexadecimal number", "0x"),
            "0o" | "0O" => (8, "octal", "an octal number", "0o"),
            "0b" | "0B" => (2, "binary", "a binary number", "0b"),
            _ => return None,
        };
        Some(Radix {
            base,
            name,
            number,
            prefix,
        })
    }
}

fn integer_with_radix(word: &str, unsigned: &str, radix: Radix) -> Result<ValueKind, Fault> {
    let Radix {
        base,
        name,
        number,
        prefix,
    } = radix;
    let digits = &unsigned[2..];
    if word.len() != unsigned.len() {
        return Err(Malformed(format!("{number} has no sign")));
    }
    if !unsigned.starts_with(prefix) {
        return Err(Malformed(format!(
            "{number} begins with a small `{prefix}`"
        )));
    }
    if let Some(wrong) = digits
        .chars()
        .find(|character| *character != '_' && !character.is_digit(base))
    {
        return Err(Malformed(format!("`{wrong}` is no {name} digit")));
    }
    check_digits(digits, base, || {
        format!("digits are missing after `{prefix}`")
    })?;
    let value = i64::from_str_radix(&digits.replace('_', ""), base);
    value.map(ValueKind::Integer).map_err(|_| out_of_range())
}

fn integer(word: &str, unsigned: &str) -> Result<ValueKind, Fault> {
    check_digits(unsigned, 10, || "digits are missing".to_owned())?;
    check_leading_zero(unsigned)?;
    let value = word.replace('_', "").parse();
    value.map(ValueKind::Integer).map_err(|_| out_of_range())
}

fn out_of_range() -> Fault {
    Malformed(format!(
        "this number is out of range; integers go from {} to {}",
        i64::MIN,
        i64::MAX
    ))
}

fn float(word: &str, unsigned: &str) -> Result<ValueKind, Fault> {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let exponent = exponent.map(|text| text.strip_prefix(['+', '-']).unwrap_or(text));
    let parts = [Some(whole), fraction, exponent];
    let not_a_digit = |character: char| character != '_' && !character.is_ascii_digit();
    if parts
        .iter()
        .flatten()
        .any(|part| part.contains(not_a_digit))
    {
        return Err(Word);
    }
    check_digits(whole, 10, || {
        format!("a digit is missing before the point; write `0{unsigned}`")
    })?;
    check_leading_zero(whole)?;
    if let Some(fraction) = fraction {
        check_digits(fraction, 10, || {
            format!("a digit is missing after the point; write `{whole}.0`")
        })?;
    }
    if let Some(exponent) = exponent {
        check_digits(exponent, 10, || {
            "a digit is missing after the `e`".to_owned()
        })?;
    }
    match word.replace('_', "").parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(ValueKind::Float(value)),
        _ => Err(Malformed("this number is out of range".to_owned())),
    }
}

/// Holds the rules for a run of digits and underscores.
fn check_digits(digits: &str, base: u32, missing: impl Fn() -> String) -> Result<(), Fault> {
    if digits.is_empty() {
        return Err(Malformed(missing()));
    }
    if digits.split('_').any(str::is_empty) {
        return Err(Malformed(
            "`_` can only stand between two digits".to_owned(),
        ));
    }
    debug_assert!(digits.chars().all(|c| c == '_' || c.is_digit(base)));
    Ok(())
}

fn check_leading_zero(whole: &str) -> Result<(), Fault> {
    if whole.len() > 1 && whole.starts_with('0') {
        return Err(Malformed(
            "a number cannot begin with 0; leave the zero out, or put it in quotes".to_owned(),
        ));
    }
    Ok(())
}
