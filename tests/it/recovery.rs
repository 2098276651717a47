//! A definition is broken most of the time it is being typed: whatever stands there, analysis ends, and every place that
//! it speaks of is in the text.

use loopls::check::Analysis;
use loopls::definition::Nowhere;
use loopls::ide;
use loopls::text::{Encoding, Span, range_of};
use ropey::Rope;
use std::fs;
use std::path::Path;

fn examples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let files = fs::read_dir(folder)
        .expect("the examples")
        .map(|entry| entry.expect("an entry").path());
    let texts: Vec<String> = files
        .filter(|path| path.to_string_lossy().ends_with(".loop.toml"))
        .map(|path| fs::read_to_string(path).expect("an example"))
        .collect();
    assert!(texts.len() >= 3, "there are at least three examples");
    texts
}

/// Analyses `text`, looks at every diagnostic, and asks for what an editor asks for at `offset`.
fn survive(text: &str, offset: usize) {
    let analysis = Analysis::new(Rope::from_str(text));
    let inside = |span: Span| {
        assert!(
            span.start <= span.end && span.end <= text.len(),
            "{span:?} is not in the text:\n{text}"
        );
        assert!(
            text.is_char_boundary(span.start) && text.is_char_boundary(span.end),
            "{span:?} cuts a character"
        );
        range_of(&analysis.rope, span, Encoding::Utf16);
    };
    for diagnostic in analysis.diagnostics_in(&Nowhere) {
        inside(diagnostic.span);
        diagnostic
            .related
            .iter()
            .for_each(|related| inside(related.span));
    }
    if let Some(hover) = ide::hover(&analysis, &Nowhere, offset) {
        inside(hover.span);
        assert!(hover.span.touches(offset), "the hover is about the cursor");
    }
    ide::lenses(&analysis)
        .iter()
        .for_each(|lens| inside(lens.span));
    ide::acts_at(&analysis, Span::empty(offset));
}

#[test]
fn every_prefix_of_an_example_is_survived() {
    for text in examples() {
        for (end, _) in text.char_indices() {
            survive(&text[..end], end);
        }
    }
}

#[test]
fn an_example_without_any_one_character_is_survived() {
    for text in examples() {
        for (start, character) in text.char_indices() {
            let mut broken = text.clone();
            broken.replace_range(start..start + character.len_utf8(), "");
            survive(&broken, start);
        }
    }
}

#[test]
fn an_example_with_any_one_line_doubled_is_survived() {
    for text in examples() {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for doubled in 0..lines.len() {
            let mut broken = lines.clone();
            broken.insert(doubled, lines[doubled]);
            let broken = broken.concat();
            survive(&broken, broken.len() / 2);
        }
    }
}
