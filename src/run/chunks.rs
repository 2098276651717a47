//! The output of a running call on its way to people: as text, without secrets, bounded, and not after the call is over.

use super::Event;
use super::transcript::Recorder;
use crate::bind::{Hiding, OutputSink, Stream};
use std::sync::{Arc, Mutex, PoisonError};

/// The most bytes of output that people are shown of one call (`docs/security.md`, 20).
const MAX_SHOWN_BYTES: usize = 1 << 20;

/// Makes `ToolOutput` events of what a call writes. Dropping it ends that, whatever the tool still writes.
pub(super) struct Chunks {
    shared: Arc<Shared>,
}

struct Shared {
    recorder: Arc<Recorder>,
    call: u64,
    state: Mutex<State>,
}

struct State {
    closed: bool,
    shown: usize,
    streams: [Streaming; 2],
}

/// One stream of a call.
struct Streaming {
    hiding: Hiding,
    /// The beginning of a character whose end is still to come.
    pending: Vec<u8>,
}

impl Chunks {
    pub fn new(recorder: Arc<Recorder>, call: u64) -> Self {
        let streaming = || Streaming {
            hiding: Hiding::new(recorder.secrets().clone()),
            pending: Vec::new(),
        };
        let state = State {
            closed: false,
            shown: 0,
            streams: [streaming(), streaming()],
        };
        Self {
            shared: Arc::new(Shared {
                recorder,
                call,
                state: Mutex::new(state),
            }),
        }
    }

    /// What the call writes to.
    pub fn sink(&self) -> OutputSink {
        let shared = self.shared.clone();
        Arc::new(move |stream, bytes| shared.write(stream, bytes))
    }
}

impl Drop for Chunks {
    fn drop(&mut self) {
        self.shared.close();
    }
}

impl Shared {
    fn write(&self, stream: Stream, bytes: &[u8]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return;
        }
        let streaming = &mut state.streams[stream as usize];
        let bytes = streaming.hiding.push(bytes);
        streaming.pending.extend_from_slice(&bytes);
        let mut text = take_text(&mut streaming.pending);
        state.shown += text.len();
        if state.shown > MAX_SHOWN_BYTES {
            state.closed = true;
            text = "\n[more output is not shown]\n".into();
        }
        self.emit(stream, text);
    }

    fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut state.closed, true) {
            return;
        }
        for stream in [Stream::Stdout, Stream::Stderr] {
            let streaming = &mut state.streams[stream as usize];
            let mut last = std::mem::take(&mut streaming.pending);
            last.extend(streaming.hiding.finish());
            self.emit(stream, String::from_utf8_lossy(&last).into_owned());
        }
    }

    fn emit(&self, stream: Stream, text: String) {
        if !text.is_empty() {
            self.recorder.emit(Event::ToolOutput {
                call: self.call,
                stream,
                text,
            });
        }
    }
}

/// Takes the text that `bytes` begins with and leaves only an unfinished character at their end.
fn take_text(bytes: &mut Vec<u8>) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes.as_slice();
    loop {
        match std::str::from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                rest = &[];
                break;
            }
            Err(error) => {
                let (valid, invalid) = rest.split_at(error.valid_up_to());
                text.push_str(&String::from_utf8_lossy(valid));
                let Some(length) = error.error_len() else {
                    rest = invalid;
                    break;
                };
                text.push(char::REPLACEMENT_CHARACTER);
                rest = &invalid[length..];
            }
        }
    }
    *bytes = rest.to_vec();
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::Secrets;
    use crate::run::Record;

    fn shown(writes: &[(Stream, &[u8])]) -> Vec<String> {
        shown_without(&Arc::default(), writes)
    }

    fn shown_without(secrets: &Arc<Secrets>, writes: &[(Stream, &[u8])]) -> Vec<String> {
        let texts: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = texts.clone();
        let seeing = move |record: &Record| {
            let Event::ToolOutput { text, .. } = &record.event else {
                panic!("{record:?}");
            };
            seen.lock().unwrap().push(text.clone());
        };
        let recorder = Recorder::new(Arc::new(seeing), secrets.clone());
        let chunks = Chunks::new(Arc::new(recorder), 1);
        let sink = chunks.sink();
        for (stream, bytes) in writes {
            sink(*stream, bytes);
        }
        drop(chunks);
        sink(Stream::Stdout, b"late");
        let texts = texts.lock().unwrap();
        texts.clone()
    }

    #[test]
    fn chunks_are_text_whatever_they_are_split_at() {
        use Stream::{Stderr, Stdout};
        for (writes, expected) in [
            (vec![(Stdout, &b"plain"[..])], vec!["plain"]),
            (
                vec![(Stdout, b"a\xe2\x82"), (Stderr, b"b"), (Stdout, b"\xacc")],
                vec!["a", "b", "€c"],
            ),
            (vec![(Stdout, b"a\xffb")], vec!["a\u{fffd}b"]),
            (vec![(Stdout, b"\xe2\x82")], vec!["\u{fffd}"]),
            (vec![(Stdout, b"")], vec![]),
        ] {
            assert_eq!(shown(&writes), expected);
        }
    }

    #[test]
    fn a_secret_is_hidden_also_where_it_is_divided_among_chunks_and_streams() {
        use Stream::{Stderr, Stdout};
        let secrets = Arc::new(Secrets::new([("KEY", "s3cr3t-k3y")]));
        let writes = [
            (Stdout, &b"a s3cr"[..]),
            (Stderr, b"3t-k3y is no part; s3cr3t-k3y"),
            (Stdout, b"3t-k3y b\xff"),
            (Stdout, b" s3cr3t\xe2"),
        ];
        let expected = [
            "a ",
            "3t-k3y is no part; [KEY]",
            "[KEY] b\u{fffd}",
            " s3cr3t",
            "\u{fffd}",
        ];
        assert_eq!(shown_without(&secrets, &writes), expected);
    }

    #[test]
    fn the_output_that_is_shown_is_bounded() {
        let half = vec![b'x'; MAX_SHOWN_BYTES / 2];
        let writes: Vec<_> = (0..5).map(|_| (Stream::Stdout, half.as_slice())).collect();
        let shown = shown(&writes);
        assert_eq!(shown.len(), 3);
        assert_eq!(shown[2], "\n[more output is not shown]\n");
    }
}
