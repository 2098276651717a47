//! The projects that the files of a command belong to, and their settings.

use super::report::FileReport;
use super::{Failure, output, report};
use crate::check::Diagnostic;
use crate::definition::Surroundings;
use crate::host::Host;
use crate::workspace::{SETTINGS_FILE, Settings};
use ropey::Rope;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Projects by their roots, each read when it is first asked for.
#[derive(Default)]
pub struct Projects(BTreeMap<PathBuf, Project>);

/// The settings of a project, with what is wrong with them.
#[derive(Default)]
pub struct Project {
    /// What counts.
    pub settings: Settings,
    /// What the settings file is called.
    name: String,
    rope: Rope,
    diagnostics: Vec<Diagnostic>,
    /// Why it could not be read.
    unread: Option<String>,
}

/// Whether `path` leads to a settings file, which is never a definition.
pub fn is_settings_file(path: &Path) -> bool {
    let named_so = path.file_name().is_some_and(|name| name == SETTINGS_FILE);
    named_so && path.symlink_metadata().is_ok()
}

impl Projects {
    /// The project of the file at `path`: that of the nearest folder with a `loopls.toml` or a `.git`. Standard input
    /// counts as a file of the working directory.
    pub fn of(&mut self, path: &Path) -> &Project {
        let host = Host::new(path);
        let root = host.root().to_owned();
        self.0
            .entry(root)
            .or_insert_with(|| Project::at(host.root()))
    }

    /// Whether a search leaves out the file at `path`.
    pub fn exclude(&mut self, path: &Path) -> bool {
        let Ok(absolute) = std::path::absolute(path) else {
            return false;
        };
        let root = Host::new(path).root().to_owned();
        let relative = absolute.strip_prefix(&root);
        relative.is_ok_and(|relative| self.of(path).settings.excludes(relative))
    }

    /// The settings files with something wrong with them and those among `paths`, and what of them cannot be read.
    pub fn reports(&mut self, paths: &[PathBuf]) -> (Vec<FileReport<'_>>, Vec<Failure>) {
        let named = paths.iter().filter(|path| is_settings_file(path));
        let named: Vec<PathBuf> = named
            .filter_map(|path| {
                self.of(path);
                std::path::absolute(path).ok()
            })
            .collect();
        let told = self.0.iter().filter(|(root, project)| {
            !project.diagnostics.is_empty() || named.contains(&root.join(SETTINGS_FILE))
        });
        let readable = told.filter(|(_, project)| project.unread.is_none());
        let reports = readable.map(|(_, project)| project.report()).collect();
        let unread = self.0.values().filter_map(|project| project.unread.clone());
        (reports, unread.map(Failure::new).collect())
    }

    /// Whether nothing is wrong with the settings of the projects that were asked for.
    pub fn are_clear(&self) -> bool {
        let mut projects = self.0.values();
        projects.all(|project| project.unread.is_none() && project.diagnostics.is_empty())
    }

    /// Settings whose meaning is in doubt are no ground to write files on: `exclude` may be what is wrong.
    ///
    /// # Errors
    ///
    /// The settings of a project of `paths` have errors, which are printed to standard error, or cannot be read.
    pub fn must_be_clear(&mut self, paths: &[PathBuf]) -> Result<(), Failure> {
        for path in paths {
            self.of(path);
        }
        for project in self.0.values() {
            if let Some(problem) = &project.unread {
                return Err(Failure::new(problem));
            }
            if !project.diagnostics.is_empty() {
                let report = report::text(&project.report(), &output::renderer());
                output::say(report.trim_end());
                let message = format!("{}: it has errors, so no file was changed", project.name);
                return Err(Failure::new(message));
            }
        }
        Ok(())
    }
}

impl Project {
    /// The project whose root is the folder `root`.
    fn at(root: &Path) -> Self {
        let path = root.join(SETTINGS_FILE);
        if path.symlink_metadata().is_err() {
            return Self::default();
        }
        let folder = std::env::current_dir().unwrap_or_default();
        let name = path
            .strip_prefix(folder)
            .unwrap_or(&path)
            .display()
            .to_string();
        // As a definition there would be given it: small, no pipe, and not from elsewhere.
        match Host::new(&path).file(Path::new(SETTINGS_FILE)) {
            Err(problem) => Self {
                unread: Some(format!("{name}: {problem}")),
                ..Self::default()
            },
            Ok(text) => {
                let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
                let (settings, diagnostics) = Settings::parse(text);
                Self {
                    settings,
                    name,
                    rope: Rope::from_str(text),
                    diagnostics,
                    unread: None,
                }
            }
        }
    }

    fn report(&self) -> FileReport<'_> {
        FileReport {
            path: &self.name,
            rope: &self.rope,
            diagnostics: &self.diagnostics,
        }
    }
}
