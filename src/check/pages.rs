//! The pages of the codes: what is wrong, why it matters, a wrong and a right example.

use super::Code;

/// The page of `code`, in Markdown.
pub fn page(code: Code) -> &'static str {
    code.page()
}

/// What `code` says of a definition: the first sentence of its page, on one line.
pub fn summary(code: Code) -> String {
    // Before it stand the title and the severity, each a paragraph.
    let prose = code.page().splitn(3, "\n\n").nth(2).unwrap_or_default();
    let stops = prose.match_indices(". ").chain(prose.match_indices(".\n"));
    let end = stops.map(|(at, _)| at + 1).min().unwrap_or(prose.len());
    let words: Vec<&str> = prose[..end].split_whitespace().collect();
    words.join(" ")
}
