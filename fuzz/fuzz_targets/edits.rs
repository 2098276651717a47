//! However a text is edited: the document is the text that a plain string would be, in every encoding, and the analysis
//! that each edit makes of the one before is that of the same text opened afresh.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopls::check::Analysis;
use loopls::text::{Change, Document, Encoding, Range, position_at};
use ropey::Rope;

const START: &str = "name = \"x\"\r\n[model]\nprovider = \"scripted\"\nname = \"é🚀\"\n[[modes]]\nname = \"a\"\n\
[[tools]]\nname = \"t\"\ncommand = [\n  \"sh\",\n]\n[tools.input]\nrequired = []\n[limits]\ncalls = { a = 1 }\n[[modes]]\nname = \"b\"\n";
const PIECES: [&str; 20] = [
    "\"", "'", "[", "]", "{", "}", "=", "\n", "\r\n", "\r", "#", "\u{1f680}", "\u{2028}", "name = \"b\"\n", "[[tools]]\n", "", "\"\"\"", "'''", ",", "\u{feff}",
];

fuzz_target!(|bytes: &[u8]| {
    let mut plain = START.to_owned();
    let mut document = Document::new(&plain, 0);
    let mut edited = Analysis::new(document.rope().clone());
    for (version, edit) in bytes.chunks_exact(4).enumerate() {
        let border = |byte: u8| {
            let mut offset = usize::from(byte) * plain.len() / 255;
            while !plain.is_char_boundary(offset) {
                offset -= 1;
            }
            offset
        };
        let encoding = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32][usize::from(edit[0]) % 3];
        // Most edits are those of a person: a key typed, a few characters replaced.
        let one = border(edit[1]);
        let other = match edit[0] {
            0..200 => plain[one..].char_indices().nth(usize::from(edit[2]) % 4).map_or(one, |(at, _)| one + at),
            _ => border(edit[2]),
        };
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
        edited = Analysis::after(&mut edited, document.rope().clone());
        let fresh = Analysis::new(Rope::from_str(&plain));
        // As text, for `nan` is not equal to itself.
        assert_eq!(format!("{:?}", edited.tree), format!("{:?}", fresh.tree));
        assert_eq!(edited.syntax_errors, fresh.syntax_errors);
        assert_eq!(format!("{:?}", edited.table), format!("{:?}", fresh.table));
        assert_eq!(edited.mentions(), fresh.mentions());
        assert_eq!(edited.diagnostics, fresh.diagnostics);
    }
});
