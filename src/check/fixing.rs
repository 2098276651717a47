//! All fixes that have one right answer, applied at once.

use super::{Analysis, Code, Diagnostic, Levels, MOST_DIAGNOSTICS, edits};
use crate::definition::Surroundings;
use crate::text::{Edit, Span, apply_edits};
use ropey::Rope;
use std::collections::BTreeSet;

/// After so many tries the rest stays as it is. All that do not overlap are one try, if each of them does good.
const MOST_TRIES: usize = 1_000;

/// A text after its fixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The text; the one that was given where nothing was applied.
    pub text: String,
    /// What was applied, in order of the text that was given.
    pub applied: Vec<Applied>,
}

/// A fix that was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The kind of what it put right.
    pub code: Code,
    /// What it did.
    pub title: String,
    /// Where in the text that was given, in bytes.
    pub offset: usize,
}

/// Applies to `text` every fix that has one right answer, for diagnostics that `levels` do not turn off, until none is
/// left.
///
/// A text is never made worse: a fix is kept only if there is less to say afterwards, nothing of a kind that was not
/// there before, and no more that is not TOML. So a second time there is nothing left to do. Bytes outside the edits
/// stay as they are.
pub fn fix_all(text: &str, surroundings: &dyn Surroundings, levels: &Levels) -> Fixed {
    let mut judge = Judge {
        surroundings,
        levels,
        tries: 0,
    };
    let mut state = judge.state(text.to_owned());
    let mut applied = Vec::new();
    // What each pass did, to find the way back to the text that was given.
    let mut passes: Vec<Vec<Edit>> = Vec::new();
    loop {
        let candidates = candidates(&state);
        let mut pass = Pass {
            judge: &mut judge,
            before: &state,
            chosen: Vec::new(),
            after: None,
        };
        pass.choose(&candidates);
        let Pass { chosen, after, .. } = pass;
        let Some(after) = after else { break };
        applied.extend(chosen.iter().map(|candidate| {
            Applied {
                code: candidate.code,
                title: candidate.title.clone(),
                offset: passes
                    .iter()
                    .rev()
                    .fold(candidate.offset, |offset, pass| offset_before(pass, offset)),
            }
        }));
        passes.push(edits_of(&chosen));
        state = after;
    }
    applied.sort_by_key(|applied| applied.offset);
    Fixed {
        text: state.text,
        applied,
    }
}

/// Says what is wrong with a text, as its person has it told.
struct Judge<'a> {
    surroundings: &'a dyn Surroundings,
    levels: &'a Levels,
    /// How many texts were judged.
    tries: usize,
}

/// A text and what is wrong with it.
struct State {
    text: String,
    analysis: Analysis,
    diagnostics: Vec<Diagnostic>,
}

impl Judge<'_> {
    fn state(&mut self, text: String) -> State {
        self.tries += 1;
        let analysis = Analysis::new(Rope::from_str(&text));
        let diagnostics = analysis.diagnostics_in(self.surroundings);
        State {
            text,
            diagnostics: self.levels.apply(diagnostics),
            analysis,
        }
    }
}

impl State {
    fn codes(&self) -> BTreeSet<Code> {
        self.diagnostics.iter().map(|found| found.code).collect()
    }
}

/// The one right answer to a diagnostic.
#[derive(Clone)]
struct Candidate {
    code: Code,
    title: String,
    offset: usize,
    edits: Vec<Edit>,
}

/// In order of the text, without those that overlap one before them: those wait for the next pass.
fn candidates(state: &State) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for diagnostic in &state.diagnostics {
        let Some(remedy) = diagnostic.certain_remedy() else {
            continue;
        };
        let edits = edits::of(&state.analysis, diagnostic.span, &remedy.change);
        let taken = |edit| {
            let mut others = candidates.iter().flat_map(|other| &other.edits);
            others.any(|other| overlap(edit, other))
        };
        if !edits.is_empty() && !edits.iter().any(taken) {
            candidates.push(Candidate {
                code: diagnostic.code,
                title: remedy.title.clone(),
                offset: diagnostic.span.start,
                edits,
            });
        }
    }
    candidates
}

/// Whether two edits change the same bytes, or one inserts within what the other replaces, or both insert at one place.
fn overlap(one: &Edit, other: &Edit) -> bool {
    let (one, other) = (one.span, other.span);
    if one.is_empty() || other.is_empty() {
        one.touches(other.start) && one.touches(other.end)
            || other.touches(one.start) && other.touches(one.end)
    } else {
        one.start < other.end && other.start < one.end
    }
}

/// One pass over a text.
struct Pass<'p, 'j> {
    judge: &'p mut Judge<'j>,
    before: &'p State,
    chosen: Vec<Candidate>,
    /// The text with what was chosen, if anything was.
    after: Option<State>,
}

impl Pass<'_, '_> {
    /// Chooses all of `candidates` if they make the text better, else looks at each half by itself.
    fn choose(&mut self, candidates: &[Candidate]) {
        if candidates.is_empty() || self.judge.tries >= MOST_TRIES {
            return;
        }
        let mut with_them = self.chosen.clone();
        with_them.extend_from_slice(candidates);
        if let Some(text) = apply_edits(&self.before.text, &edits_of(&with_them)) {
            let after = self.judge.state(text);
            let before = self.after.as_ref().unwrap_or(self.before);
            if is_better(before, &after, candidates.len()) {
                self.chosen = with_them;
                self.after = Some(after);
                return;
            }
        }
        if candidates.len() > 1 {
            let (first, second) = candidates.split_at(candidates.len() / 2);
            self.choose(first);
            self.choose(second);
        }
    }
}

/// Whether `after` has at least `fixes` things less to say than `before`, none of another kind, and no more that is not
/// TOML. Of a text with more to say than is said, what comes into sight does not count.
fn is_better(before: &State, after: &State, fixes: usize) -> bool {
    let (less, more) = (after.diagnostics.len(), before.diagnostics.len());
    let cut = before.analysis.diagnostics.len() >= MOST_DIAGNOSTICS;
    (less + fixes <= more || cut && less <= more)
        && after.analysis.syntax_errors.len() <= before.analysis.syntax_errors.len()
        && after.codes().is_subset(&before.codes())
}

fn edits_of(candidates: &[Candidate]) -> Vec<Edit> {
    let edits = candidates.iter().flat_map(|candidate| &candidate.edits);
    edits.cloned().collect()
}

/// Where `offset`, a place after `edits`, was before them. What an edit wrote was at the start of what it replaced.
fn offset_before(edits: &[Edit], offset: usize) -> usize {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| edit.span);
    let mut before = 0;
    let mut after = 0;
    for Edit {
        span: Span { start, end },
        text,
    } in sorted
    {
        let kept = start - before;
        if offset < after + kept {
            break;
        }
        if offset < after + kept + text.len() {
            return *start;
        }
        after += kept + text.len();
        before = *end;
    }
    before + offset - after
}
