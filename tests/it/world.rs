//! What is around the definitions of the tests.

use loopls::definition::{FileProblem, KnownLoop, Surroundings};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A little world: one file, a few programs, one variable, and some loops beside this one.
pub struct World;

impl Surroundings for World {
    fn file(&self, path: &Path) -> Result<String, FileProblem> {
        match path.to_str() {
            Some(
                "prompt.md"
                | "back.loop.toml"
                | "far.loop.toml"
                | "this.loop.toml"
                | "../refunds.loop.toml",
            ) => Ok("Be kind.".into()),
            Some(path) if path.starts_with("../") || path.starts_with('/') => {
                Err(FileProblem::Outside)
            }
            _ => Err(FileProblem::Missing),
        }
    }

    fn place_of(&self, path: &Path) -> Result<PathBuf, FileProblem> {
        match path.to_str() {
            Some(path) if path.starts_with("../") || path.starts_with('/') => {
                Err(FileProblem::Outside)
            }
            Some(path) if path.starts_with("none/") => Err(FileProblem::Missing),
            _ => Ok(Path::new("/project/desk").join(path)),
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

    fn place(&self) -> Option<PathBuf> {
        Some("/project/desk/this.loop.toml".into())
    }

    fn loops(&self) -> Option<Arc<Vec<KnownLoop>>> {
        let known = |path: &str, name: &str, loops: &[&str], delegates: &[&str]| KnownLoop {
            path: path.into(),
            name: name.into(),
            description: String::new(),
            loops: loops.iter().map(PathBuf::from).collect(),
            delegates: delegates.iter().map(|name| (*name).to_owned()).collect(),
        };
        Some(Arc::new(vec![
            known("/project/refunds.loop.toml", "refund-desk", &[], &[]),
            known("/project/a/twin.loop.toml", "twin", &[], &[]),
            known("/project/b/twin.loop.toml", "twin", &[], &[]),
            known(
                "/project/desk/back.loop.toml",
                "back",
                &["/project/desk/this.loop.toml"],
                &[],
            ),
            known("/project/desk/far.loop.toml", "far", &[], &["back"]),
        ]))
    }

    fn variable_is_set(&self, name: &str) -> bool {
        name == "SHOP_TOKEN"
    }

    fn variable_names(&self) -> Vec<String> {
        vec!["SHOP_TOKEN".into()]
    }
}
