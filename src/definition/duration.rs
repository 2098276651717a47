//! Durations as definitions write them: `"1m30s"`.

/// Milliseconds; negative ones parse, so that a rule can call them negative.
pub type Milliseconds = i64;

/// The longest duration there is: 30 days. A longer one counts as this.
pub const LONGEST: Milliseconds = 30 * 24 * 60 * 60 * 1000;

const UNITS: [(&str, Milliseconds); 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];

/// Reads whole numbers with units, the largest unit first, each at most once: `"1h30m"`, `"250ms"`, `"-5s"`.
///
/// # Errors
///
/// What is wrong, in words that can follow "is no duration: ".
pub fn parse_duration(text: &str) -> Result<Milliseconds, String> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if rest.is_empty() {
        return Err("it is empty".into());
    }
    let mut total: Milliseconds = 0;
    let mut smallest = Milliseconds::MAX;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits == 0 {
            return Err(format!("a number was expected at `{rest}`"));
        }
        let (number, after) = rest.split_at(digits);
        let letters = after.len()
            - after
                .trim_start_matches(|c: char| c.is_ascii_alphabetic())
                .len();
        let (unit, after) = after.split_at(letters);
        let Some((_, factor)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(match unit {
                "" => format!("`{number}` has no unit (ms, s, m or h)"),
                _ => format!("`{unit}` is no unit (ms, s, m or h)"),
            });
        };
        if *factor >= smallest {
            return Err(format!(
                "`{unit}` cannot follow here; the largest unit stands first"
            ));
        }
        smallest = *factor;
        let number: Milliseconds = number.parse().unwrap_or(Milliseconds::MAX);
        total = total.saturating_add(number.saturating_mul(*factor));
        rest = after;
    }
    let total = total.min(LONGEST);
    Ok(if negative { -total } else { total })
}

/// The shortest way to write `milliseconds`.
pub fn format_duration(milliseconds: Milliseconds) -> String {
    if milliseconds == 0 {
        return "0s".into();
    }
    let mut text = String::from(if milliseconds < 0 { "-" } else { "" });
    let mut rest = milliseconds.unsigned_abs();
    for (name, factor) in UNITS.iter().rev() {
        let factor = factor.unsigned_abs();
        if rest >= factor {
            text.push_str(&format!("{}{name}", rest / factor));
            rest %= factor;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, expected) in [
            ("1m30s", Ok(90_000)),
            ("0s", Ok(0)),
            ("250ms", Ok(250)),
            ("5000ms", Ok(5_000)),
            ("-5s", Ok(-5_000)),
            ("9999999999999999999999h", Ok(LONGEST)),
            ("", Err("it is empty")),
            ("5", Err("`5` has no unit (ms, s, m or h)")),
            ("5 s", Err("`5` has no unit (ms, s, m or h)")),
            ("5d", Err("`d` is no unit (ms, s, m or h)")),
            (
                "1s1m",
                Err("`m` cannot follow here; the largest unit stands first"),
            ),
            (
                "1s1s",
                Err("`s` cannot follow here; the largest unit stands first"),
            ),
            ("1.5s", Err("`1` has no unit (ms, s, m or h)")),
        ] {
            assert_eq!(
                parse_duration(text),
                expected.map_err(String::from),
                "{text}"
            );
        }
        for (milliseconds, text) in [
            (90_000, "1m30s"),
            (0, "0s"),
            (-250, "-250ms"),
            (3_600_000, "1h"),
        ] {
            assert_eq!(format_duration(milliseconds), text);
        }
    }
}
