//! Server-sent events, read as their specification has it, however the bytes are cut into chunks.

use super::super::ModelError;

/// The longest event, in bytes.
const LONGEST_EVENT: usize = 16 << 20;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// Its type; empty where none was given.
    pub event: String,
    /// Its data lines, with line feeds between them.
    pub data: String,
}

/// Reads events from bytes.
#[derive(Debug, Default)]
pub struct SseReader {
    /// The line that is not over.
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    /// The last byte was a carriage return: a line feed after it belongs to the same line end.
    after_return: bool,
    /// The first bytes, which may be a byte order mark, are over.
    begun: bool,
}

impl SseReader {
    /// Takes `bytes` and returns the events that they completed.
    ///
    /// # Errors
    ///
    /// An event is longer than 16 MiB.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, ModelError> {
        let mut events = Vec::new();
        for &byte in bytes {
            let follows_return = std::mem::take(&mut self.after_return);
            match byte {
                b'\n' if follows_return => {}
                b'\n' => events.extend(self.end_line()),
                b'\r' => {
                    self.after_return = true;
                    events.extend(self.end_line());
                }
                byte => self.line.push(byte),
            }
            if self.line.len() + self.event.data.len() > LONGEST_EVENT {
                return Err(ModelError {
                    message: "the provider sent an event of more than 16 MiB".into(),
                    retryable: false,
                    retry_after: None,
                });
            }
        }
        Ok(events)
    }

    /// The event that the stream's end completes: servers leave out the last blank line.
    pub fn end(mut self) -> Option<SseEvent> {
        let at_line = self.end_line();
        at_line.or_else(|| self.dispatch())
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let line = std::mem::take(&mut self.line);
        let mut line = line.as_slice();
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch();
        }
        let line = String::from_utf8_lossy(line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.event.event = value.to_owned(),
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.has_data = true;
                self.event.data.push_str(value);
            }
            // Comments have an empty field; ids and retry times are of no use here.
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<SseEvent> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, chunk: usize) -> Vec<(String, String)> {
        let mut reader = SseReader::default();
        let mut events = Vec::new();
        for bytes in text.as_bytes().chunks(chunk) {
            events.extend(reader.push(bytes).unwrap());
        }
        events.extend(reader.end());
        events
            .into_iter()
            .map(|event| (event.event, event.data))
            .collect()
    }

    /// mistral-vibe#794, llmgateway#2334, liter-llm#152, praxis#739.
    #[test]
    fn events_are_the_same_however_the_bytes_are_cut() {
        let cases = [
            ("data: a\n\ndata: b\n\n", vec![("", "a"), ("", "b")]),
            (
                "\u{feff}event: x\r\ndata: ä€\r\ndata:two\r\n\r\n",
                vec![("x", "ä€\ntwo")],
            ),
            ("data: a\r\rdata: b\r\r", vec![("", "a"), ("", "b")]),
            (": comment\n\n\n\ndata: a\n\n: more\n", vec![("", "a")]),
            ("event: only\n\ndata\n\n", vec![("", "")]),
            ("id: 1\nretry: 5\ndata:  spaced\n\n", vec![("", " spaced")]),
            ("data: without its end", vec![("", "without its end")]),
        ];
        for (text, expected) in cases {
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(a, b)| (a.to_owned(), b.to_owned()))
                .collect();
            for chunk in [1, 2, 3, 1000] {
                assert_eq!(read(text, chunk), expected, "{text:?} by {chunk}");
            }
        }
    }
}
