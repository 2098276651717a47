//! The arguments of a command: what a model puts in stays within its argument, and can neither be an option nor
//! lead out of the place that the definition meant.

use super::InputProblem;
use super::template::{Part, Template, Values};
use crate::definition::{CommandArgument, Field};
use crate::text::Text;
use serde_json::Value;
use std::path::{Component, Path};

/// The arguments after the program.
#[derive(Clone, Debug, Default)]
pub struct Arguments(Vec<Argument>);

#[derive(Clone, Debug)]
enum Argument {
    One(Template),
    /// Left out together when a placeholder in them is absent.
    Optional(Vec<Template>),
}

impl Arguments {
    /// Takes the items of `command` after the program apart.
    pub fn new(items: &[CommandArgument]) -> Self {
        let template = |text: &Text| Template::new(text);
        let arguments = items.iter().filter_map(|item| match item {
            CommandArgument::One(text) => Some(Argument::One(template(&text.value))),
            CommandArgument::Optional(texts) => Some(Argument::Optional(
                texts.iter().filter_map(Field::get).map(template).collect(),
            )),
            // An accepted definition has none of these.
            CommandArgument::Invalid(_) => None,
        });
        Self(arguments.collect())
    }

    /// The arguments of one call.
    ///
    /// # Errors
    ///
    /// A value that cannot be put where it belongs.
    pub fn fill(&self, values: &Values<'_>) -> Result<Vec<String>, InputProblem> {
        let mut filled = Vec::new();
        let mut options_may_come = true;
        for argument in &self.0 {
            let templates = match argument {
                Argument::One(template) => std::slice::from_ref(template),
                Argument::Optional(templates) => {
                    let absent = |name| values.get(name).is_none();
                    if templates.iter().flat_map(Template::properties).any(absent) {
                        continue;
                    }
                    templates
                }
            };
            for template in templates {
                filled.push(fill_one(template, values, options_may_come)?);
                options_may_come &= template.literal() != Some("--");
            }
        }
        Ok(filled)
    }
}

fn fill_one(
    template: &Template,
    values: &Values<'_>,
    options_may_come: bool,
) -> Result<String, InputProblem> {
    let in_path = template
        .parts
        .iter()
        .any(|part| matches!(part, Part::Literal(text) if text.contains(['/', '\\'])));
    let mut filled = String::new();
    for part in &template.parts {
        let name = match part {
            Part::Literal(text) => {
                filled.push_str(text);
                continue;
            }
            Part::Property(name) => name,
        };
        let text = values.text(name)?;
        let is_option = filled.is_empty() && text.starts_with('-');
        if is_option && options_may_come && !values.is_number(name) {
            return Err(InputProblem(format!(
                "input.{name} must not begin with `-`: it would be taken for an option"
            )));
        }
        if in_path && !is_path_component(&text) {
            return Err(InputProblem(format!(
                "input.{name} must be a single name without `/` and `\\`, and not only dots: it is part of a path"
            )));
        }
        filled.push_str(&text);
    }
    Ok(filled)
}

/// Whether `text` is one component of a path. Dots alone are none, so that no two of them make `..` together.
fn is_path_component(text: &str) -> bool {
    !text.contains(['/', '\\']) && !text.trim_matches('.').is_empty()
}

/// Checks every property that is declared with `format = "path"`: it is relative and stays under `directory`, also
/// when symbolic links are followed.
///
/// # Errors
///
/// The first that does not.
pub fn check_paths(
    input: &Value,
    values: &Values<'_>,
    directory: &Path,
) -> Result<(), InputProblem> {
    for (name, value) in input.as_object().into_iter().flatten() {
        let is_path = values
            .declared(name, "format")
            .is_some_and(|it| it == "path");
        if let Some(path) = value.as_str().filter(|_| is_path)
            && !stays_under(directory, path)
        {
            return Err(InputProblem(format!(
                "input.{name} must be a relative path that stays under the tool's working directory"
            )));
        }
    }
    Ok(())
}

