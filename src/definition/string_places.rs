//! Where in the text the parts of a string stand, whatever quotes and escapes it is written with.

use crate::text::Span;
use std::ops::Range;

/// Finds the places of parts of one string.
#[derive(Clone, Debug)]
pub struct StringPlaces<'t> {
    /// The string as written, without its quotes and without the line break that may follow the first ones.
    raw: &'t str,
    /// Where `raw` begins in the text.
    base: usize,
    /// Whether the two differ: then the way from the beginning of the string has to be walked.
    escaped: bool,
    /// How far that was walked: bytes as written, and bytes of what the string says.
    walked: (usize, usize),
}

impl<'t> StringPlaces<'t> {
    /// For the string that stands, with its quotes, at `span` of `text`; `None` where no whole string does.
    pub fn new(text: &'t str, span: Span) -> Option<Self> {
        let whole = text.get(span.start..span.end)?;
        let quotes = ["\"\"\"", "'''", "\"", "'"]
            .into_iter()
            .find(|quotes| whole.starts_with(quotes))?;
        let content = whole[quotes.len()..].strip_suffix(quotes)?;
        let newline = match quotes.len() {
            3 if content.starts_with("\r\n") => 2,
            3 if content.starts_with('\n') => 1,
            _ => 0,
        };
        let raw = &content[newline..];
        Some(Self {
            raw,
            base: span.start + quotes.len() + newline,
            escaped: quotes.starts_with('"') && raw.contains('\\'),
            walked: (0, 0),
        })
    }

    /// The place of all that is between the quotes, without the line break that may follow the first ones.
    pub fn content(&self) -> Span {
        Span::new(self.base, self.base + self.raw.len())
    }

    /// The place of the bytes `range` of what the string says; `None` where they are not whole characters of it.
    /// Takes time linear in the string for all ranges together, as long as each begins behind the one before.
    pub fn place(&mut self, range: &Range<usize>) -> Option<Span> {
        let (start, end) = if self.escaped {
            if range.start < self.walked.1 {
                self.walked = (0, 0);
            }
            self.walk_to(range.start)?;
            // What says nothing, as the end of a continued line, does not begin a part.
            let mut start = self.walked.0;
            while let Some((len, 0)) = step(&self.raw[start..]) {
                start += len;
            }
            self.walk_to(range.end)?;
            (start.min(self.walked.0), self.walked.0)
        } else {
            self.raw.get(range.start..range.end)?;
            (range.start, range.end)
        };
        Some(Span::new(self.base + start, self.base + end))
    }

    /// Walks until `decoded` bytes of what the string says are behind.
    fn walk_to(&mut self, decoded: usize) -> Option<()> {
        while self.walked.1 < decoded {
            let (len, says) = step(&self.raw[self.walked.0..])?;
            self.walked.0 += len;
            self.walked.1 += says;
        }
        (self.walked.1 == decoded).then_some(())
    }
}

/// The length of the first character of a basic string as written, and that of what it says.
fn step(raw: &str) -> Option<(usize, usize)> {
    let first = raw.chars().next()?;
    if first != '\\' {
        return Some((first.len_utf8(), first.len_utf8()));
    }
    let letter = raw[1..].chars().next()?;
    let digits = match letter {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        ' ' | '\t' | '\n' | '\r' => {
            let rest = raw[1..].trim_start_matches([' ', '\t', '\n', '\r']);
            return Some((raw.len() - rest.len(), 0));
        }
        _ => return Some((1 + letter.len_utf8(), 1)),
    };
    let code = u32::from_str_radix(raw.get(2..2 + digits)?, 16).ok()?;
    Some((2 + digits, char::from_u32(code)?.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_strings_stand_where_they_are_written() {
        for (text, range, part) in [
            ("'{{id}}'", 0..6, "{{id}}"),
            ("\"a {{id}}\"", 2..8, "{{id}}"),
            ("\"\"\"\na {{id}}\"\"\"", 2..8, "{{id}}"),
            ("'''\r\na {{id}}'''", 2..8, "{{id}}"),
            (r#""\t{{id}}""#, 1..7, "{{id}}"),
            (r#""\\\"{{id}}""#, 2..8, "{{id}}"),
            (r#""\u00e9{{id}}\U0001F600""#, 2..8, "{{id}}"),
            (r#""{{\x69d}}""#, 0..6, r"{{\x69d}}"),
            ("\"\"\"a\\\n   {{id}}\"\"\"", 1..7, "{{id}}"),
            ("\"\"\"{{i\\\n d}}\"\"\"", 0..6, "{{i\\\n d}}"),
        ] {
            let mut places = StringPlaces::new(text, Span::new(0, text.len())).expect(text);
            let place = places.place(&range).expect(text);
            assert_eq!(place.of(text), part, "{text}");
        }
    }

    #[test]
    fn parts_are_found_in_any_order() {
        let text = r#""\ta\tb""#;
        let mut places = StringPlaces::new(text, Span::new(0, text.len())).expect("a string");
        for (range, part) in [(3..4, "b"), (1..2, "a"), (3..4, "b")] {
            assert_eq!(places.place(&range).expect("a part").of(text), part);
        }
    }

    #[test]
    fn what_is_no_part_has_no_place() {
        let found = |text: &str, range| {
            let places = StringPlaces::new(text, Span::new(0, text.len()));
            places.and_then(|mut places| places.place(&range))
        };
        assert_eq!(found("\"abc", 0..1), None);
        assert_eq!(found("12", 0..1), None);
        assert_eq!(found("\"abc\"", 2..9), None);
        assert_eq!(found(r#""\u00e9""#, 1..2), None);
    }
}
