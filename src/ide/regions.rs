//! The text that belongs to a header, as it is written.

use crate::syntax::{Header, Statement, Tree};
use crate::text::Span;

/// A header with what stands below it.
#[derive(Clone, Copy, Debug)]
pub struct Region<'t> {
    /// The header.
    pub header: &'t Header,
    /// From the header to the last statement before the next header.
    pub own: Span,
    /// The same, and the tables whose headers continue its name, as `[tools.input]` does `[[tools]]`.
    pub whole: Span,
}

/// The regions of all headers, in order of the text.
pub fn regions(tree: &Tree) -> Vec<Region<'_>> {
    let mut regions: Vec<Region> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut end = 0;
    for statement in &tree.statements {
        match statement {
            Statement::Header(header) => {
                if let Some(last) = regions.last_mut() {
                    last.own.end = end;
                }
                while let Some(&innermost) = open.last() {
                    if is_below(header, regions[innermost].header) {
                        break;
                    }
                    regions[innermost].whole.end = end;
                    open.pop();
                }
                open.push(regions.len());
                regions.push(Region {
                    header,
                    own: header.span,
                    whole: header.span,
                });
                end = header.span.end;
            }
            Statement::KeyValue(pair) => end = pair.span.end,
        }
    }
    if let Some(last) = regions.last_mut() {
        last.own.end = end;
    }
    for index in open {
        regions[index].whole.end = end;
    }
    regions
}

fn is_below(header: &Header, other: &Header) -> bool {
    let mut names = other.keys.iter().zip(&header.keys);
    !other.keys.is_empty()
        && header.keys.len() > other.keys.len()
        && names.all(|(one, other)| one.name == other.name)
}
