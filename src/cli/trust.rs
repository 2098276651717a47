//! `loopls trust`: stores the answer that an editor would ask for.

use super::search::files;
use super::source::Source;
use super::{Failure, Status, output};
use crate::check::Analysis;
use crate::host::{environment, state};
use crate::lsp::trust::{Answers, reach};
use ropey::Rope;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The arguments of `trust`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The folder to trust.
    #[arg(default_value = ".")]
    folder: PathBuf,
}

/// Trusts the folder with what its definitions reach now, and lists that. One that reaches more later is asked about
/// again.
///
/// # Errors
///
/// There is no such folder, something in it cannot be read, or the answer cannot be kept.
pub fn trust(arguments: &Arguments) -> Result<Status, Failure> {
    let folder = &arguments.folder;
    let shown = folder.display();
    if !folder.is_dir() {
        return Err(Failure::new(format!("there is no folder `{shown}`")));
    }
    let (paths, problems) = files(std::slice::from_ref(folder), &mut Default::default());
    if let Some(problem) = problems.into_iter().next() {
        return Err(problem);
    }
    let mut reached = BTreeSet::new();
    for path in &paths {
        let source = Source::read(path)?;
        let analysis = Analysis::new(Rope::from_str(&source.text()));
        reached.extend(reach(&analysis.definition));
    }
    let kept_in = state::state_folder(&environment());
    let kept_in = kept_in
        .ok_or_else(|| Failure::new("there is no folder to keep the answer in").help("set HOME"))?;
    let mut text = format!(
        "{shown} is trusted with this, from {}:\n",
        count(paths.len())
    );
    for item in &reached {
        text.push_str(&format!("  {item}\n"));
    }
    if reached.is_empty() {
        text.push_str("  nothing\n");
    }
    let kept = Answers::new(&kept_in).add(folder, reached);
    kept.map_err(|error| {
        Failure::new(format!(
            "the answer cannot be kept in `{}`: {error}",
            kept_in.display()
        ))
    })?;
    output::print(&text)?;
    Ok(Status::Good)
}

fn count(definitions: usize) -> String {
    match definitions {
        1 => "1 definition".into(),
        several => format!("{several} definitions"),
    }
}
