//! A loop and the loops that it hands work to, read at one moment: what a person is shown of them is what will run.

use super::BindError;
use crate::check::{Accepted, Analysis};
use crate::definition::{Definition, KnownLoop, Source, Spanned, Surroundings, beside, resolve};
use crate::text::{Encoding, Span, Text, position_at};
use ropey::Rope;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many levels of loops there are below the root (`docs/security.md`, 12).
const LEVELS_BELOW: usize = 2;

/// A loop with the loops below it, all accepted, and with whatever text else they name. Nothing is read again to bind it.
#[derive(Clone, Debug)]
pub struct Family {
    /// The loop itself.
    pub accepted: Accepted,
    /// The system prompts of its base and of every mode.
    pub(super) systems: Vec<String>,
    /// Where it lies, absolute; `None` where it has no place.
    pub(super) folder: Option<PathBuf>,
    /// Where the logs of its middlewares are, by their place in the text.
    logs: Vec<(Span, Result<PathBuf, String>)>,
    /// What is at the end of each mention of another loop, by the place of the mention.
    below: HashMap<usize, Member>,
}

/// What a mention of another loop leads to.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// How people are told of it: its path.
    pub shown: String,
    /// What the file says that it is for.
    pub description: String,
    pub kind: MemberKind,
}

#[derive(Clone, Debug)]
pub(super) enum MemberKind {
    /// This loop.
    Loop(Arc<Family>),
    /// A loop one level too far down. It is offered, since the one that offers it can do so elsewhere, and not run.
    TooDeep,
    /// No loop that could be bound, for this reason.
    Problem(String),
}

impl Family {
    /// Reads what `accepted` reaches. A loop below that cannot be had is kept as a problem, which the bind tells where
    /// it comes to it.
    ///
    /// # Errors
    ///
    /// A system prompt of `accepted` itself cannot be read.
    pub fn load(accepted: &Accepted, surroundings: &dyn Surroundings) -> Result<Self, BindError> {
        let mut loader = Loader::default();
        loader.load(accepted.clone(), surroundings, 0)
    }

    /// This loop and every one below it that can run.
    pub fn loops(&self) -> Vec<&Accepted> {
        let members = self.members().into_iter();
        members.map(|family| &family.accepted).collect()
    }

    /// The same with what else was read of them.
    pub(super) fn members(&self) -> Vec<&Self> {
        let mut found: Vec<&Self> = vec![self];
        let mut next = 0;
        while next < found.len() {
            for member in found[next].below.values() {
                if let MemberKind::Loop(family) = &member.kind
                    && !found.iter().any(|known| std::ptr::eq(*known, &**family))
                {
                    found.push(family);
                }
            }
            next += 1;
        }
        found
    }

    /// Where the log that is `file` in the text is.
    pub(super) fn place_of_log(&self, file: &Spanned<Text>) -> Result<PathBuf, String> {
        let mut logs = self.logs.iter();
        let log = logs.find(|(span, _)| *span == file.span);
        log.map_or(Err("it has no place".to_owned()), |(_, place)| {
            place.clone()
        })
    }

    /// What the mention at `span` leads to.
    pub(super) fn below(&self, span: Span) -> Option<&Member> {
        self.below.get(&span.start)
    }
}

/// The path of a `loop` tool, where it is understood.
pub(super) fn loop_path(definition: &Definition) -> impl Iterator<Item = &Spanned<Text>> {
    let sources = definition.tools.iter().flat_map(|tool| &tool.sources);
    sources.filter_map(|source| match &source.value {
        Source::Loop(path) => path.spanned(),
        _ => None,
    })
}

#[derive(Default)]
struct Loader {
    /// The loops above the one that is being read.
    chain: Vec<PathBuf>,
    /// What was read already, by place and level.
    known: HashMap<(PathBuf, usize), Member>,
}

impl Loader {
    fn load(
        &mut self,
        accepted: Accepted,
        surroundings: &dyn Surroundings,
        level: usize,
    ) -> Result<Family, BindError> {
        let systems = systems(&accepted, surroundings)?;
        let logs = logs(accepted.definition(), surroundings);
        let place = surroundings.place();
        self.chain.extend(place.clone());
        let definition = accepted.definition();
        let mut below = HashMap::new();
        for path in loop_path(definition) {
            let member = self.of_path(path, surroundings, level + 1);
            below.insert(path.span.start, member);
        }
        for name in definition.delegates.items() {
            let member = self.of_name(name, surroundings, level + 1);
            below.insert(name.span.start, member);
        }
        if place.is_some() {
            self.chain.pop();
        }
        Ok(Family {
            systems,
            logs,
            folder: place.as_deref().and_then(Path::parent).map(Path::to_owned),
            below,
            accepted,
        })
    }

    /// The loop of a `loop` tool.
    fn of_path(
        &mut self,
        path: &Spanned<Text>,
        surroundings: &dyn Surroundings,
        level: usize,
    ) -> Member {
        let shown = path.value.to_string();
        // The surroundings of the loop that names it decide whether it may be opened.
        let text = match surroundings.file(Path::new(&path.value)) {
            Ok(text) => text,
            Err(problem) => return Member::problem(shown.clone(), format!("`{shown}`: {problem}")),
        };
        let place = surroundings.place().unwrap_or_default();
        let folder = place.parent().unwrap_or(Path::new(""));
        let place = beside(folder, Path::new(&path.value));
        let around = surroundings.at(&place);
        self.member(shown, place, Ok(text), around, level)
    }

