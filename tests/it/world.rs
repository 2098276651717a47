//! What is around the definitions of the tests.

use loopls::definition::{FileProblem, Surroundings};
use std::path::{Path, PathBuf};

/// A little world: one file, one program, one variable.
pub struct World;

impl Surroundings for World {
    fn file(&self, path: &Path) -> Result<String, FileProblem> {
        match path.to_str() {
            Some("prompt.md") => Ok("Be kind.".into()),
            Some(path) if path.starts_with("../") || path.starts_with('/') => {
                Err(FileProblem::Outside)
            }
            _ => Err(FileProblem::Missing),
        }
    }

    fn entries(&self, _path: &Path) -> Vec<String> {
        vec!["prompt.md".into()]
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        let known = ["grep", "sh", "awk", "python3", "cmd", "env", "cat", "echo"];
        known
            .contains(&name)
            .then(|| Path::new("/usr/bin").join(name))
    }

    fn variable_is_set(&self, name: &str) -> bool {
        name == "SHOP_TOKEN"
    }

    fn variable_names(&self) -> Vec<String> {
        vec!["SHOP_TOKEN".into()]
    }
}
