//! What each mode comes to: limits with their origins, tools, model, effort and system prompt.

use super::{Definition, Effort, Field, Limits, Milliseconds, Mode, Model, Surroundings};
use crate::text::{Map, Span, Text};
use std::path::Path;
use std::sync::Arc;

/// Iterations of a turn where neither the mode nor the base says otherwise.
pub const DEFAULT_ITERATIONS: i64 = 25;
/// Calls of a turn where neither the mode nor the base says otherwise.
pub const DEFAULT_CALLS: i64 = 100;
/// Concurrent calls of a batch where neither the mode nor the base says otherwise.
pub const DEFAULT_PARALLEL: i64 = 8;

/// Wall time of one call of a tool that names none, in milliseconds; a `loop` has none.
pub const DEFAULT_TIMEOUT: Milliseconds = 60_000;

const DEFAULT_DRAIN_TIMEOUT: Milliseconds = 5_000;

impl Definition {
    /// How long a cancelled run and the processes of its tools may take to wind down, in milliseconds.
    pub fn drain(&self) -> Milliseconds {
        let own = self.drain_timeout.get().copied();
        own.unwrap_or(DEFAULT_DRAIN_TIMEOUT)
    }
}

/// What one mode comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedMode<'a> {
    /// Its name; empty for the base.
    pub name: &'a str,
    /// Its entry; `None` for the base.
    pub mode: Option<&'a Mode>,
    /// Its limits.
    pub limits: ResolvedLimits,
    /// Indexes into `Definition::tools`, in the mode's order, each once; names that are no tool are left out. Modes
    /// that list none share the base's.
    pub tools: Arc<[usize]>,
    /// Whether `tools` is the mode's own list.
    pub own_tools: bool,
    /// The model, if there is one.
    pub model: Option<&'a Model>,
    /// The effort; `None` when the model decides.
    pub effort: Option<Effort>,
}

/// The limits of a turn. Zero means "no cap" for `result_bytes` and `tokens` and does not occur for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ResolvedLimits {
    pub iterations: ResolvedLimit,
    pub calls: ResolvedLimit,
    pub parallel: ResolvedLimit,
    pub result_bytes: ResolvedLimit,
    pub tokens: ResolvedLimit,
    /// Milliseconds; zero is no limit.
    pub time: ResolvedLimit,
}

impl ResolvedLimits {
    /// Every limit with its key, in the order of the format.
    pub fn named(&self) -> [(&'static str, ResolvedLimit); 6] {
        [
            ("iterations", self.iterations),
            ("calls", self.calls),
            ("parallel", self.parallel),
            ("result_bytes", self.result_bytes),
            ("tokens", self.tokens),
            ("time", self.time),
        ]
    }
}

/// A limit and where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResolvedLimit {
    /// The value; milliseconds for `time`.
    pub value: i64,
    /// Who said so.
    pub origin: Origin,
}

/// Where a limit came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody said anything.
    Default,
    /// The value at this place of `[limits]`.
    Base(Span),
    /// The value at this place of the mode's limits.
    Mode(Span),
}

impl Origin {
    /// The word in machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Default => "default",
            Origin::Base(_) => "base",
            Origin::Mode(_) => "mode",
        }
    }

    /// The place that said so.
    pub fn span(self) -> Option<Span> {
        match self {
            Origin::Default => None,
            Origin::Base(span) | Origin::Mode(span) => Some(span),
        }
    }
}

/// What the base (first) and every mode of `definition` come to, in declared order.
pub fn resolve(definition: &Definition) -> Vec<ResolvedMode<'_>> {
    let mut by_name = Map::default();
    by_name.reserve(definition.tools.len());
    for (index, tool) in definition.tools.iter().enumerate() {
        if let Some(name) = tool.name.get() {
            // Of two with one name the first is meant.
            by_name.entry(name.as_str()).or_insert(index);
        }
    }
    let base = Base {
        definition,
        by_name,
        tools: (0..definition.tools.len()).collect(),
    };
    let modes = definition.modes.iter().map(Some);
    // By tool, in which mode it was met last.
    let mut met = vec![0; definition.tools.len()];
    std::iter::once(None)
        .chain(modes)
        .enumerate()
        .map(|(number, mode)| {
            let is_new = |tool: usize| std::mem::replace(&mut met[tool], number) != number;
            resolve_mode(&base, mode, is_new)
        })
        .collect()
}

