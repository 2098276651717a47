//! Whatever bytes a file holds: analysis ends, every place it speaks of is in the text, and every fix can be applied.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopls::check::Analysis;
use loopls::definition::Nowhere;
use loopls::ide;
use loopls::text::{Encoding, Span, apply_edits, range_of};
use ropey::Rope;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let analysis = Analysis::new(Rope::from_str(&text));
    let inside = |span: Span| {
        assert!(span.start <= span.end && span.end <= text.len());
        assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
        range_of(&analysis.rope, span, Encoding::Utf16);
    };
    for diagnostic in analysis.diagnostics_in(&Nowhere) {
        inside(diagnostic.span);
        diagnostic.related.iter().for_each(|related| inside(related.span));
        for fix in analysis.fixes(&diagnostic) {
            assert!(apply_edits(&text, &fix.edits).is_some(), "{}", fix.title);
        }
    }
    // The first byte chooses a cursor.
    let mut offset = bytes.first().map_or(0, |byte| usize::from(*byte) * text.len() / 256);
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    if let Some(hover) = ide::hover(&analysis, &Nowhere, offset) {
        inside(hover.span);
    }
    for completion in ide::completions(&analysis, &Nowhere, offset) {
        inside(completion.edit.span);
    }
    ide::lenses(&analysis).iter().for_each(|lens| inside(lens.span));
    if analysis.syntax_errors.is_empty() {
        let formatted = apply_edits(&text, &ide::format(&analysis)).expect("edits do not overlap");
        let again = Analysis::new(Rope::from_str(&formatted));
        assert!(again.syntax_errors.is_empty(), "formatting broke the text");
        assert!(ide::format(&again).is_empty(), "formatting twice is formatting once");
    }
});
