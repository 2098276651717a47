//! What a run takes up: in which mode, with what to say, behind what was said before, and whose replies.

use super::earlier::{self, Kept};
use super::terminal;
use super::{Arguments, Failure};
use crate::check::Accepted;
use crate::cli::resolve::unknown_mode;
use crate::cli::source::Source;
use crate::definition::{Definition, resolve};
use crate::run::RecordedRun;
use crate::run::model::Message;
use std::path::Path;
use std::sync::Arc;

/// What a run takes up.
pub struct Plan {
    /// The mode; `None` is the initial one.
    pub mode: Option<String>,
    pub prompt: String,
    /// What was said before.
    pub history: Vec<Arc<Message>>,
    /// The run that this one goes on from.
    pub after: Option<String>,
    /// The run that this one says again.
    pub replay: Option<RecordedRun>,
}

impl Plan {
    /// What `arguments` mean for what was accepted of `source`.
    ///
    /// # Errors
    ///
    /// There is no such mode or earlier run, or nothing to say.
    pub fn of(
        arguments: &Arguments,
        source: &Source,
        accepted: &Accepted,
        state_folder: Option<&Path>,
    ) -> Result<Self, Failure> {
        let definition = accepted.definition();
        let mut plan = Self {
            mode: arguments.mode.clone(),
            prompt: String::new(),
            history: Vec::new(),
            after: None,
            replay: None,
        };
        let mut prompt = arguments.prompt.clone();
        if let Some(path) = &arguments.replay {
            let run = earlier::read(path)?;
            prompt = prompt.or_else(|| Some(run.prompt.clone()));
            let own = Some(&run.mode).filter(|mode| !mode.is_empty());
            plan.mode = plan.mode.or_else(|| own.cloned());
            plan.replay = Some(run);
        }
        if let Some(id) = &arguments.continue_run {
            let kept = state_folder.map(Kept::of).ok_or_else(|| {
                Failure::new("--continue: this system does not tell where runs are kept")
            })?;
            let mut id = id.as_deref();
            // An id holds no space, so `--continue "And now?"` says what to say.
            if let Some(words) = id.filter(|id| id.contains(' ') && !kept.has(id))
                && prompt.is_none()
            {
                prompt = Some(words.to_owned());
                id = None;
            }
            let earlier = kept.find(id, &source.uri())?;
            let startable = |mode: &String| startable(definition).contains(&mode.as_str());
            let own = Some(earlier.run.mode).filter(|mode| !mode.is_empty());
            plan.mode = plan.mode.or_else(|| own.filter(startable));
            plan.after = Some(earlier.run.run);
            plan.history = earlier.history;
        }
        check_mode(definition, plan.mode.as_deref())?;
        plan.prompt = text_of(definition, prompt)?;
        Ok(plan)
    }
}

/// The modes in which a run can start: the base only where there is nothing else.
fn startable(definition: &Definition) -> Vec<&str> {
    let mut names: Vec<&str> = resolve(definition).iter().map(|mode| mode.name).collect();
    if names.len() > 1 {
        names.remove(0);
    }
    names
}

fn check_mode(definition: &Definition, wanted: Option<&str>) -> Result<(), Failure> {
    let names = startable(definition);
    match wanted {
        Some(wanted) if !names.contains(&wanted) => {
            let declared: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
            Err(unknown_mode(wanted, &declared))
        }
        _ => Ok(()),
    }
}

fn text_of(definition: &Definition, given: Option<String>) -> Result<String, Failure> {
    let own = definition.prompt.text();
    let prompt = match given {
        Some(prompt) => prompt,
        None if !own.trim().is_empty() => own.to_owned(),
        None if terminal::is_attended() => terminal::read_prompt()?,
        None => {
            return Err(Failure::new("there is no prompt")
                .help("give it after the file, or write a `prompt` into the definition"));
        }
    };
    match prompt.trim().is_empty() {
        true => Err(Failure::new("the prompt is blank")),
        false => Ok(prompt),
    }
}
