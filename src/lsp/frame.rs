//! Messages as bytes: a length, a blank line, JSON.
//!
//! Reading is lenient, since a session that ends over one bad message costs a person more than the message: what is no
//! header is skipped up to the next one, and JSON that only a lone surrogate or an invalid byte spoils is repaired.

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// The most bytes that one message may have; a longer one ends the session (`docs/security.md`, 22).
pub const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// The most bytes looked at as one header line.
const MAX_LINE_BYTES: u64 = 64 << 10;

const LENGTH_HEADER: &[u8] = b"content-length:";

/// What came of reading one message.
#[derive(Debug)]
pub enum Frame {
    /// A message's bytes.
    Message(Vec<u8>),
    /// A header block without a usable length; reading goes on at the next header.
    BadHeader,
    /// A message longer than [`MAX_MESSAGE_BYTES`]; nothing can be read after it.
    TooLong(u64),
    /// The end of input.
    End,
}

/// Reads the next message; after [`Frame::End`] and [`Frame::TooLong`] there is none.
pub async fn read(reader: &mut (impl AsyncBufRead + Unpin)) -> Frame {
    let mut length = None;
    let mut bad = false;
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut *reader)
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line)
            .await
        {
            Ok(0) | Err(_) => return Frame::End,
            Ok(_) => {}
        }
        // After a wrong length the next header stands behind the rest of a message, on one line with it.
        if let Some(at) = find_length_header(&line) {
            length = parse_length(&line[at + LENGTH_HEADER.len()..]);
            bad = length.is_none();
        } else if line.iter().all(u8::is_ascii_whitespace) {
            match length {
                Some(length) if length > MAX_MESSAGE_BYTES as u64 => {
                    return Frame::TooLong(length);
                }
                Some(length) => return read_body(reader, length).await,
                None if bad => return Frame::BadHeader,
                None => {}
            }
        } else if length.is_none() {
            bad = true;
        }
    }
}

async fn read_body(reader: &mut (impl AsyncBufRead + Unpin), length: u64) -> Frame {
    // The buffer grows with what arrives, not with what was promised.
    let mut body = Vec::with_capacity(length.min(MAX_LINE_BYTES) as usize);
    match reader.take(length).read_to_end(&mut body).await {
        Ok(read) if read as u64 == length => Frame::Message(body),
        _ => Frame::End,
    }
}

fn find_length_header(line: &[u8]) -> Option<usize> {
    line.windows(LENGTH_HEADER.len())
        .rposition(|window| window.eq_ignore_ascii_case(LENGTH_HEADER))
}

fn parse_length(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}

/// Reads `bytes` as JSON, repairing invalid UTF-8 and lone surrogates to U+FFFD where it must.
///
/// # Errors
///
/// What is wrong beyond that.
pub fn parse_json(bytes: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(bytes).or_else(|error| {
        let text = String::from_utf8_lossy(bytes);
        let repaired = repair_surrogates(&text);
        // Nothing to repair: the first error says it best.
        if repaired.as_bytes() == bytes {
            return Err(error);
        }
        serde_json::from_str(&repaired)
    })
}

/// Replaces each `\uXXXX` that is half a surrogate pair by `\ufffd`. A backslash stands in JSON within strings only,
/// so escapes are found without parsing.
fn repair_surrogates(text: &str) -> String {
    let mut repaired = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        repaired.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match (escaped_unit(rest), rest.get(6..).and_then(escaped_unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                repaired.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            // The backslash and the character it escapes.
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        repaired.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    repaired.push_str(rest);
    repaired
}

/// The code unit of the `\uXXXX` that `text` begins with.
fn escaped_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    hexadecimal
        .then(|| u16::from_str_radix(digits, 16).ok())
        .flatten()
}

/// The message with its header in front.
///
/// # Errors
///
/// The message cannot be JSON.
pub fn encode(message: &impl serde::Serialize) -> serde_json::Result<Vec<u8>> {
    Ok(with_header(&serde_json::to_vec(message)?))
}

/// The body of a message with its header in front.
pub fn with_header(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.reserve_exact(body.len());
    frame.extend_from_slice(body);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `input` is read as: messages as text, `!` for a bad header.
    async fn frames(input: &str) -> Vec<String> {
        let mut reader = input.as_bytes();
        let mut frames = Vec::new();
        loop {
            match read(&mut reader).await {
                Frame::Message(body) => frames.push(String::from_utf8(body).unwrap()),
                Frame::BadHeader => frames.push("!".into()),
                Frame::TooLong(length) => {
                    frames.push(format!("{length} is too long"));
                    return frames;
                }
                Frame::End => return frames,
            }
        }
    }

    #[tokio::test]
    async fn reading_goes_on_after_a_bad_header() {
        for (input, expected) in [
            (
                "Content-Length: 2\r\n\r\n{}Content-Length: 1\r\n\r\n1",
                &["{}", "1"][..],
            ),
            ("content-length:2\n\n{}", &["{}"]),
            (
                "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
                &["{}"],
            ),
            (
                "Content-Length: two\r\n\r\n{}Content-Length: 1\r\n\r\n1",
                &["!", "1"],
            ),
            (
                "Content-Length: -2\r\n\r\n{}\r\nContent-Length: 1\r\n\r\n1",
                &["!", "1"],
            ),
            ("Nonsense\r\n\r\nContent-Length: 1\r\n\r\n1", &["!", "1"]),
            ("\r\n\r\nContent-Length: 1\r\n\r\n1", &["1"]),
            // Too short by one, then whole again.
            (
                "Content-Length: 1\r\n\r\n{}Content-Length: 1\r\n\r\n1",
                &["{", "1"],
            ),
            ("Content-Length: 5\r\n\r\n{}", &[]),
            (
                "Content-Length: 67108865\r\n\r\n{}",
                &["67108865 is too long"],
            ),
            (
                "Content-Length: 18446744073709551615\r\n\r\n",
                &["18446744073709551615 is too long"],
            ),
        ] {
            assert_eq!(frames(input).await, expected, "{input:?}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_becomes_a_replacement_character() {
        for (json, expected) in [
            (r#""\ud83d""#, "\u{fffd}"),
            (r#""\ude00""#, "\u{fffd}"),
            (r#""\ud83d\ude00""#, "😀"),
            (r#""a\ud83d\ud83d\ude00b""#, "a\u{fffd}😀b"),
            (r#""\ud83d\n""#, "\u{fffd}\n"),
            (r#""\\ud83d\ud83d""#, "\\ud83d\u{fffd}"),
            (r#""\\\ud83d""#, "\\\u{fffd}"),
        ] {
            assert_eq!(parse_json(json.as_bytes()).unwrap(), expected, "{json}");
        }
    }

    #[test]
    fn invalid_bytes_become_replacement_characters() {
        assert_eq!(parse_json(b"\"a\xffb\"").unwrap(), "a\u{fffd}b");
    }

    #[test]
    fn what_is_no_json_stays_none() {
        for json in ["", "{", "\"\\", "\"\\u", "\"\\ud83", "\"\\ud83d", "{]"] {
            assert!(parse_json(json.as_bytes()).is_err(), "{json}");
        }
    }
}
