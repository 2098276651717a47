//! Fixing everything that has one right answer never makes a definition worse, and leaves nothing over.

use super::{check, formatting::changed_definition, world::World};
use expect_test::{Expect, expect};
use loopls::check::{Analysis, Code, Diagnostic, Fixed, Levels, fix_all};
use loopls::definition::{Nowhere, Surroundings};
use loopls::text::apply_edits;
use proptest::prelude::*;
use ropey::Rope;
use std::collections::BTreeSet;

/// Every definition of the test data, with the world around it, with both line endings.
fn definitions() -> Vec<(String, &'static dyn Surroundings)> {
    let cases = check::cases();
    let cases = cases.iter().flat_map(|(_, text)| {
        let cases = text.trim_end().split("\n\n# ----\n\n");
        cases.map(|case| (check::input(case), &World as &dyn Surroundings))
    });
    let conformance = include_str!("../data/conformance/definitions.jsonl");
    let conformance = conformance.lines().map(|line| {
        let case: serde_json::Value = serde_json::from_str(line).expect("a case is JSON");
        let text = case["toml"].as_str().expect("toml").to_owned();
        (text, &Nowhere as &dyn Surroundings)
    });
    let all: Vec<_> = cases.chain(conformance).collect();
    let windows = all
        .clone()
        .into_iter()
        .map(|(text, world)| (text.replace('\n', "\r\n"), world));
    all.into_iter().chain(windows).collect()
}

/// A text with what is wrong with it.
struct Judged {
    analysis: Analysis,
    diagnostics: Vec<Diagnostic>,
}

fn judge(text: &str, world: &dyn Surroundings) -> Judged {
    let analysis = Analysis::new(Rope::from_str(text));
    let diagnostics = analysis.diagnostics_in(world);
    Judged {
        analysis,
        diagnostics,
    }
}

impl Judged {
    fn is_no_worse_than(&self, before: &Judged) -> bool {
        let codes = |judged: &Judged| -> BTreeSet<Code> {
            judged.diagnostics.iter().map(|found| found.code).collect()
        };
        self.analysis.syntax_errors.len() <= before.analysis.syntax_errors.len()
            && codes(self).is_subset(&codes(before))
    }

    /// A certain fix that would still make the text better.
    fn left_over(&self, text: &str, world: &dyn Surroundings) -> Option<String> {
        self.diagnostics.iter().find_map(|diagnostic| {
            let mut certain = self.analysis.fixes(diagnostic);
            certain.retain(|fix| fix.certain);
            let [fix] = certain.as_slice() else {
                return None;
            };
            let after = judge(&apply_edits(text, &fix.edits).expect("edits fit"), world);
            let better =
                after.is_no_worse_than(self) && after.diagnostics.len() < self.diagnostics.len();
            better.then(|| format!("{}: {}", diagnostic.code, fix.title))
        })
    }
}

/// Holds everything that is promised of fixing; what is wrong comes as an error.
fn hold(text: &str, world: &dyn Surroundings) -> Result<Held, String> {
    let before = judge(text, world);
    let fixed = fix_all(text, world, &Levels::default());
    let after = judge(&fixed.text, world);
    let wrong = |what: &str| Err(format!("{what}\n{text}\n->\n{}", fixed.text));
    if !after.is_no_worse_than(&before) {
        return wrong(&format!("worse: {:?}", after.diagnostics));
    }
    if after.diagnostics.len() + fixed.applied.len() > before.diagnostics.len() {
        return wrong("a fix put nothing right");
    }
    if let Some(left) = after.left_over(&fixed.text, world) {
        return wrong(&format!("left over: {left}"));
    }
    let again = fix_all(&fixed.text, world, &Levels::default());
    if again.text != fixed.text || !again.applied.is_empty() {
        return wrong("a second time changes something");
    }
    if fixed.applied.is_empty() && fixed.text != text {
        return wrong("changed without saying so");
    }
    Ok(Held {
        before,
        fixed,
        after,
    })
}

/// A text that kept what is promised.
struct Held {
    before: Judged,
    fixed: Fixed,
    after: Judged,
}

/// A line of which nothing was said and which is not there any more; a removed last item takes the comma before it along.
fn lost_line(text: &str, held: &Held) -> Option<String> {
    let mut lines = held
        .fixed
        .text
        .lines()
        .map(|line| line.trim_end_matches(','));
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let end = offset + line.len();
        let mut spans = held.before.diagnostics.iter().map(|found| found.span);
        let told = spans.any(|span| span.start < end && offset <= span.end);
        let kept = line.trim_end_matches(['\r', '\n', ',']);
        if !told && !lines.any(|left| left == kept) {
            return Some(kept.to_owned());
        }
        offset = end;
    }
    None
}

