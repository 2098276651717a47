//! Other loops: `unknown_delegate`, `ambiguous_delegate`, `loop_cycle`.

use super::suggestion;
use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::{KnownLoop, Source, Spanned, Surroundings};
use crate::text::{Set, Text};
use std::path::PathBuf;

/// Looks only where the definition names other loops at all, for finding them costs a search of the project.
pub fn check(analysis: &Analysis, surroundings: &dyn Surroundings, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    let delegates: Vec<&Spanned<Text>> = definition
        .delegates
        .items()
        .filter(|name| !name.value.trim().is_empty())
        .collect();
    let sources = || definition.tools.iter().flat_map(|tool| &tool.sources);
    let paths: Vec<&Spanned<Text>> = sources()
        .filter_map(|source| match &source.value {
            Source::Loop(path) => path.spanned(),
            _ => None,
        })
        .collect();
    if delegates.is_empty() && paths.is_empty() {
        return;
    }
    let (Some(place), Some(loops)) = (surroundings.place(), surroundings.loops()) else {
        return;
    };
    let this = KnownLoop::of(definition, &place);
    // What others know of this file may be older than what stands here.
    let others: Vec<&KnownLoop> = loops.iter().filter(|other| other.path != place).collect();
    let graph = Graph {
        this: &this,
        others,
    };
    for delegate in delegates {
        let name = &delegate.value;
        let targets = graph.called(name);
        let shown = name.escape_debug();
        match targets.as_slice() {
            [] => {
                let known = graph.others.iter().map(|other| other.name.as_str());
                let message = format!(
                    "no loop of this project is named `{shown}`{}",
                    suggestion(name, known)
                );
                found.push(Diagnostic::new(
                    Code::UnknownDelegate,
                    delegate.span,
                    message,
                ));
            }
            [target] => graph.report_cycle(&target.path, delegate, found),
            several => {
                let files: Vec<String> = several
                    .iter()
                    .map(|other| format!("`{}`", other.path.display().to_string().escape_debug()))
                    .collect();
                let message = format!(
                    "{} loops of this project are named `{shown}`: {}; rename all but one",
                    several.len(),
                    files.join(", ")
                );
                found.push(Diagnostic::new(
                    Code::AmbiguousDelegate,
                    delegate.span,
                    message,
                ));
            }
        }
    }
    for (path, target) in paths.into_iter().zip(&this.loops) {
        graph.report_cycle(target, path, found);
    }
}

/// Who hands work to whom.
struct Graph<'a> {
    this: &'a KnownLoop,
    others: Vec<&'a KnownLoop>,
}

impl<'a> Graph<'a> {
    fn all(&self) -> impl Iterator<Item = &'a KnownLoop> + '_ {
        std::iter::once(self.this).chain(self.others.iter().copied())
    }

    fn called(&self, name: &str) -> Vec<&'a KnownLoop> {
        self.all().filter(|other| other.name == name).collect()
    }

    fn next(&self, from: &KnownLoop) -> Vec<PathBuf> {
        let named = from
            .delegates
            .iter()
            .flat_map(|name| self.called(name))
            .map(|other| other.path.clone());
        from.loops.iter().cloned().chain(named).collect()
    }

    /// Reports at `mention` when the loop at `target` reaches this one again.
    fn report_cycle(&self, target: &PathBuf, mention: &Spanned<Text>, found: &mut Vec<Diagnostic>) {
        let mut open = vec![target.clone()];
        let mut seen = Set::default();
        while let Some(path) = open.pop() {
            if path == self.this.path {
                let message = match *target == self.this.path {
                    true => "the loop would hand work to itself".to_owned(),
                    false => format!(
                        "`{}` hands work back to this loop, so the two would never end",
                        mention.value.escape_debug()
                    ),
                };
                found.push(Diagnostic::new(Code::LoopCycle, mention.span, message));
                return;
            }
            if seen.insert(path.clone())
                && let Some(known) = self.others.iter().find(|other| other.path == path)
            {
                open.extend(self.next(known));
            }
        }
    }
}
