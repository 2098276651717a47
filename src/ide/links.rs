//! Links: what in a text can be opened.

use super::shape::Shape;
use super::walk::{Written, walk};
use crate::check::Analysis;
use crate::format::Type;
use crate::syntax::ValueKind;
use crate::text::Span;

/// Something that can be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The path or address, without its quotes.
    pub span: Span,
    /// What is opened.
    pub target: LinkTarget,
}

/// What a link opens. Nothing else is ever made a link: whatever a file says, `command:` and the like stay text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    /// A file, relative to the definition's folder.
    Path(String),
    /// A web address that begins with `http://` or `https://`.
    Url(String),
}

/// All links, in order of the text. Folders (`cwd`) are none, for an editor opens files.
pub fn links(analysis: &Analysis) -> Vec<Link> {
    let mut links = Vec::new();
    walk(&analysis.tree, &mut |written, place| {
        let Written::Value(value) = written else {
            return;
        };
        let ValueKind::String(text) = &value.kind else {
            return;
        };
        let target = match (place.path.last(), place.shape) {
            (Some(&"cwd"), _) => None,
            (_, Shape::Format(Type::Path)) => path(text),
            (Some(&("url" | "base_url")), Shape::Format(Type::String)) => url(text),
            _ => None,
        };
        if let Some(target) = target {
            links.push(Link {
                span: super::content(&analysis.text, value.span),
                target,
            });
        }
    });
    links
}

fn path(text: &str) -> Option<LinkTarget> {
    let is_path = !text.trim().is_empty() && !text.contains(char::is_control);
    is_path.then(|| LinkTarget::Path(text.into()))
}

/// An address that is whole as it stands: without placeholders and variables, and with nobody's password in it.
fn url(text: &str) -> Option<LinkTarget> {
    let (scheme, rest) = text.split_once("://")?;
    let is_web = ["http", "https"]
        .iter()
        .any(|web| scheme.eq_ignore_ascii_case(web));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '\\' | '{' | '}' | '$');
    let whole = is_web && !authority.is_empty() && !authority.contains('@') && !text.contains(odd);
    whole.then(|| LinkTarget::Url(text.into()))
}
