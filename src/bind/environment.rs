//! The environment of a tool: an allowlist and what its entry adds, never everything.

use crate::definition::{Field, Spanned, Tool, variables};
use crate::text::Span;

/// Tells a command by which of its names it was called.
pub const TOOL_NAME: &str = "LOOPLS_TOOL";

#[cfg(not(windows))]
const ALLOWED: &[&str] = &[
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TERM", "TMPDIR",
];

/// The same, and what programs need to start there.
#[cfg(windows)]
const ALLOWED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TZ",
    "TERM",
    "TMPDIR",
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMMONPROGRAMFILES",
    "COMPUTERNAME",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERDOMAIN",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

const ALLOWED_PREFIXES: &[&str] = &["LC_", "XDG_"];

/// Whether every tool gets the variable `name`.
fn is_allowed(name: &str) -> bool {
    let same = |allowed: &&str| {
        if cfg!(windows) {
            allowed.eq_ignore_ascii_case(name)
        } else {
            *allowed == name
        }
    };
    ALLOWED.iter().any(same)
        || ALLOWED_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

/// What is wrong with an `env` entry, and where.
pub type EnvironmentProblem = Spanned<String>;

/// The variables of `environment` that every tool gets, then those of the entry, with `${NAME}` replaced.
///
/// # Errors
///
/// A name that no variable can have, or a `${NAME}` that is not set.
pub fn environment_of(
    tool: &Tool,
    environment: &[(String, String)],
) -> Result<Vec<(String, String)>, EnvironmentProblem> {
    let allowed = environment.iter().filter(|(name, _)| is_allowed(name));
    let mut result: Vec<(String, String)> = allowed.cloned().collect();
    for (name, value) in &tool.env {
        if name.value.is_empty() || name.value.contains(['=', '\0']) {
            let problem = format!(
                "`{}` cannot be the name of a variable",
                name.value.escape_debug()
            );
            return Err(Spanned {
                value: problem,
                span: name.span,
            });
        }
        if let Field::Present(value) = value {
            let value = expand(&value.value, value.span, environment)?;
            set(&mut result, &name.value, value);
        }
    }
    Ok(result)
}

/// Sets `name` in `environment`, in place of what it was.
pub fn set(environment: &mut Vec<(String, String)>, name: &str, value: String) {
    environment.retain(|(other, _)| other != name);
    environment.push((name.to_owned(), value));
}

/// `text` with every `${NAME}` replaced by the variable of that name, in one pass. Any other `$` is plain text.
///
/// # Errors
///
/// A variable that is not set.
pub fn expand(
    text: &str,
    span: Span,
    environment: &[(String, String)],
) -> Result<String, EnvironmentProblem> {
    let mut expanded = String::new();
    for part in parts(text) {
        expanded.push_str(match part {
            Part::Plain(text) => text,
            Part::Variable(name) => variable(name, span, environment)?,
        });
    }
    if expanded.contains('\0') {
        let value = "a variable cannot hold a NUL character".to_owned();
        return Err(Spanned { value, span });
    }
    Ok(expanded)
}

/// A part of a text that may name variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// Stays as it is.
    Plain(&'a str),
    /// The name in a `${NAME}`.
    Variable(&'a str),
}

/// Takes `text` apart. A `$` that begins no `${NAME}` is plain text.
pub fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut done = 0;
    for variable in variables(text) {
        parts.push(Part::Plain(&text[done..variable.range.start]));
        parts.push(Part::Variable(variable.name));
        done = variable.range.end;
    }
    parts.push(Part::Plain(&text[done..]));
    parts.retain(|part| *part != Part::Plain(""));
    parts
}

/// The value of the variable `name`, which the text at `span` needs.
///
/// # Errors
///
/// It is not set.
pub fn variable<'a>(
    name: &str,
    span: Span,
    environment: &'a [(String, String)],
) -> Result<&'a str, EnvironmentProblem> {
    let known = environment.iter().rfind(|(known, _)| known == name);
    known.map(|(_, value)| value.as_str()).ok_or_else(|| {
        let value = format!("the environment variable `{name}` is not set");
        Spanned { value, span }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect()
    }

    fn tool(env: &[(&str, &str)]) -> Tool {
        let spanned = |text: &str| Spanned {
            value: text.into(),
            span: Span::empty(0),
        };
        Tool {
            env: env
                .iter()
                .map(|(name, value)| (spanned(name), Field::Present(spanned(value))))
                .collect(),
            ..Tool::default()
        }
    }

    #[test]
    fn a_tool_gets_the_allowlist_and_its_own() {
        let around = variables(&[
            ("PATH", "/bin"),
            ("API_TOKEN", "t0ken"),
            ("LC_ALL", "C"),
            ("XDG_STATE_HOME", "/s"),
            ("LANG", "C"),
            ("LD_PRELOAD", "x"),
            ("EVIL", "${API_TOKEN}"),
        ]);
        for (env, expected) in [
            (&[][..], Ok(&[][..])),
            (
                &[("A", "x-${API_TOKEN}-${LC_ALL}")],
                Ok(&[("A", "x-t0ken-C")]),
            ),
            // What was put in is not looked at again.
            (&[("A", "${EVIL}")], Ok(&[("A", "${API_TOKEN}")])),
            (
                &[("A", "$API_TOKEN ${} ${a b} ${x")],
                Ok(&[("A", "$API_TOKEN ${} ${a b} ${x")]),
            ),
            (
                &[("A", "${NOPE}")],
                Err("the environment variable `NOPE` is not set"),
            ),
            (
                &[("A=B", "x")],
                Err("`A=B` cannot be the name of a variable"),
            ),
        ] {
            let base = variables(&[
                ("PATH", "/bin"),
                ("LC_ALL", "C"),
                ("XDG_STATE_HOME", "/s"),
                ("LANG", "C"),
            ]);
            let expected = expected
                .map(|own| base.into_iter().chain(variables(own)).collect())
                .map_err(str::to_owned);
            let result = environment_of(&tool(env), &around).map_err(|problem| problem.value);
            assert_eq!(result, expected);
        }
        let own_path = environment_of(&tool(&[("PATH", "/x:${PATH}")]), &around).unwrap();
        let paths: Vec<_> = own_path.iter().filter(|(name, _)| name == "PATH").collect();
        assert_eq!(paths, [&("PATH".to_owned(), "/x:/bin".to_owned())]);
    }
}
