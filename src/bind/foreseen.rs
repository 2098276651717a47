//! The calls of a run whose model's side is known before: of a test with a script, of a replay. A bind for it starts no
//! server that none of them needs.

use crate::definition::{Definition, Mcp, RESERVED_TOOL_NAME, Source, Tool, resolve};

/// The calls that a run may make, and whether each is answered without running its tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Foreseen {
    /// The mode that it runs in; empty for the base.
    pub mode: String,
    /// In any order.
    pub calls: Vec<ForeseenCall>,
}

/// A call that may be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeseenCall {
    /// The model-facing name, trimmed.
    pub tool: String,
    /// Whether its result is given.
    pub is_given: bool,
}

impl Foreseen {
    /// Whether a call may reach the server of entry number `index` of `definition`, the loop that runs.
    pub(super) fn needs(&self, definition: &Definition, index: usize) -> bool {
        let Some(tools) = self.tools(definition) else {
            return true;
        };
        if !tools.contains(&index) {
            return false;
        }
        let run = self.calls.iter().filter(|call| !call.is_given);
        match definition.tools[index].produced_names() {
            Some(names) => run
                .map(|call| &*call.tool)
                .any(|tool| names.iter().any(|name| name.value == tool)),
            None => run
                .map(|call| owners(definition, &tools, &call.tool))
                .any(|owners| owners.contains(&index)),
        }
    }

    /// Whether a call may reach a loop below that of `definition`.
    pub(super) fn reaches_below(&self, definition: &Definition) -> bool {
        let hands_on = |tool: &str| {
            let is_loop = |entry: &&Tool| {
                let source = entry.sources.first();
                source.is_some_and(|source| matches!(source.value, Source::Loop(_)))
            };
            let mut names = definition.tools.iter().filter(is_loop);
            names.any(|entry| produces(entry, tool)) || delegates_to(definition, tool)
        };
        let mut run = self.calls.iter().filter(|call| !call.is_given);
        run.any(|call| hands_on(&call.tool))
    }

    /// The names of the tools that entry number `index` stands for while its server is not there: those that it names,
    /// else those of the given results that are nobody else's.
    pub(super) fn names_of(&self, definition: &Definition, index: usize) -> Vec<String> {
        if let Some(names) = definition.tools[index].produced_names() {
            return names
                .into_iter()
                .map(|name| name.value.to_owned())
                .collect();
        }
        let tools = self.tools(definition).unwrap_or_default();
        let mut names: Vec<String> = Vec::new();
        for call in &self.calls {
            let owner = owners(definition, &tools, &call.tool).first().copied();
            if owner == Some(index) && !names.contains(&call.tool) {
                names.push(call.tool.clone());
            }
        }
        names
    }

    /// The entries of its mode; `None` where there is no such mode.
    fn tools(&self, definition: &Definition) -> Option<Vec<usize>> {
        let modes = resolve(definition);
        let mode = modes.into_iter().find(|mode| mode.name == self.mode);
        mode.map(|mode| mode.tools.to_vec())
    }
}

fn produces(entry: &Tool, name: &str) -> bool {
    let names = entry.produced_names().into_iter().flatten();
    names.map(|name| name.value).any(|own| own == name)
}

fn delegates_to(definition: &Definition, name: &str) -> bool {
    let mut delegates = definition.delegates.items();
    delegates.any(|delegate| delegate.value.trim() == name)
}

/// Of the entries in `tools` those whose server may offer the tool called `name`, while nobody has asked it: its name begins
/// with their prefix, the longest there is, and is that of no other tool.
fn owners(definition: &Definition, tools: &[usize], name: &str) -> Vec<usize> {
    let is_known = definition.tools.iter().any(|entry| produces(entry, name));
    if is_known || delegates_to(definition, name) || name == RESERVED_TOOL_NAME {
        return Vec::new();
    }
    let prefix = |index: &usize| match mcp(&definition.tools[*index]) {
        Some(mcp) if definition.tools[*index].produces.is_missing() => {
            Some(mcp.prefix.text()).filter(|prefix| name.starts_with(prefix.trim_start()))
        }
        _ => None,
    };
    let longest = tools.iter().filter_map(prefix).map(str::len).max();
    let of_it = |index: &usize| prefix(index).map(str::len) == longest;
    let owners = tools.iter().copied().filter(|index| of_it(index));
    match longest {
        Some(_) => owners.collect(),
        None => Vec::new(),
    }
}

fn mcp(entry: &Tool) -> Option<&Mcp> {
    match entry.sources.first().map(|source| &source.value) {
        Some(Source::Mcp(mcp)) => mcp.as_ref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Analysis;

    const DEFINITION: &str = r#"
delegates = ["helper"]
tools = [
  { name = "any", mcp = { command = ["x"] } },
  { name = "more", mcp = { command = ["y"] } },
  { name = "files", mcp = { command = ["z"], prefix = "fs_" } },
  { name = "named", mcp = { command = ["z"] }, produces = ["read", "write"] },
  { name = "below", loop = "below.loop.toml" },
  { name = "here", reply = "here" },
]
modes = [{ name = "plain", tools = ["files", "here"] }]
"#;

    /// What calls with (`true`) and without a given result need, in a mode: the entries by name, and `/` for loops below.
    fn needed(mode: &str, calls: &[(&str, bool)]) -> String {
        let analysis = Analysis::new(ropey::Rope::from_str(DEFINITION));
        let definition = &analysis.definition;
        let foreseen = foreseen(mode, calls);
        let indexes = 0..definition.tools.len();
        let servers = indexes.filter(|&index| mcp(&definition.tools[index]).is_some());
        let needed = servers.filter(|&index| foreseen.needs(definition, index));
        let mut names: Vec<&str> = needed
            .map(|index| definition.tools[index].name.text())
            .collect();
        names.extend(foreseen.reaches_below(definition).then_some("/"));
        names.join(" ")
    }

    fn foreseen(mode: &str, calls: &[(&str, bool)]) -> Foreseen {
        let calls = calls.iter().map(|&(tool, is_given)| ForeseenCall {
            tool: tool.into(),
            is_given,
        });
        Foreseen {
            mode: mode.into(),
            calls: calls.collect(),
        }
    }

    #[test]
    fn what_calls_need() {
        for (mode, calls, expected) in [
            ("", &[][..], ""),
            ("", &[("here", false)], ""),
            ("", &[("read", true), ("new", true), ("below", true)], ""),
            ("", &[("read", false)], "named"),
            // Two servers may have it.
            ("", &[("new", false)], "any more"),
            ("", &[("fs_new", false)], "files"),
            ("", &[("below", false)], "/"),
            ("", &[("helper", false)], "/"),
            ("", &[(RESERVED_TOOL_NAME, false)], ""),
            ("plain", &[("new", false), ("read", false)], ""),
            ("plain", &[("fs_new", false)], "files"),
            // Nobody knows what is called in a mode that is not there.
            ("none", &[], "any more files named"),
        ] {
            assert_eq!(needed(mode, calls), expected, "{mode:?} {calls:?}");
        }
    }

    #[test]
    fn a_given_result_is_of_one_tool() {
        let analysis = Analysis::new(ropey::Rope::from_str(DEFINITION));
        let calls = [
            ("new", true),
            ("fs_new", true),
            ("new", true),
            ("read", true),
        ];
        let foreseen = foreseen("", &calls);
        let names = (0..4).map(|index| foreseen.names_of(&analysis.definition, index));
        let names: Vec<_> = names.map(|names| names.join(" ")).collect();
        assert_eq!(names, ["new", "", "fs_new", "read write"]);
    }
}