#[test]
fn fixing_all_is_safe_and_complete() {
    let mut wrong = Vec::new();
    let mut fixes = 0;
    let mut without_effect = BTreeSet::new();
    for (text, world) in definitions() {
        let held = match hold(&text, world) {
            Ok(held) => held,
            Err(what) => {
                wrong.push(what);
                continue;
            }
        };
        let fixed = &held.fixed;
        fixes += fixed.applied.len();
        let bare = |text: &str| text.replace("\r\n", "").contains(['\r', '\n']);
        let windows = text.contains('\r');
        if windows && bare(&fixed.text) || !windows && fixed.text.contains('\r') {
            wrong.push(format!("line endings changed\n{text}\n->\n{}", fixed.text));
        }
        if let Some(line) = lost_line(&text, &held) {
            wrong.push(format!(
                "lost the line `{line}`\n{text}\n->\n{}",
                fixed.text
            ));
        }
        for diagnostic in &held.after.diagnostics {
            let certain = diagnostic.remedies.iter().filter(|remedy| remedy.certain);
            let titles = certain.map(|remedy| format!("{}: {}", diagnostic.code, remedy.title));
            without_effect.extend(titles);
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong",
        wrong.join("\n\n"),
        wrong.len()
    );
    // The data has something to fix, or this test shows nothing.
    assert!(fixes > 300, "only {fixes} fixes");
    // What is certain and still not applied: it would bring up something of another kind.
    let without_effect: Vec<_> = without_effect.into_iter().collect();
    assert_eq!(without_effect, [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn fixing_a_changed_definition_is_safe(text in changed_definition()) {
        if let Err(what) = hold(&text, &World) {
            return Err(TestCaseError::fail(what));
        }
    }
}

/// Expects this text after the fixes, under a list of what was applied.
fn check_fixed(text: &str, expected: Expect) {
    let fixed = fix_all(text, &Nowhere, &Levels::default());
    let mut told = String::new();
    for applied in &fixed.applied {
        let line = text[..applied.offset].matches('\n').count() + 1;
        told.push_str(&format!("{line}: {} ({})\n", applied.title, applied.code));
    }
    expected.assert_eq(&format!("{told}--\n{}", fixed.text));
}

/// A definition with nothing wrong to put cases behind.
const BEGINNING: &str = "name = \"a\"\nmodel = { provider = \"scripted\", name = \"demo\" }\n";

fn check_lines(lines: &str, expected: Expect) {
    check_fixed(&format!("{BEGINNING}{lines}"), expected);
}

#[test]
fn fixes_that_overlap_wait_for_each_other() {
    check_lines(
        r#"initial_mode = "m"
tools = [{ name = "a", description = "A", reply = 1 }, { name = "b", description = "B", reply = 2 }]

[[modes]]
name = "m"
tools = ["a", "b", "a", "a", "b", "a"]
limits = { iterations = 0, calls = 0, parallel = 0 } # all of them
"#,
        expect![[r#"
            8: Remove the second (repeated_tool)
            8: Remove the second (repeated_tool)
            8: Remove the second (repeated_tool)
            8: Remove the second (repeated_tool)
            9: Remove `iterations`, which says the same (zero_in_mode)
            9: Remove `calls`, which says the same (zero_in_mode)
            9: Remove `parallel`, which says the same (zero_in_mode)
            --
            name = "a"
            model = { provider = "scripted", name = "demo" }
            initial_mode = "m"
            tools = [{ name = "a", description = "A", reply = 1 }, { name = "b", description = "B", reply = 2 }]

            [[modes]]
            name = "m"
            tools = ["a", "b"]
            limits = {  } # all of them
        "#]],
    );
}

#[test]
fn keys_move_out_together_and_comments_stay() {
    check_lines(
        r#"
[[tools]]
name = "a"
description = "A"
command = ["cat"]

# What the model puts in.
[tools.input]
type = "object"
effect = "read" # looks only
properties = {}
timeout = "1s"
"#,
        expect![[r#"
            12: Move `effect` to the tool (unknown_key)
            14: Move `timeout` to the tool (unknown_key)
            --
            name = "a"
            model = { provider = "scripted", name = "demo" }

            [[tools]]
            name = "a"
            description = "A"
            command = ["cat"]
            effect = "read" # looks only
            timeout = "1s"

            # What the model puts in.
            [tools.input]
            type = "object"
            properties = {}
        "#]],
    );
}

#[test]
fn what_is_a_choice_is_left_to_a_person() {
    check_lines(
        "dispaly_name = \"A\"\n\n[limits]\ncalls = -1\n",
        expect![[r#"
            --
            name = "a"
            model = { provider = "scripted", name = "demo" }
            dispaly_name = "A"

            [limits]
            calls = -1
        "#]],
    );
}

#[test]
fn what_is_off_is_not_fixed() {
    let text = format!("{BEGINNING}\n[limits]\ncalls = 0\n");
    let mut levels = Levels::default();
    levels.set("zero_limit", "off").expect("a level");
    assert_eq!(fix_all(&text, &Nowhere, &levels).text, text);
    levels.set("zero_limit", "hint").expect("a level");
    assert_eq!(fix_all(&text, &Nowhere, &levels).applied.len(), 1);
}

#[test]
fn an_allowance_that_may_be_meant_stays() {
    check_lines(
        r#"
[[tools]]
name = "a"
description = "A"
reply = 1 # loopls: allow environment_not_set, command_not_found, zero_limits, zero_limit
"#,
        expect![[r#"
            7: Remove `zero_limit` (unused_allow)
            --
            name = "a"
            model = { provider = "scripted", name = "demo" }

            [[tools]]
            name = "a"
            description = "A"
            reply = 1 # loopls: allow environment_not_set, command_not_found, zero_limits
        "#]],
    );
}

#[test]
fn a_byte_order_mark_stays_in_front() {
    let text = format!("\u{feff}{BEGINNING}[[modes]]\nname = \"m\"\n");
    let fixed = fix_all(&text, &Nowhere, &Levels::default());
    assert_eq!(
        fixed.text,
        format!("\u{feff}{BEGINNING}initial_mode = \"m\"\n[[modes]]\nname = \"m\"\n")
    );
}

#[test]
fn a_file_with_more_faults_than_are_told_is_fixed_whole() {
    let mode = |n: usize| format!("\n[[modes]]\nname = \"m{n}\"\nlimits.calls = 0\n");
    let modes: String = (0..700).map(mode).collect();
    let text = format!("{BEGINNING}initial_mode = \"m0\"\n{modes}");
    let fixed = fix_all(&text, &Nowhere, &Levels::default());
    assert_eq!(fixed.applied.len(), 700);
    assert_eq!(fixed.text, text.replace("limits.calls = 0\n", ""));
    // Each is told where it was.
    assert!(
        fixed
            .applied
            .iter()
            .all(|applied| text[applied.offset..].starts_with("0\n"))
    );
}

/// Applies the first thing that is offered for each diagnostic of `code`, with both line endings: the diagnostic is gone
/// and none is new. Expects the text afterwards.
fn check_offered(code: Code, text: &str, expected: Expect) {
    let mut results = Vec::new();
    for windows in [false, true] {
        let mut text = if windows {
            text.replace('\n', "\r\n")
        } else {
            text.to_owned()
        };
        loop {
            let before = judge(&text, &Nowhere);
            let offered = before.diagnostics.iter().filter(|found| found.code == code);
            let mut fixes =
                offered.filter_map(|found| before.analysis.fixes(found).into_iter().next());
            let Some(fix) = fixes.next() else { break };
            text = apply_edits(&text, &fix.edits).expect("edits fit");
            let after = judge(&text, &Nowhere);
            let count = |judged: &Judged| {
                judged
                    .diagnostics
                    .iter()
                    .filter(|found| found.code == code)
                    .count()
            };
            assert!(count(&after) < count(&before), "{}: {text}", fix.title);
            assert!(
                after.is_no_worse_than(&before),
                "{}: {:?}",
                fix.title,
                after.diagnostics
            );
        }
        assert_eq!(
            text.matches("\r\n").count(),
            if windows {
                text.matches('\n').count()
            } else {
                0
            }
        );
        results.push(text.replace("\r\n", "\n"));
    }
    assert_eq!(results[0], results[1]);
    expected.assert_eq(&results[0]);
}

const OF_ANTHROPIC: &str = "name = \"a\"\nmodel = { provider = \"anthropic\", name = \"demo\" }\n";

#[test]
fn a_name_is_made_to_fit_the_provider_wherever_it_stands() {
    let text = format!(
        "{OF_ANTHROPIC}initial_mode = \"m\"
access = {{ allow = [\"orders.find\"] }}

[[tools]]
name = \"orders.find\" # the desk's own
description = \"Finds an order.\"
reply = \"found\"

[[modes]]
name = \"m\"
tools = ['orders.find']
"
    );
    check_offered(
        Code::ToolNameForProvider,
        &text,
        expect![[r#"
            name = "a"
            model = { provider = "anthropic", name = "demo" }
            initial_mode = "m"
            access = { allow = ["orders_find"] }

            [[tools]]
            name = "orders_find" # the desk's own
            description = "Finds an order."
            reply = "found"

            [[modes]]
            name = "m"
            tools = ["orders_find"]
        "#]],
    );
    // A pattern that would match no more changes what may run: that is for a person to decide.
    let with_pattern = text.replace("\"orders.find\"] }", "\"orders.*\"] }");
    let before = judge(&with_pattern, &Nowhere);
    let mut found = before
        .diagnostics
        .iter()
        .filter(|found| found.code == Code::ToolNameForProvider);
    assert!(found.all(|found| before.analysis.fixes(found).is_empty()));
}

#[test]
fn a_property_is_made_to_fit_the_provider_wherever_it_stands() {
    let text = format!(
        "{OF_ANTHROPIC}
[[tools]]
name = \"find\"
description = \"Finds a desk.\"
command = [\"find-desk\", \"--\", \"{{{{größe}}}}\"]
effect = \"read\"

[tools.input]
properties.\"größe\" = {{ type = \"integer\", description = \"How large it is.\" }}
required = [\"größe\"]
"
    );
    check_offered(
        Code::SchemaForProvider,
        &text,
        expect![[r#"
            name = "a"
            model = { provider = "anthropic", name = "demo" }

            [[tools]]
            name = "find"
            description = "Finds a desk."
            command = ["find-desk", "--", "{{gr__e}}"]
            effect = "read"

            [tools.input]
            properties.gr__e = { type = "integer", description = "How large it is." }
            required = ["gr__e"]
        "#]],
    );
}

#[test]
fn an_array_says_of_what() {
    let text = "name = \"a\"
model = { provider = \"openai\", name = \"demo\" }

[[tools]]
name = \"find\"
description = \"Finds orders.\"
reply = \"found\"
effect = \"read\"

[tools.input.properties]
short = { type = \"array\", description = \"numbers\" }

[tools.input.properties.long]
  type = \"array\" # of numbers
  description = \"numbers\"
";
    check_offered(
        Code::SchemaForProvider,
        text,
        expect![[r#"
            name = "a"
            model = { provider = "openai", name = "demo" }

            [[tools]]
            name = "find"
            description = "Finds orders."
            reply = "found"
            effect = "read"

            [tools.input.properties]
            short = { type = "array", items = {}, description = "numbers" }

            [tools.input.properties.long]
              items = {}
              type = "array" # of numbers
              description = "numbers"
        "#]],
    );
    assert!(fix_all(text, &Nowhere, &Levels::default()).applied.len() == 2);
}

/// What an entry without a name makes cannot be listed by that name.
#[test]
fn no_fix_lists_a_tool_that_has_no_name() {
    let text = format!(
        "{BEGINNING}initial_mode = \"m\"\n[[tools]]\nproduces = [\"find\"]\ndescription = \"Finds.\"\nreply = \"found\"\n\
         [[modes]]\nname = \"m\"\ntools = [\"find\"]\n"
    );
    let judged = judge(&text, &Nowhere);
    let mut unknown = judged
        .diagnostics
        .iter()
        .filter(|found| found.code == Code::UnknownTool);
    assert_eq!(
        judged
            .analysis
            .fixes(unknown.next().expect("nothing has this name")),
        []
    );
}

/// A list of one blank name is as wrong without it.
#[test]
fn the_only_produced_name_is_not_removed() {
    let lines = |produces: &str| {
        let text = format!(
            "{BEGINNING}[[tools]]\nname = \"find\"\nproduces = {produces}\ndescription = \"Finds.\"\nreply = \"found\"\neffect = \"read\"\n"
        );
        fix_all(&text, &Nowhere, &Levels::default()).text
    };
    assert!(lines("[\" \"]").contains("produces = [\" \"]"));
    assert!(lines("[\" \", \"find\"]").contains("produces = [\"find\"]"));
}
