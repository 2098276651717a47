//! What the model gets of a call's result: valid text of a bounded length.

use crate::bind::{Outcome, RESULT_BYTES, Secrets};
use std::borrow::Cow;

/// How often the marker is made anew; its length settles long before.
const ROUNDS: usize = 8;

/// A result as the model gets it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Treated {
    pub text: String,
    /// Bytes that the tool gave, each secret counted as what stands in its place.
    pub bytes: u64,
    /// How many of them are not in `text`.
    pub omitted: u64,
}

/// Hides `secrets` in `outcome`, then repairs it and cuts it to `limit` bytes; 0 leaves only the hard bound.
pub(super) fn treat(outcome: Outcome, limit: u64, secrets: &Secrets) -> Treated {
    let limit = match usize::try_from(limit) {
        Ok(0) | Err(_) => RESULT_BYTES,
        Ok(limit) => limit.min(RESULT_BYTES),
    };
    if outcome.dropped > 0 {
        let mut before = outcome.bytes;
        let after = before.split_off(outcome.dropped_at.min(before.len()));
        let [before, after] = [before, after].map(|side| secrets.hide_bytes(side));
        let bytes = (before.len() + after.len()) as u64 + outcome.dropped;
        // A secret that the drop divided is not found, so what may be a part of one goes too.
        let part = secrets.longest().saturating_sub(1);
        let before = &before[..before.len().saturating_sub(part)];
        let after = &after[part.min(after.len())..];
        let before = Repaired::new(Cow::Borrowed(without_cut_end(before)));
        let after = Repaired::new(Cow::Borrowed(without_cut_start(after)));
        return cut(&before, &after, bytes, limit);
    }
    let bytes = secrets.hide_bytes(outcome.bytes);
    let repaired = Repaired::new(Cow::Owned(bytes));
    let bytes = repaired.source;
    if repaired.text.len() <= limit {
        return Treated {
            text: repaired.text.into_owned(),
            bytes,
            omitted: 0,
        };
    }
    cut(&repaired, &repaired, bytes, limit)
}

/// The start of `head`, a marker, and the end of `tail`, together at most `limit` bytes.
fn cut(head: &Repaired, tail: &Repaired, total: u64, limit: usize) -> Treated {
    let mut omitted = total;
    let mut marker = marker_of(omitted, total);
    let (mut start, mut end) = ("", "");
    for _ in 0..ROUNDS {
        let room = limit.saturating_sub(marker.len());
        start = prefix(&head.text, room / 2);
        end = suffix(&tail.text, room - room / 2);
        let kept = head.source_of_prefix(start.len()) + tail.source_of_suffix(end.len());
        omitted = total.saturating_sub(kept);
        let next = marker_of(omitted, total);
        if next == marker {
            break;
        }
        marker = next;
    }
    Treated {
        text: [start, &marker, end].concat(),
        bytes: total,
        omitted,
    }
}

fn marker_of(omitted: u64, total: u64) -> String {
    format!("\n[tool output truncated: omitted {omitted} of {total} bytes]\n")
}

