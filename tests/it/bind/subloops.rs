//! Tools that are other loops, and delegates: what is read, what is bound, and what is refused.

use super::*;

/// A project with these files, in which `desk.loop.toml` is bound.
struct Project {
    folder: TempDir,
    desk: String,
}

impl Project {
    fn new(desk: &str, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for (path, text) in files {
            write(path, text);
        }
        write("desk.loop.toml", desk);
        Self {
            folder,
            desk: desk.to_owned(),
        }
    }

    async fn bind(&self) -> Result<Bound, BindError> {
        bind_with(&self.desk, bindings(self.folder.path())).await
    }

    /// The place in the desk and the message of the error.
    async fn error(&self) -> (String, String) {
        let error = self.bind().await.err().unwrap();
        let place = error.span().unwrap().of(&self.desk).to_owned();
        let folder = self.folder.path().display().to_string();
        (place, error.to_string().replace(&folder, "@"))
    }
}

/// A definition of this name with `more` behind it.
fn named(name: &str, more: &str) -> String {
    format!(
        "name = \"{name}\"\n{}\n{more}",
        HEADER.lines().nth(1).unwrap()
    )
}

/// A tool that hands work to the loop at `path`.
fn loop_tool(name: &str, path: &str) -> String {
    format!("[[tools]]\nname = \"{name}\"\ndescription = \"Hands on.\"\nloop = \"{path}\"\n")
}

fn names(bound: &Bound) -> Vec<Vec<&str>> {
    let modes = bound.modes.iter();
    let names = modes.map(|mode| mode.tools.iter().map(|tool| &*tool.info().name).collect());
    names.collect()
}

#[tokio::test]
async fn loops_and_delegates_become_tools_that_take_a_message() {
    let modes = "initial_mode = \"m\"\nmodes = [{ name = \"m\", tools = [\"fixed\"] }]\n";
    let fixed = "[[tools]]\nname = \"fixed\"\ndescription = \"d\"\nreply = \"x\"\n";
    let refunds = loop_tool("refunds", "sub/refund.loop.toml");
    let desk =
        format!("delegates = [\"parcel-desk\", \"refund\"]\n{HEADER}{modes}{refunds}{fixed}");
    let project = Project::new(
        &desk,
        &[
            ("sub/refund.loop.toml", &named("refund", "")),
            ("loopls.toml", ""),
            (
                "far/away/loop.toml",
                &named("parcel-desk", "description = \"Finds parcels.\"\n")
                    .replace("model", "\nmodel"),
            ),
        ],
    );
    let bound = project.bind().await.unwrap();
    assert_eq!(
        names(&bound),
        [
            &["refunds", "fixed", "parcel-desk", "refund"][..],
            &["fixed", "parcel-desk", "refund"],
        ]
    );
    let [refunds, _, parcels, refund] = &bound.modes[0].tools[..] else {
        panic!("four tools");
    };
    let info = parcels.info();
    assert_eq!(info.description, "Finds parcels.");
    assert_eq!((info.effect.as_str(), info.timeout), ("read", None));
    assert_eq!(info.span.of(&project.desk), "\"parcel-desk\"");
    assert_eq!(info.input_schema["required"], json!(["message"]));
    assert_eq!(refunds.info().description, "Hands on.");
    // One file is bound once, whoever names it.
    let child = |tool: &Arc<dyn Tool>| tool.subloop().unwrap().clone();
    assert!(Arc::ptr_eq(&child(refunds), &child(refund)));
    assert_eq!(child(refund).session_id, bound.session_id);
    assert_ne!(child(refund).loop_id, bound.loop_id);

    let call = parcels
        .prepare(&json!({ "message": "where's it?" }))
        .unwrap();
    assert_eq!(call.shown(), r"loop parcel-desk <<< 'where'\''s it?'");
    let outcome = finished(call.run(context(&CancellationToken::new()))).await;
    assert_eq!(text(&outcome), "parcel-desk was told: where's it?");
    for (input, problem) in [
        (json!({}), "input: \"message\" is a required property"),
        (json!({ "message": " " }), "input.message is blank"),
        (
            json!({ "message": "a", "mode": "b" }),
            "input: Additional properties are not allowed ('mode' was unexpected)",
        ),
    ] {
        assert_eq!(parcels.prepare(&input).err().unwrap().0, problem);
    }
}

#[tokio::test]
async fn a_loop_below_lives_in_its_own_folder() {
    let cat =
        "[[tools]]\nname = \"t\"\ndescription = \"d\"\ncommand = [\"./own\"]\neffect = \"read\"\n";
    let sub = format!("system_file = \"../system.md\"\n{}", named("sub", cat));
    let project = Project::new(
        &format!("{HEADER}{}", loop_tool("sub", "sub/sub.loop.toml")),
        &[
            ("loopls.toml", ""),
            ("system.md", "Be brief."),
            ("sub/sub.loop.toml", &sub),
            ("sub/own", "#!/bin/sh\npwd\n"),
        ],
    );
    let own = project.folder.path().join("sub/own");
    fs::set_permissions(own, fs::Permissions::from_mode(0o755)).unwrap();
    let bound = project.bind().await.unwrap();
    let below = bound.modes[0].tools[0].subloop().unwrap();
    assert_eq!(below.modes[0].system, "Be brief.");
    let call = below.modes[0].tools[0].prepare(&json!({})).unwrap();
    let outcome = finished(call.run(context(&CancellationToken::new()))).await;
    let sub = project.folder.path().canonicalize().unwrap().join("sub");
    assert_eq!(text(&outcome).trim_end(), sub.to_str().unwrap());
}