    /// The loop of a delegate.
    fn of_name(
        &mut self,
        name: &Spanned<Text>,
        surroundings: &dyn Surroundings,
        level: usize,
    ) -> Member {
        let own = surroundings.place();
        let loops = surroundings.loops().unwrap_or_default();
        let fits =
            |known: &&KnownLoop| known.name == name.value && Some(&known.path) != own.as_ref();
        let mut fitting = loops.iter().filter(fits);
        let known = match (fitting.next(), fitting.next()) {
            (Some(known), None) => known,
            (None, _) => {
                let problem = "no loop of this project has this name".to_owned();
                return Member::problem(name.value.to_string(), problem);
            }
            (Some(one), Some(other)) => {
                let (one, other) = (one.path.display(), other.path.display());
                let problem = format!("two loops have this name: `{one}` and `{other}`");
                return Member::problem(name.value.to_string(), problem);
            }
        };
        let around = surroundings.at(&known.path);
        let file = known.path.file_name().map(Path::new);
        let text = match (&around, file) {
            (Some(around), Some(file)) => around.file(file).map_err(|problem| problem.to_string()),
            _ => Err("it cannot be read".to_owned()),
        };
        let shown = known.path.display().to_string();
        let mut member = self.member(shown, known.path.clone(), text, around, level);
        member.description.clone_from(&known.description);
        member
    }

    fn member(
        &mut self,
        shown: String,
        place: PathBuf,
        text: Result<String, String>,
        around: Option<Box<dyn Surroundings + Send + Sync>>,
        level: usize,
    ) -> Member {
        if self.chain.contains(&place) {
            let problem = format!("`{shown}` hands work back to itself");
            return Member::problem(shown, problem);
        }
        let key = (place, level);
        if let Some(known) = self.known.get(&key) {
            return Member {
                shown,
                ..known.clone()
            };
        }
        let kind = match (text, around) {
            (Err(problem), _) => MemberKind::Problem(format!("`{shown}`: {problem}")),
            (Ok(_), None) => MemberKind::Problem(format!("`{shown}`: it cannot be read")),
            (Ok(_), Some(_)) if level > LEVELS_BELOW => MemberKind::TooDeep,
            (Ok(text), Some(around)) => match self.accept(&shown, &text, &*around, level) {
                Ok(family) => MemberKind::Loop(Arc::new(family)),
                Err(problem) => MemberKind::Problem(problem),
            },
        };
        let description = match &kind {
            MemberKind::Loop(family) => family.accepted.definition().description.text(),
            MemberKind::TooDeep | MemberKind::Problem(_) => "",
        };
        let member = Member {
            description: description.to_owned(),
            shown,
            kind,
        };
        self.known.insert(key, member.clone());
        member
    }

    fn accept(
        &mut self,
        shown: &str,
        text: &str,
        around: &dyn Surroundings,
        level: usize,
    ) -> Result<Family, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let analysis = Arc::new(Analysis::new(Rope::from_str(text)));
        let accepted = Accepted::new(analysis.clone(), around).map_err(|rejected| {
            let mut errors = rejected.0.iter();
            let first = errors.next().map(|error| {
                let place = place_of(shown, &analysis, error.span);
                format!("{place}: {} [{}]", error.message, error.code)
            });
            let more = match errors.len() {
                0 => String::new(),
                count => format!(" (and {count} more)"),
            };
            first.unwrap_or_default() + &more
        })?;
        self.load(accepted, around, level)
            .map_err(|error| told_below(shown, &analysis, &error))
    }
}

impl Member {
    fn problem(shown: String, problem: String) -> Self {
        Self {
            shown,
            description: String::new(),
            kind: MemberKind::Problem(problem),
        }
    }
}

/// What went wrong in the loop that people know as `shown`, with its place there.
pub(super) fn told_below(shown: &str, analysis: &Analysis, error: &BindError) -> String {
    match error.span() {
        Some(span) => format!("{}: {error}", place_of(shown, analysis, span)),
        None => format!("{shown}: {error}"),
    }
}

/// `PATH:LINE:COLUMN`, counted from 1 as people do.
fn place_of(shown: &str, analysis: &Analysis, span: Span) -> String {
    let at = position_at(&analysis.rope, span.start, Encoding::Utf32);
    format!("{shown}:{}:{}", at.line + 1, at.character + 1)
}

/// The system prompts of the base and of every mode.
fn systems(accepted: &Accepted, surroundings: &dyn Surroundings) -> Result<Vec<String>, BindError> {
    let definition = accepted.definition();
    let modes = resolve(definition).into_iter();
    let systems = modes.map(|mode| mode.system(definition, surroundings));
    systems
        .collect::<Result<_, _>>()
        .map_err(|(span, problem)| BindError::File {
            problem: format!("{}: {problem}", span.of(&accepted.analysis().text)),
            span,
        })
}

/// Where the logs of `definition` are.
fn logs(
    definition: &Definition,
    surroundings: &dyn Surroundings,
) -> Vec<(Span, Result<PathBuf, String>)> {
    let files = definition.middlewares.iter();
    let files = files.filter_map(|middleware| middleware.file.spanned());
    let place = |file: &Spanned<Text>| {
        let place = surroundings.place_of(Path::new(&file.value));
        (file.span, place.map_err(|problem| problem.to_string()))
    };
    files.map(place).collect()
}