/// The first `length` bytes of `text`, cut back to a character border.
fn prefix(text: &str, length: usize) -> &str {
    let mut end = length.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The last `length` bytes of `text`, cut forward to a character border.
fn suffix(text: &str, length: usize) -> &str {
    let mut start = text.len().saturating_sub(length);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// Bytes in which each run of invalid ones became one U+FFFD.
struct Repaired<'a> {
    text: Cow<'a, str>,
    /// The source bytes.
    source: u64,
    /// For each U+FFFD that was put in: where it stands in `text`, and how many bytes it stands for.
    runs: Vec<(usize, u64)>,
}

const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

impl<'a> Repaired<'a> {
    fn new(bytes: Cow<'a, [u8]>) -> Self {
        let source = bytes.len() as u64;
        let bytes = match bytes {
            Cow::Borrowed(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => return Self::valid(Cow::Borrowed(text)),
                Err(_) => Cow::Borrowed(bytes),
            },
            Cow::Owned(bytes) => match String::from_utf8(bytes) {
                Ok(text) => return Self::valid(Cow::Owned(text)),
                Err(error) => Cow::Owned(error.into_bytes()),
            },
        };
        let mut text = String::with_capacity(bytes.len());
        let mut runs: Vec<(usize, u64)> = Vec::new();
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            let invalid = chunk.invalid().len() as u64;
            match runs.last_mut() {
                _ if invalid == 0 => {}
                Some((at, length)) if *at + REPLACEMENT.len_utf8() == text.len() => {
                    *length += invalid;
                }
                _ => {
                    runs.push((text.len(), invalid));
                    text.push(REPLACEMENT);
                }
            }
        }
        Self {
            text: Cow::Owned(text),
            source,
            runs,
        }
    }

    fn valid(text: Cow<'a, str>) -> Self {
        Self {
            source: text.len() as u64,
            text,
            runs: Vec::new(),
        }
    }

    /// How many source bytes the first `length` bytes of the text stand for.
    fn source_of_prefix(&self, length: usize) -> u64 {
        let runs = self.runs.iter().take_while(|(at, _)| *at < length);
        let (replaced, stands_for) = runs.fold((0, 0), |(replaced, stands_for), (_, run)| {
            (replaced + REPLACEMENT.len_utf8() as u64, stands_for + run)
        });
        length as u64 - replaced + stands_for
    }

    /// How many source bytes the last `length` bytes of the text stand for.
    fn source_of_suffix(&self, length: usize) -> u64 {
        self.source - self.source_of_prefix(self.text.len() - length)
    }
}

/// `bytes` without the beginning of a character whose end was dropped.
fn without_cut_end(bytes: &[u8]) -> &[u8] {
    let last = bytes.iter().rposition(|byte| *byte & 0xC0 != 0x80);
    match last.map(|start| (start, std::str::from_utf8(&bytes[start..]))) {
        Some((start, Err(error))) if error.error_len().is_none() => &bytes[..start],
        _ => bytes,
    }
}

