//! Whatever bytes a file holds: analysis ends soon, every place it speaks of is in the text, every fix puts something
//! right, fixing everything makes nothing worse, and formatting changes no meaning and is done after once.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopls::check::{Analysis, Diagnostic, Levels, MOST_DIAGNOSTICS, fix_all};
use loopls::definition::Nowhere;
use loopls::ide;
use loopls::text::{Encoding, Span, apply_edits, range_of};
use ropey::Rope;
use std::time::{Duration, Instant};

/// So many fixes of a text are tried one by one; each means that the text is analysed once more.
const MOST_TRIED: usize = 40;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let start = Instant::now();
    let analysis = Analysis::new(Rope::from_str(&text));
    let found = analysis.diagnostics_in(&Nowhere);
    // Many times what any text of this length needs, so that other work on the machine is no finding.
    assert!(start.elapsed() < Duration::from_secs(2), "the analysis took too long");

    places(&analysis, &found, bytes);
    fixes(&analysis, &found);
    fixing_all(&analysis, &found);
    formatting(&analysis);
});

/// Every place that somebody is told of is in the text.
fn places(analysis: &Analysis, found: &[Diagnostic], bytes: &[u8]) {
    let text = analysis.text.as_str();
    let inside = |span: Span| {
        assert!(span.start <= span.end && span.end <= text.len());
        assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
        range_of(&analysis.rope, span, Encoding::Utf16);
    };
    for diagnostic in found {
        inside(diagnostic.span);
        diagnostic.related.iter().for_each(|related| inside(related.span));
    }
    // The first byte chooses a cursor.
    let mut offset = bytes.first().map_or(0, |byte| usize::from(*byte) * text.len() / 256);
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    if let Some(hover) = ide::hover(analysis, &Nowhere, offset) {
        inside(hover.span);
    }
    for completion in ide::completions(analysis, &Nowhere, offset) {
        inside(completion.edit.span);
    }
    ide::lenses(analysis).iter().for_each(|lens| inside(lens.span));
}

/// A fix that is the one right answer takes its diagnostic away, and no fix makes a text parse worse.
fn fixes(analysis: &Analysis, found: &[Diagnostic]) {
    for diagnostic in found.iter().take(MOST_TRIED) {
        for fix in analysis.fixes(diagnostic) {
            let changed = apply_edits(&analysis.text, &fix.edits).expect("edits do not overlap");
            let after = Analysis::new(Rope::from_str(&changed));
            assert!(after.syntax_errors.len() <= analysis.syntax_errors.len(), "{}", fix.title);
            let count = |found: &[Diagnostic]| found.iter().filter(|other| other.code == diagnostic.code).count();
            // Where a key stands twice, the second comes in the place of the first with all that is wrong with it.
            let hides_more = found.len() >= MOST_DIAGNOSTICS || !analysis.syntax_errors.is_empty();
            assert!(
                hides_more || !fix.certain || count(&after.diagnostics_in(&Nowhere)) < count(found),
                "`{}` leaves its {} there:\n{}\n->\n{changed}",
                fix.title,
                diagnostic.code,
                analysis.text,
            );
        }
    }
}

/// Fixing everything ends, breaks nothing, and has nothing left to do.
fn fixing_all(analysis: &Analysis, found: &[Diagnostic]) {
    if found.len() > MOST_TRIED {
        return;
    }
    let fixed = fix_all(&analysis.text, &Nowhere, &Levels::default());
    let after = Analysis::new(Rope::from_str(&fixed.text));
    assert!(after.syntax_errors.len() <= analysis.syntax_errors.len());
    assert!(after.diagnostics_in(&Nowhere).len() <= found.len());
    let again = fix_all(&fixed.text, &Nowhere, &Levels::default());
    assert_eq!(again.text, fixed.text, "a second time changes something");
}

fn formatting(analysis: &Analysis) {
    if !analysis.syntax_errors.is_empty() {
        return;
    }
    let formatted = apply_edits(&analysis.text, &ide::format(analysis)).expect("edits do not overlap");
    let again = Analysis::new(Rope::from_str(&formatted));
    assert!(again.syntax_errors.is_empty(), "formatting broke the text");
    assert_eq!(again.table.to_json(), analysis.table.to_json(), "formatting changed the meaning");
    assert!(ide::format(&again).is_empty(), "formatting twice is formatting once");
}