fn stays_under(directory: &Path, path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    if path.contains('\0') || path.starts_with(['/', '\\']) || (drive && cfg!(windows)) {
        return false;
    }
    let mut depth = 0_usize;
    for component in Path::new(path).components() {
        match component {
            Component::CurDir => {}
            Component::Normal(_) => depth += 1,
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => return false,
        }
    }
    // Whatever of it exists already must not lead out through a link. What does not exist yet cannot.
    let Ok(root) = directory.canonicalize() else {
        return true;
    };
    let whole = root.join(path);
    let existing = whole.ancestors().find_map(|part| part.canonicalize().ok());
    existing.is_some_and(|existing| existing.starts_with(&root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::Spanned;
    use crate::text::Span;
    use serde_json::json;

    fn one(text: &str) -> CommandArgument {
        CommandArgument::One(spanned(text))
    }

    fn optional(texts: &[&str]) -> CommandArgument {
        let present = |text: &&str| Field::Present(spanned(text));
        CommandArgument::Optional(texts.iter().map(present).collect())
    }

    fn spanned(text: &str) -> Spanned<Text> {
        Spanned {
            value: text.into(),
            span: Span::empty(0),
        }
    }

    fn fill(items: &[CommandArgument], input: Value) -> Result<Vec<String>, String> {
        let schema = json!({ "properties": {
            "s": { "type": "string" },
            "n": { "type": "integer" },
            "d": { "default": "x" },
        } });
        let filled = Arguments::new(items).fill(&Values::new(&input, &schema));
        filled.map_err(|problem| problem.0)
    }

    #[test]
    fn optional_groups_are_left_out_whole() {
        let items = [
            one("log"),
            optional(&["-n", "{{n}}"]),
            optional(&["--grep={{s}}", "{{n}}"]),
            optional(&["--{{d}}"]),
        ];
        for (input, expected) in [
            (json!({}), &["log", "--x"][..]),
            (json!({ "n": 3 }), &["log", "-n", "3", "--x"]),
            (
                json!({ "s": "a b", "n": 3, "d": "y" }),
                &["log", "-n", "3", "--grep=a b", "3", "--y"],
            ),
        ] {
            assert_eq!(fill(&items, input).unwrap(), expected);
        }
        assert!(fill(&items, json!({ "n": null })).is_err());
    }

    #[test]
    fn a_value_is_no_option() {
        let option =
            || Err("input.s must not begin with `-`: it would be taken for an option".to_owned());
        for (items, input, expected) in [
            (vec![one("{{s}}")], json!({ "s": "-x" }), option()),
            (vec![one("{{s}}{{s}}")], json!({ "s": "-x" }), option()),
            // The first value is empty, so the second begins the argument.
            (
                vec![one("{{d}}{{s}}")],
                json!({ "d": "", "s": "-x" }),
                option(),
            ),
            (
                vec![one("--x={{s}}")],
                json!({ "s": "-x" }),
                Ok(vec!["--x=-x"]),
            ),
            (
                vec![one("--"), one("{{s}}")],
                json!({ "s": "-x" }),
                Ok(vec!["--", "-x"]),
            ),
            (
                vec![one("{{s}}"), one("--")],
                json!({ "s": "-x" }),
                option(),
            ),
            // A `--` that the model wrote does not count.
            (
                vec![one("{{d}}"), one("{{s}}")],
                json!({ "d": "a", "s": "--" }),
                option(),
            ),
            // Nor does one that was left out.
            (
                vec![optional(&["--", "{{n}}"]), one("{{s}}")],
                json!({ "s": "-x" }),
                option(),
            ),
            (
                vec![optional(&["--", "{{n}}"]), one("{{s}}")],
                json!({ "s": "-x", "n": 1 }),
                Ok(vec!["--", "1", "-x"]),
            ),
            (vec![one("{{n}}")], json!({ "n": -5 }), Ok(vec!["-5"])),
        ] {
            let expected = expected.map(|texts| texts.iter().map(ToString::to_string).collect());
            assert_eq!(
                fill(&items, input.clone()),
                expected,
                "{items:?} with {input}"
            );
        }
    }

    #[test]
    fn in_a_path_a_value_is_one_component() {
        for (text, value, fits) in [
            ("orders/{{s}}.json", "1042", true),
            ("orders/{{s}}.json", "a.b", true),
            ("orders/{{s}}", "../secret", false),
            ("orders/{{s}}", "..", false),
            ("orders/{{s}}", ".", false),
            ("orders/{{s}}", "", false),
            ("orders\\{{s}}", "a\\b", false),
            ("--file=./{{s}}", "a/b", false),
            ("order-{{s}}/x", "/..", false),
            ("a/{{s}}{{s}}", ".", false),
            ("{{s}}", "a/b", true),
            ("{{s}}:{{s}}", "../b", true),
        ] {
            let filled = fill(&[one(text)], json!({ "s": value }));
            assert_eq!(filled.is_ok(), fits, "{text} with {value}: {filled:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_stays_under_the_working_directory() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("inside");
        std::fs::create_dir_all(inside.join("sub")).unwrap();
        std::fs::write(folder.path().join("outside.txt"), "").unwrap();
        std::os::unix::fs::symlink(folder.path(), inside.join("out")).unwrap();
        std::os::unix::fs::symlink("sub", inside.join("in")).unwrap();
        for (path, stays) in [
            ("a.txt", true),
            ("sub/new/a.txt", true),
            ("./sub/../a.txt", true),
            ("in/a.txt", true),
            ("..", false),
            ("../outside.txt", false),
            ("sub/../../outside.txt", false),
            ("out/outside.txt", false),
            ("out/new.txt", false),
            ("/etc/passwd", false),
            ("\\\\server\\share", false),
            ("a\0b", false),
        ] {
            assert_eq!(stays_under(&inside, path), stays, "{path}");
        }
    }
}
