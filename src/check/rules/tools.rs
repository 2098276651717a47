//! Names of tools: `invalid_tool`, `reserved_tool_name`, `invalid_tool_info`, `duplicate_definition_name`,
//! `duplicate_tool_name`.

use super::free_name;
use crate::check::{Analysis, Code, Diagnostic, Repair};
use crate::definition::{Field, RESERVED_TOOL_NAME, Spanned, Tool};
use crate::syntax::render;
use crate::text::{Map, Set, Span, Text};

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let tools = &analysis.definition.tools;
    for tool in tools {
        name(tool, found);
        produces(tool, found);
    }
    let duplicates = duplicate_definitions(tools, found);
    duplicate_tools(tools, &duplicates, found);
}

fn name(tool: &Tool, found: &mut Vec<Diagnostic>) {
    match &tool.name {
        Field::Missing => found.push(Diagnostic::new(
            Code::InvalidTool,
            tool.span,
            "the tool has no `name`; add one, such as `name = \"find_order\"`",
        )),
        Field::Present(name) if name.value.trim().is_empty() => {
            found.push(Diagnostic::new(
                Code::InvalidTool,
                name.span,
                "the tool's name is blank; give it one",
            ));
        }
        Field::Present(name) if tool.produces.is_missing() => reserved(name, found),
        _ => {}
    }
}

fn reserved(name: &Spanned<Text>, found: &mut Vec<Diagnostic>) {
    if name.value.trim() != RESERVED_TOOL_NAME {
        return;
    }
    let exact = name.value == RESERVED_TOOL_NAME;
    let code = if exact {
        Code::ReservedToolName
    } else {
        Code::InvalidToolInfo
    };
    let message = format!(
        "`{RESERVED_TOOL_NAME}` is the name under which a model gives its structured answer; choose another"
    );
    found.push(Diagnostic::new(code, name.span, message).with_guess(
        "Change to `final_output`",
        Repair::Replace(render::string("final_output")),
    ));
}

fn produces(tool: &Tool, found: &mut Vec<Diagnostic>) {
    let Some(produces) = tool.produces.spanned() else {
        return;
    };
    if produces.value.is_empty() {
        found.push(
            Diagnostic::new(
                Code::InvalidToolInfo,
                produces.span,
                "`produces` is empty, so the entry makes no tool; list names, or remove the key",
            )
            .with_remedy("Remove `produces`", Repair::RemovePair),
        );
    }
    let mut seen: Map<&str, Span> = Map::default();
    for name in tool.produces.items() {
        let trimmed = name.value.trim();
        if trimmed.is_empty() {
            let message = "a produced name is blank; give it one";
            let diagnostic = Diagnostic::new(Code::InvalidToolInfo, name.span, message);
            let mut others = tool.produces.items();
            found.push(match others.any(|other| !other.value.trim().is_empty()) {
                true => diagnostic.with_remedy("Remove the blank name", Repair::RemoveItem),
                // A list without any name is as wrong.
                false => diagnostic.with_guess("Remove `produces`", Repair::RemovePair),
            });
            continue;
        }
        reserved(name, found);
        match seen.get(trimmed) {
            Some(first) => found.push(
                Diagnostic::new(
                    Code::InvalidToolInfo,
                    name.span,
                    format!(
                        "`{}` is produced twice by this entry; remove one",
                        trimmed.escape_debug()
                    ),
                )
                .with_remedy("Remove the second", Repair::RemoveItem)
                .with_related(*first, "the first"),
            ),
            None => {
                seen.insert(trimmed, name.span);
            }
        }
    }
}

/// Reports later entries of one name and returns their indexes: what they produce is not compared further.
fn duplicate_definitions(tools: &[Tool], found: &mut Vec<Diagnostic>) -> Set<usize> {
    let taken: Set<&str> = tools.iter().map(|tool| tool.name.text()).collect();
    let mut first: Map<&str, Span> = Map::default();
    let mut duplicates = Set::default();
    for (index, tool) in tools.iter().enumerate() {
        let Some(name) = tool
            .name
            .spanned()
            .filter(|name| !name.value.trim().is_empty())
        else {
            continue;
        };
        match first.get(name.value.as_str()) {
            Some(earlier) => {
                duplicates.insert(index);
                let free = free_name(&name.value, &taken);
                let message = format!(
                    "there is already a tool `{}`; rename or remove one",
                    name.value.escape_debug()
                );
                found.push(
                    Diagnostic::new(Code::DuplicateDefinitionName, name.span, message)
                        .with_related(*earlier, "the first tool of this name")
                        .with_guess(
                            format!("Rename to `{}`", free.escape_debug()),
                            Repair::Replace(render::string(&free)),
                        ),
                );
            }
            None => {
                first.insert(&name.value, name.span);
            }
        }
    }
    duplicates
}

/// One model-facing name from two entries, even if no mode has both: harness compares over base and all modes.
fn duplicate_tools(tools: &[Tool], duplicates: &Set<usize>, found: &mut Vec<Diagnostic>) {
    let mut first: Map<&str, (usize, Span)> = Map::default();
    for (index, tool) in tools
        .iter()
        .enumerate()
        .filter(|(index, _)| !duplicates.contains(index))
    {
        for name in tool.produced_names().unwrap_or_default() {
            // These are reported already.
            if name.value.is_empty() || name.value == RESERVED_TOOL_NAME {
                continue;
            }
            match first.get(name.value) {
                Some((earlier, span)) if *earlier != index => found.push(
                    Diagnostic::new(
                        Code::DuplicateToolName,
                        name.span,
                        format!(
                            "the model would see two tools named `{}`; rename one",
                            name.value.escape_debug()
                        ),
                    )
                    .with_related(*span, "the first tool that the model sees under this name"),
                ),
                Some(_) => {}
                None => {
                    first.insert(name.value, (index, name.span));
                }
            }
        }
    }
}
