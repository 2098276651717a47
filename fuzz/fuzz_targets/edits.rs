//! However a text is edited: the document is the text that a plain string would be, in every encoding, and its
//! diagnostics are those of the same text opened afresh.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopls::check::Analysis;
use loopls::text::{Change, Document, Encoding, Range, position_at};
use ropey::Rope;

const START: &str = "name = \"x\"\r\n[model]\nprovider = \"scripted\"\nname = \"é🚀\"\n[[modes]]\nname = \"a\"\n";
const PIECES: [&str; 16] = [
    "\"", "'", "[", "]", "{", "}", "=", "\n", "\r\n", "\r", "#", "\u{1f680}", "\u{2028}", "name = \"b\"\n", "[[tools]]\n", "",
];

fuzz_target!(|bytes: &[u8]| {
    let mut plain = START.to_owned();
    let mut document = Document::new(&plain, 0);
    for (version, edit) in bytes.chunks_exact(4).enumerate() {
        let border = |byte: u8| {
            let mut offset = usize::from(byte) * plain.len() / 255;
            while !plain.is_char_boundary(offset) {
                offset -= 1;
            }
            offset
        };
        let encoding = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32][usize::from(edit[0]) % 3];
        let (one, other) = (border(edit[1]), border(edit[2]));
        let (mut start, mut end) = (one.min(other), one.max(other));
        // A place within a line break is no place in an editor: it is the end of its line.
        for offset in [&mut start, &mut end] {
            if plain[..*offset].ends_with('\r') && plain[*offset..].starts_with('\n') {
                *offset -= 1;
            }
        }
        let rope = document.rope().clone();
        let range = Range { start: position_at(&rope, start, encoding), end: position_at(&rope, end, encoding) };
        let text = PIECES[usize::from(edit[3]) % PIECES.len()];
        let change = Change { range: Some(range), text: text.to_owned() };
        document.apply(&[change], encoding, version as i32 + 1);
        plain.replace_range(start..end, text);
        assert_eq!(document.rope().to_string(), plain);
    }
    let edited = Analysis::new(document.rope().clone());
    let fresh = Analysis::new(Rope::from_str(&plain));
    assert_eq!(edited.diagnostics, fresh.diagnostics);
});