#[tokio::test]
async fn what_is_wrong_below_is_told_at_the_mention_with_its_own_place() {
    let program = "[[tools]]\nname = \"t\"\ndescription = \"d\"\ncommand = [\"no-such-program\"]\n";
    let bad_limits = "[limits]\ncalls = -1\niterations = -1\n";
    let via = |path: &str| format!("{HEADER}{}", loop_tool("sub", path));
    for (desk, files, place, expected) in [
        (
            via("a.loop.toml"),
            vec![("a.loop.toml", named("a", bad_limits))],
            "\"a.loop.toml\"",
            "tool `sub`: a.loop.toml:4:9: `calls` is -1; a limit is never negative (leave it out for the default) \
             [invalid_tool_limits] (and 1 more)",
        ),
        (
            via("a.loop.toml"),
            vec![("a.loop.toml", named("a", program))],
            "\"a.loop.toml\"",
            "tool `sub`: a.loop.toml:6:12: tool `t`: there is no program `no-such-program` on PATH",
        ),
        (
            via("a.loop.toml"),
            vec![
                ("a.loop.toml", named("a", &loop_tool("b", "b.loop.toml"))),
                ("b.loop.toml", named("b", program)),
            ],
            "\"a.loop.toml\"",
            "tool `sub`: a.loop.toml:6:8: tool `b`: b.loop.toml:6:12: tool `t`: there is no program \
             `no-such-program` on PATH",
        ),
        (
            format!("delegates = [\"a\"]\n{HEADER}"),
            vec![("x/a.loop.toml", named("a", program))],
            "\"a\"",
            "delegate `a`: @/x/a.loop.toml:6:12: tool `t`: there is no program `no-such-program` on PATH",
        ),
        (
            format!("delegates = [\"a\", \"a\"]\n{HEADER}"),
            vec![("x/a.loop.toml", named("a", ""))],
            "\"a\"",
            "two tools are named `a`",
        ),
        (
            format!("delegates = [\"sub\"]\n{}", via("x/sub.loop.toml")),
            vec![("x/sub.loop.toml", named("sub", ""))],
            "\"sub\"",
            "two tools are named `sub`",
        ),
        (
            format!("delegates = [\"_looprig_final_output\"]\n{HEADER}"),
            vec![("a.loop.toml", named("_looprig_final_output", ""))],
            "\"_looprig_final_output\"",
            "delegate `_looprig_final_output`: this name is reserved",
        ),
        // A search of the project passes hidden folders over, so that no rule sees this circle.
        (
            via(".hidden/a.loop.toml"),
            vec![
                ("loopls.toml", String::new()),
                (
                    ".hidden/a.loop.toml",
                    named("a", &loop_tool("up", "b.loop.toml")),
                ),
                (
                    ".hidden/b.loop.toml",
                    named("b", &loop_tool("up", "a.loop.toml")),
                ),
            ],
            "\".hidden/a.loop.toml\"",
            "tool `sub`: .hidden/a.loop.toml:6:8: tool `up`: b.loop.toml:6:8: tool `up`: `a.loop.toml` hands work \
             back to itself",
        ),
    ] {
        let files: Vec<_> = files
            .iter()
            .map(|(path, text)| (*path, text.as_str()))
            .collect();
        let project = Project::new(&desk, &files);
        let (at, message) = project.error().await;
        assert_eq!((at.as_str(), message.as_str()), (place, expected));
    }
}

#[tokio::test]
async fn there_are_two_levels_below_the_root() {
    let project = Project::new(
        &format!("{HEADER}{}", loop_tool("one", "1.loop.toml")),
        &[
            (
                "1.loop.toml",
                &named("one", &loop_tool("two", "2.loop.toml")),
            ),
            (
                "2.loop.toml",
                &named("two", &loop_tool("three", "3.loop.toml")),
            ),
            ("3.loop.toml", &named("three", "")),
        ],
    );
    let bound = project.bind().await.unwrap();
    let below = |bound: &Bound| bound.modes[0].tools[0].subloop().cloned();
    let two = below(&below(&bound).unwrap()).unwrap();
    assert_eq!(names(&two), [["three"]]);
    assert!(below(&two).is_none());
    let refused = two.modes[0].tools[0].prepare(&json!({ "message": "m" }));
    assert_eq!(
        refused.err().unwrap().0,
        "loops hand work on at most two levels below the one that was started, and this would be a third"
    );
}

#[tokio::test]
async fn what_was_read_for_trust_is_what_is_bound() {
    let project = Project::new(
        &format!(
            "delegates = [\"other\"]\n{HEADER}{}",
            loop_tool("sub", "sub.loop.toml")
        ),
        &[
            (
                "sub.loop.toml",
                &named("sub", &loop_tool("other", "x/other.loop.toml")),
            ),
            ("x/other.loop.toml", &named("other", "")),
        ],
    );
    let (accepted, host) = accept(&project.desk, project.folder.path());
    let family = Family::load(&accepted, &host).unwrap();
    let mut names: Vec<_> = family
        .loops()
        .iter()
        .map(|accepted| accepted.definition().name.text())
        .collect();
    names.sort_unstable();
    // The one that is reached on two ways was read for each level.
    assert_eq!(names, ["desk", "other", "other", "sub"]);

    fs::write(project.folder.path().join("sub.loop.toml"), "no loop").unwrap();
    let bound = family
        .bind(bindings(project.folder.path()), None)
        .await
        .unwrap();
    assert_eq!(self::names(&bound), [["sub", "other"]]);
}