/// What all modes fall back to.
struct Base<'a> {
    definition: &'a Definition,
    by_name: Map<&'a str, usize>,
    tools: Arc<[usize]>,
}

/// `is_new`: whether this mode has not met a tool yet.
fn resolve_mode<'a>(
    base: &Base<'a>,
    mode: Option<&'a Mode>,
    mut is_new: impl FnMut(usize) -> bool,
) -> ResolvedMode<'a> {
    let definition = base.definition;
    let base_model = definition.model.get();
    let listed = mode
        .and_then(|mode| mode.tools.get())
        .filter(|items| !items.is_empty());
    let tools = match listed {
        None => Arc::clone(&base.tools),
        Some(items) => {
            let names = items.iter().filter_map(Field::get);
            let indexes = names.filter_map(|name| base.by_name.get(name.as_str()).copied());
            indexes.filter(|index| is_new(*index)).collect()
        }
    };
    let effort = |word: Option<&Text>| {
        word.filter(|word| !word.is_empty())
            .and_then(|word| Effort::from_word(word))
    };
    ResolvedMode {
        name: mode.map_or("", |mode| mode.name.text()),
        mode,
        limits: resolve_limits(
            definition.limits.get(),
            mode.and_then(|mode| mode.limits.get()),
        ),
        tools,
        own_tools: listed.is_some(),
        model: mode.and_then(|mode| mode.model.get()).or(base_model),
        effort: effort(mode.and_then(|mode| mode.effort.get()))
            .or_else(|| effort(base_model.and_then(|model| model.effort.get()))),
    }
}

/// What the limits of the base and of a mode come to together.
pub fn resolve_limits(base: Option<&Limits>, mode: Option<&Limits>) -> ResolvedLimits {
    let limit = |field: fn(&Limits) -> &Field<i64>, default: i64| {
        let positive = |limits: Option<&Limits>| {
            limits
                .and_then(|limits| field(limits).spanned())
                .filter(|limit| limit.value > 0)
                .copied()
        };
        if let Some(limit) = positive(mode) {
            return ResolvedLimit {
                value: limit.value,
                origin: Origin::Mode(limit.span),
            };
        }
        match positive(base) {
            Some(limit) => ResolvedLimit {
                value: limit.value,
                origin: Origin::Base(limit.span),
            },
            None => ResolvedLimit {
                value: default,
                origin: Origin::Default,
            },
        }
    };
    ResolvedLimits {
        iterations: limit(|limits| &limits.iterations, DEFAULT_ITERATIONS),
        calls: limit(|limits| &limits.calls, DEFAULT_CALLS),
        parallel: limit(|limits| &limits.parallel, DEFAULT_PARALLEL),
        result_bytes: limit(|limits| &limits.result_bytes, 0),
        tokens: limit(|limits| &limits.tokens, 0),
        time: limit(
            |limits: &Limits| -> &Field<Milliseconds> { &limits.time },
            0,
        ),
    }
}

impl ResolvedMode<'_> {
    /// The system prompt: the base's, a blank line, and the mode's instructions, or the one there is.
    ///
    /// # Errors
    ///
    /// The key whose file cannot be had, with its place, and why.
    pub fn system(
        &self,
        definition: &Definition,
        surroundings: &dyn Surroundings,
    ) -> Result<String, (Span, super::FileProblem)> {
        let base = text_or_file(&definition.system, &definition.system_file, surroundings)?;
        let own = match self.mode {
            Some(mode) => text_or_file(&mode.instructions, &mode.instructions_file, surroundings)?,
            None => String::new(),
        };
        Ok(match (base.is_empty(), own.is_empty()) {
            (_, true) => base,
            (true, false) => own,
            (false, false) => format!("{base}\n\n{own}"),
        })
    }
}

fn text_or_file(
    text: &Field<Text>,
    file: &Field<Text>,
    surroundings: &dyn Surroundings,
) -> Result<String, (Span, super::FileProblem)> {
    match file.spanned() {
        None => Ok(text.text().to_owned()),
        Some(path) => {
            let text = surroundings
                .file(Path::new(&path.value))
                .map_err(|problem| (path.span, problem))?;
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            Ok(text.trim_end_matches(['\n', '\r']).to_owned())
        }
    }
}
