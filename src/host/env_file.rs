//! Environment files: `NAME=VALUE`, one a line.

/// Why a line of an environment file cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct EnvFileProblem {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong with it, without the value.
    pub problem: &'static str,
}

/// The variables in `text`, in order. Blank lines and those that begin with `#` are passed over, and so is `export ` in
/// front of a name. A value in double quotes may hold `\n`, `\t`, `\r`, `\"`, `\\` and `\$`, one in single quotes is
/// taken as it is, any other ends at ` #`. Nothing in a value is replaced.
///
/// # Errors
///
/// The first line that is none of this.
pub fn parse_env_file(text: &str) -> Result<Vec<(String, String)>, EnvFileProblem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut variables = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let problem = |problem| EnvFileProblem {
            line: number + 1,
            problem,
        };
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = line.split_once('=').ok_or(problem("there is no `=`"))?;
        let name = name.trim();
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == '\0') {
            return Err(problem("what stands before `=` is no name"));
        }
        let value = value_of(value.trim()).map_err(problem)?;
        if value.contains('\0') {
            return Err(problem("a variable cannot hold a NUL character"));
        }
        variables.push((name.to_owned(), value));
    }
    Ok(variables)
}

fn value_of(text: &str) -> Result<String, &'static str> {
    let (value, rest) = match text.chars().next() {
        Some('\'') => {
            let inner = &text[1..];
            let (value, rest) = inner.split_once('\'').ok_or("the quote does not end")?;
            (value.to_owned(), rest)
        }
        Some('"') => double_quoted(&text[1..])?,
        // A comment begins behind a space, so that a value may hold `#`.
        _ => match text.find(" #") {
            Some(end) => (text[..end].trim_end().to_owned(), ""),
            None => (text.to_owned(), ""),
        },
    };
    match rest.trim_start() {
        rest if rest.is_empty() || rest.starts_with('#') => Ok(value),
        _ => Err("something follows the closing quote"),
    }
}

/// The value up to the closing quote, and what follows that.
fn double_quoted(text: &str) -> Result<(String, &str), &'static str> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Ok((value, &text[at + 1..])),
            '\\' => match characters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 'r')) => value.push('\r'),
                Some((_, 't')) => value.push('\t'),
                Some((_, escaped @ ('"' | '\\' | '$'))) => value.push(escaped),
                _ => {
                    return Err(
                        "this escape is none of `\\n`, `\\r`, `\\t`, `\\\"`, `\\\\`, `\\$`",
                    );
                }
            },
            other => value.push(other),
        }
    }
    Err("the quote does not end")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_taken_as_they_are_meant() {
        for (line, expected) in [
            ("A=b", Ok(("A", "b"))),
            ("  export A = b c  ", Ok(("A", "b c"))),
            ("A=b#c # comment", Ok(("A", "b#c"))),
            ("A=", Ok(("A", ""))),
            ("A=x=y", Ok(("A", "x=y"))),
            ("A=${B} $C", Ok(("A", "${B} $C"))),
            ("A='a \"b\" \\n' # comment", Ok(("A", "a \"b\" \\n"))),
            (r#"A="a\n\"b\" # \\ \$""#, Ok(("A", "a\n\"b\" # \\ $"))),
            ("A", Err("there is no `=`")),
            ("=b", Err("what stands before `=` is no name")),
            ("A B=c", Err("what stands before `=` is no name")),
            ("A='b", Err("the quote does not end")),
            ("A=\"b", Err("the quote does not end")),
            ("A='b'c", Err("something follows the closing quote")),
            (
                r#"A="\x""#,
                Err("this escape is none of `\\n`, `\\r`, `\\t`, `\\\"`, `\\\\`, `\\$`"),
            ),
            ("A=\0", Err("a variable cannot hold a NUL character")),
        ] {
            let text = format!("\u{feff}# first\r\n\r\n{line}\r\n");
            let expected = match expected {
                Ok((name, value)) => Ok(vec![(name.to_owned(), value.to_owned())]),
                Err(problem) => Err(EnvFileProblem { line: 3, problem }),
            };
            assert_eq!(parse_env_file(&text), expected, "{line}");
        }
    }
}