/// `bytes` without the rest of a character whose beginning was dropped.
fn without_cut_start(bytes: &[u8]) -> &[u8] {
    let rest = bytes
        .iter()
        .take(3)
        .take_while(|byte| **byte & 0xC0 == 0x80)
        .count();
    &bytes[rest..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn treat(outcome: Outcome, limit: u64) -> Treated {
        super::treat(outcome, limit, &Secrets::default())
    }

    fn outcome(bytes: &[u8], dropped_at: usize, dropped: u64) -> Outcome {
        Outcome {
            bytes: bytes.to_vec(),
            dropped_at,
            dropped,
            is_error: false,
        }
    }

    #[test]
    fn what_fits_is_repaired_only() {
        for (bytes, expected) in [
            (&b""[..], ""),
            (b"plain", "plain"),
            (b"\xff", "\u{fffd}"),
            (b"a\xff\xfe\xe2\x82b\x80", "a\u{fffd}b\u{fffd}"),
            ("a\u{fffd}\u{fffd}".as_bytes(), "a\u{fffd}\u{fffd}"),
        ] {
            let expected = Treated {
                text: expected.into(),
                bytes: bytes.len() as u64,
                omitted: 0,
            };
            assert_eq!(treat(outcome(bytes, 0, 0), 256), expected);
        }
    }

    #[test]
    fn without_a_limit_the_hard_bound_cuts() {
        let fits = vec![b'x'; RESULT_BYTES];
        assert_eq!(treat(outcome(&fits, 0, 0), 0).omitted, 0);
        let over = vec![b'x'; RESULT_BYTES + 1];
        for limit in [0, u64::MAX] {
            let treated = treat(outcome(&over, 0, 0), limit);
            assert_eq!(treated.text.len(), RESULT_BYTES);
            assert_eq!(treated.bytes, RESULT_BYTES as u64 + 1);
            // The marker takes the place of as many bytes, and one did not fit.
            let marker = "\n[tool output truncated: omitted 55 of 8388609 bytes]\n";
            assert_eq!(treated.omitted, marker.len() as u64 + 1);
            assert!(treated.text.contains(marker));
        }
    }

    #[test]
    fn what_the_source_dropped_counts_and_is_marked_where_it_was() {
        let cases = [
            // Everything that was kept fits.
            (
                outcome(b"headtail", 4, 100),
                "head\n[tool output truncated: omitted 100 of 108 bytes]\ntail",
                100,
            ),
            // A character that the drop divided goes with it, on both sides.
            (
                outcome(b"h\xe2\x82\xact", 2, 100),
                "h\n[tool output truncated: omitted 103 of 105 bytes]\nt",
                103,
            ),
            (
                outcome(b"h\xff\xff", 3, 100),
                "h\u{fffd}\n[tool output truncated: omitted 100 of 103 bytes]\n",
                100,
            ),
            // A place beyond the bytes is their end.
            (
                outcome(b"head", 9, 1),
                "head\n[tool output truncated: omitted 1 of 5 bytes]\n",
                1,
            ),
        ];
        for (outcome, text, omitted) in cases {
            let bytes = outcome.bytes.len() as u64 + outcome.dropped;
            let treated = treat(outcome, 256);
            let expected = Treated {
                text: text.into(),
                bytes,
                omitted,
            };
            assert_eq!(treated, expected);
        }
        // More was kept than fits: head and tail come from their own sides.
        let kept = [[b'h'; 300], [b't'; 300]].concat();
        let treated = treat(outcome(&kept, 300, 1_000), 256);
        assert_eq!(treated.text.len(), 256);
        let heads = treated.text.matches('h').count();
        let (head, tail) = treated.text.split_once("\n[").unwrap();
        assert!(head.bytes().all(|byte| byte == b'h') && tail.ends_with("ttt"));
        assert_eq!(heads, head.len());
        let kept = head.len() + tail.split_once("]\n").unwrap().1.len();
        assert_eq!(treated.omitted, 1_600 - kept as u64);
    }

    proptest::proptest! {
        #[test]
        fn dropping_what_would_be_cut_changes_nothing(text in "\\PC{300,400}", limit in 256_u64..300) {
            let bytes = text.as_bytes();
            let whole = treat(outcome(bytes, 0, 0), limit);
            proptest::prop_assert!(whole.text.len() as u64 <= limit);
            if whole.omitted > 0 {
                let half = limit as usize / 2;
                let kept = [&bytes[..half], &bytes[bytes.len() - half..]].concat();
                let dropped = bytes.len() - kept.len();
                let treated = treat(outcome(&kept, half, dropped as u64), limit);
                proptest::prop_assert_eq!(treated, whole);
            }
        }

        #[test]
        fn any_bytes_become_text_within_the_limit(bytes: Vec<u8>, limit in 256_u64..300) {
            let bytes = bytes.repeat(10);
            let treated = treat(outcome(&bytes, 0, 0), limit);
            proptest::prop_assert!(treated.text.len() as u64 <= limit);
            proptest::prop_assert_eq!(treated.bytes, bytes.len() as u64);
            if treated.omitted == 0 {
                let text = treated.text.replace(char::REPLACEMENT_CHARACTER, "");
                proptest::prop_assert!(text.len() <= bytes.len());
            }
        }
    }

    #[test]
    fn secrets_are_hidden_before_anything_is_cut() {
        let secrets = Secrets::new([("KEY", "s3cr3t-k3y")]);
        let treat = |outcome, limit| super::treat(outcome, limit, &secrets);
        let treated = treat(outcome(b"\xffs3cr3t-k3y\xff", 0, 0), 256);
        assert_eq!(
            (treated.text.as_str(), treated.bytes),
            ("\u{fffd}[KEY]\u{fffd}", 7)
        );

        // Over the limit as it is, under it without secrets.
        let many = b"s3cr3t-k3y".repeat(30);
        assert_eq!(treat(outcome(&many, 0, 0), 256).text, "[KEY]".repeat(30));

        // Whatever part of it the source dropped, no piece of it is left.
        for at in 1..10 {
            let (start, end) = b"s3cr3t-k3y".split_at(at);
            let kept = [&b"first "[..], start, end, b" last"].concat();
            let treated = treat(outcome(&kept, 6 + at, 100), 256);
            let marker = format!(" of {} bytes]\n", kept.len() + 100);
            let (before, after) = treated.text.split_once("\n[tool output truncated").unwrap();
            assert!("first ".starts_with(before), "{at}: {before}");
            let (_, after) = after.split_once(&marker).unwrap();
            assert!(" last".ends_with(after), "{at}: {after}");
        }
    }
}
