//! Every feature at every moment of typing: no panic, and what comes out holds what a protocol asks of it.

use super::{DESK, of};
use crate::world::World;
use loopls::check::Analysis;
use loopls::ide;
use loopls::text::Span;

/// Asks for everything at `offset` of `text`.
fn ask(analysis: &Analysis, offset: usize) {
    let text = analysis.text.as_str();
    let inside = |span: Span| {
        assert!(span.start <= span.end && span.end <= text.len(), "{span:?}");
        assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
    };
    if let Some(hover) = ide::hover(analysis, &World, offset) {
        inside(hover.span);
        assert!(hover.span.touches(offset), "{hover:?}");
        assert!(!hover.markdown.is_empty());
    }
    if let Some(jump) = ide::definition(analysis, &World, offset) {
        inside(jump.origin);
        assert!(!jump.destinations.is_empty());
    }
    let references = ide::references(analysis, offset, true);
    assert!(
        references
            .windows(2)
            .all(|pair| pair[0].end <= pair[1].start)
    );
    for highlight in ide::highlights(analysis, offset) {
        inside(highlight.span);
    }
    if let Ok(found) = ide::prepare_rename(analysis, offset) {
        inside(found.span);
        assert!(
            ide::rename(analysis, offset, "entirely_new").is_ok(),
            "{found:?}\n{text}"
        );
    }
    let selections = ide::selections(analysis, offset);
    assert!(selections.windows(2).all(|pair| pair[1].contains(pair[0])));
    let tokens = ide::tokens(analysis);
    for token in &tokens {
        inside(token.span);
        assert!(!token.span.is_empty() && !token.span.of(text).contains(['\n', '\r']));
    }
    assert!(
        tokens
            .windows(2)
            .all(|pair| pair[0].span.end <= pair[1].span.start)
    );
    for symbol in ide::symbols(analysis) {
        within(&symbol);
        inside(symbol.range);
    }
    for fold in ide::folds(analysis) {
        inside(fold.span);
    }
    for link in ide::links(analysis) {
        inside(link.span);
    }
    for hint in ide::inlay_hints(analysis, Span::new(0, text.len())) {
        inside(Span::empty(hint.offset));
    }
    ide::workspace_symbols(analysis);
}

fn within(symbol: &ide::Symbol) {
    assert!(!symbol.name.is_empty());
    assert!(symbol.range.contains(symbol.selection), "{symbol:?}");
    for child in &symbol.children {
        assert!(symbol.range.contains(child.range), "{symbol:?}");
        within(child);
    }
}

#[test]
fn a_definition_that_is_being_typed() {
    for end in (0..=DESK.len()).step_by(5) {
        ask(&of(&DESK[..end]), end);
    }
}

#[test]
fn a_definition_that_lacks_a_character_or_a_line() {
    for at in (0..DESK.len()).step_by(9) {
        let text = format!("{}{}", &DESK[..at], &DESK[at + 1..]);
        ask(&of(&text), at);
    }
    let lines: Vec<&str> = DESK.lines().collect();
    for at in 0..lines.len() {
        let mut fewer = lines.clone();
        fewer.remove(at);
        let text = fewer.join("\r\n");
        ask(&of(&text), text.len().min(at * 20));
    }
}

#[test]
fn every_place_of_a_whole_definition() {
    let analysis = of(DESK);
    for offset in (0..=DESK.len()).step_by(7) {
        ask(&analysis, offset);
    }
}

#[test]
fn a_place_behind_the_end_is_nothing() {
    let analysis = of("name = \"x\"");
    for offset in [11, 500] {
        assert_eq!(ide::hover(&analysis, &World, offset), None);
        assert_eq!(ide::selections(&analysis, offset).len(), 1);
    }
}
