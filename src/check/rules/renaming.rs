//! A name that a provider refuses, changed wherever it stands.

use crate::check::{Analysis, Repair};
use crate::definition::{Definition, Pattern, Target, Written, pattern};
use crate::syntax::render;
use crate::text::{Edit, Span};

/// What changes the name that stands at `place` from `old` to `new`, here and at every mention; nothing where that would
/// change more than a name.
pub fn rename(analysis: &Analysis, place: Span, old: &str, new: &str) -> Option<Repair> {
    let target = analysis.mentions().at(place.start)?.target;
    let is_safe = match target {
        // Another file gives it.
        Target::Delegate(_) | Target::Mode(_) => false,
        Target::Tool(_) | Target::Produced { .. } => keeps_matching(&analysis.definition, old, new),
        Target::Property { .. } => true,
    };
    let edits = analysis.mentions().of_target(target).map(|mention| Edit {
        span: mention.span,
        text: match mention.written {
            Written::String => render::string(new),
            Written::Pattern => render::string(&pattern::escape(new)),
            Written::Key => render::key(new),
            Written::Placeholder => format!("{{{{{new}}}}}"),
        },
    });
    is_safe.then(|| Repair::Edits(edits.collect()))
}

/// Whether what `access` and middlewares say of `old` they say of `new` too, once exact mentions are changed.
fn keeps_matching(definition: &Definition, old: &str, new: &str) -> bool {
    let access = definition.access.get();
    let of_access = access.map(|access| [&access.allow, &access.ask, &access.deny]);
    let of_middlewares = definition.middlewares.iter().map(|each| &each.tools);
    let lists = of_access.into_iter().flatten().chain(of_middlewares);
    lists.flat_map(|list| list.items()).all(|item| {
        let Ok(found) = Pattern::new(&item.value) else {
            return true;
        };
        found.literal().is_some() || found.matches(old) == found.matches(new)
    })
}
