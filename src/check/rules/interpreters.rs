//! Which arguments of a command an interpreter runs as code.

use crate::definition::CommandArgument;

/// Programs that run an argument as code, with the options after which it stands.
const INTERPRETERS: &[(&[&str], &[&str])] = &[
    (
        &["sh", "bash", "dash", "zsh", "ksh", "fish", "ash"],
        &["-c"],
    ),
    (&["python", "pypy"], &["-c"]),
    (
        &["node", "nodejs", "bun"],
        &["-e", "--eval", "-p", "--print"],
    ),
    (&["deno"], &["eval"]),
    (
        &[
            "ruby",
            "perl",
            "lua",
            "luajit",
            "osascript",
            "groovy",
            "Rscript",
        ],
        &["-e", "-E"],
    ),
    (&["php"], &["-r"]),
    (&["sed"], &["-e", "--expression"]),
    (&["cmd"], &["/c", "/C", "/k", "/K"]),
    (
        &["powershell", "pwsh"],
        &["-c", "-Command", "-command", "-EncodedCommand"],
    ),
];

/// Programs that start the program named in a later argument.
const STARTERS: &[&str] = &[
    "env", "sudo", "doas", "nice", "nohup", "timeout", "time", "xargs", "stdbuf", "setsid",
    "busybox", "unshare", "chroot", "docker", "podman", "kubectl", "ssh", "find",
];

/// Programs whose first argument that is no option is code, with the options that take a value after them, and those
/// that name a file with the code instead.
const SCRIPTED: &[(&[&str], &[&str], &[&str])] = &[
    (
        &["awk", "gawk", "mawk", "nawk"],
        &["-v", "-F", "--assign", "--field-separator"],
        &["-f", "--file"],
    ),
    (
        &["sed", "gsed"],
        &["-l", "--line-length"],
        &["-f", "--file", "-e", "--expression"],
    ),
    (&["jq"], &["--indent", "-L"], &["-f", "--from-file"]),
];

/// The indexes of the arguments that an interpreter takes as code.
pub fn code_arguments(arguments: &[CommandArgument]) -> Vec<usize> {
    let texts: Vec<&str> = arguments
        .iter()
        .map(|argument| match argument {
            CommandArgument::One(text) => text.value.as_str(),
            _ => "",
        })
        .collect();
    let mut code = Vec::new();
    for at in 0..texts.len() {
        if at == 0 || STARTERS.contains(&program_name(texts[0])) {
            interpreted(&texts, at, &mut code);
        }
    }
    code
}

/// The bare name of a program: no folder, no `.exe`, no version.
fn program_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// Adds the arguments that the program at `at` takes as code.
fn interpreted(texts: &[&str], at: usize, code: &mut Vec<usize>) {
    let program = program_name(texts[at]);
    if let Some((_, options)) = INTERPRETERS
        .iter()
        .find(|(programs, _)| programs.contains(&program))
    {
        // Short options may be bundled: `sh -ec CODE`.
        let bundled = |option: &str, wanted: &str| {
            wanted.len() == 2
                && wanted.starts_with('-')
                && !option.starts_with("--")
                && option.starts_with('-')
                && option.len() > 2
                && option.ends_with(&wanted[1..])
        };
        let matches = |text: &str| {
            options
                .iter()
                .any(|wanted| text == *wanted || bundled(text, wanted))
        };
        if let Some(option) = texts.iter().skip(at + 1).position(|text| matches(text)) {
            let first = at + 1 + option + 1;
            code.push(first);
            // What follows `cmd /c` is all one command line.
            if matches!(program, "cmd" | "powershell" | "pwsh") {
                code.extend(first + 1..texts.len());
            }
        }
    }
    let Some((_, with_value, with_file)) = SCRIPTED
        .iter()
        .find(|(programs, ..)| programs.contains(&program))
    else {
        return;
    };
    if texts
        .iter()
        .skip(at + 1)
        .any(|text| with_file.contains(text))
    {
        return;
    }
    let mut next = at + 1;
    while let Some(text) = texts.get(next) {
        if with_value.contains(text) {
            next += 2;
        } else if text.starts_with('-') {
            next += 1;
        } else {
            code.push(next);
            return;
        }
    }
}
