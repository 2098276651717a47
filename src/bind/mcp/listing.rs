//! What a server offers, within bounds (`docs/security.md`, 13), each tool looked at by itself: one that is odd is left out
//! by name, and the others work.

use rmcp::model::{
    ClientRequest, CustomResult, ListToolsRequest, PaginatedRequestParams, ServerResult,
};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde_json::Value;
use std::collections::HashSet;

const MOST_PAGES: usize = 16;
const MOST_TOOLS: usize = 256;
const DESCRIPTION_BYTES: usize = 4 * 1024;
const SCHEMA_BYTES: usize = 64 * 1024;

/// The most that is told one by one of what was left out.
const MOST_LEFT_OUT: usize = 256;

/// The most characters of a name that is told.
const NAME_LENGTH: usize = 200;

/// The tools of a server, and what was left out of them.
#[derive(Debug, Default)]
pub struct Listing {
    pub tools: Vec<Listed>,
    /// A sentence each.
    left_out: Vec<String>,
    /// How many more were left out.
    more_left_out: usize,
    names: HashSet<String>,
}

/// One tool as its server has it.
#[derive(Debug, PartialEq)]
pub struct Listed {
    pub name: String,
    pub description: String,
    pub schema: Value,
}

impl Listing {
    /// Asks the server behind `peer`, page by page: a library's own loop would follow a cursor for ever.
    ///
    /// # Errors
    ///
    /// It does not answer what was asked.
    pub async fn ask(peer: &Peer<RoleClient>) -> Result<Self, ServiceError> {
        let mut listing = Self::default();
        let mut cursors: Vec<String> = Vec::new();
        for _ in 0..MOST_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursors.last().cloned());
            let request = ListToolsRequest {
                params: Some(params),
                ..ListToolsRequest::default()
            };
            let page = peer
                .send_request(ClientRequest::ListToolsRequest(request))
                .await?;
            // A page with a tool that is none does not count as a list.
            let page = match page {
                ServerResult::ListToolsResult(page) => serde_json::to_value(page),
                ServerResult::CustomResult(CustomResult(page)) => Ok(page),
                _ => return Err(ServiceError::UnexpectedResponse),
            };
            let page = page.map_err(|_| ServiceError::UnexpectedResponse)?;
            if !listing.add(&page, &mut cursors) {
                return Ok(listing);
            }
        }
        listing.leave_out(format!(
            "the server lists more than {MOST_PAGES} pages of tools, and those behind are left out"
        ));
        Ok(listing)
    }

    /// Adds a page, which the last of `cursors` led to, and where the next one begins; returns whether there is one.
    fn add(&mut self, page: &Value, cursors: &mut Vec<String>) -> bool {
        let next = page["nextCursor"].as_str();
        let leads_back = next.is_some_and(|next| cursors.iter().any(|cursor| cursor == next));
        for tool in page["tools"].as_array().into_iter().flatten() {
            // The same page again says nothing new.
            if leads_back
                && self
                    .names
                    .contains(tool["name"].as_str().unwrap_or_default())
            {
                continue;
            }
            if let Err(why) = self.add_tool(tool) {
                let name = tool["name"].as_str().unwrap_or("a tool without a name");
                let name: String = name.chars().take(NAME_LENGTH).collect();
                self.leave_out(format!("`{}` is left out: {why}", name.escape_debug()));
            }
        }
        if leads_back {
            let why = "the server's list of tools leads back to a page before, and ends here";
            self.leave_out(why.to_owned());
        }
        let next = next.filter(|_| !leads_back);
        cursors.extend(next.map(str::to_owned));
        next.is_some()
    }

    /// What was left out, a sentence each.
    pub fn left_out(&self) -> impl Iterator<Item = String> + '_ {
        let more = (self.more_left_out > 0).then(|| format!("and {} more", self.more_left_out));
        self.left_out.iter().cloned().chain(more)
    }

    fn leave_out(&mut self, why: String) {
        if self.left_out.len() < MOST_LEFT_OUT {
            self.left_out.push(why);
        } else {
            self.more_left_out += 1;
        }
    }

    fn add_tool(&mut self, tool: &Value) -> Result<(), String> {
        let name = tool["name"].as_str().unwrap_or_default();
        let description = match &tool["description"] {
            Value::Null => "",
            Value::String(description) => description,
            _ => return Err("its description is no text".into()),
        };
        let schema = &tool["inputSchema"];
        if name.trim().is_empty() {
            return Err("its name is blank".into());
        }
        if description.len() > DESCRIPTION_BYTES {
            return Err("its description is longer than 4 KiB".into());
        }
        if !schema.is_object() {
            return Err("it has no input schema".into());
        }
        if schema.to_string().len() > SCHEMA_BYTES {
            return Err("its input schema is larger than 64 KiB".into());
        }
        if self.tools.len() == MOST_TOOLS {
            return Err(format!("the server offers more than {MOST_TOOLS} tools"));
        }
        if !self.names.insert(name.to_owned()) {
            return Err("another tool of the server has this name".into());
        }
        self.tools.push(Listed {
            name: name.to_owned(),
            description: description.to_owned(),
            schema: schema.clone(),
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(listing: &Listing) -> Vec<&str> {
        listing.tools.iter().map(|tool| &*tool.name).collect()
    }

    fn left_out(listing: &Listing) -> Vec<String> {
        listing.left_out().collect()
    }

    /// A page with the tools `names`.
    fn page(names: &[&str], next: Option<&str>) -> Value {
        let tools = names
            .iter()
            .map(|name| json!({ "name": name, "inputSchema": {} }));
        json!({ "tools": tools.collect::<Vec<_>>(), "nextCursor": next })
    }

    #[test]
    fn odd_tools_are_left_out_by_name_and_the_others_work() {
        let mut listing = Listing::default();
        let schema = json!({ "type": "object" });
        let tools = json!([
            { "name": "good", "description": "Works.", "inputSchema": schema, "more": 1 },
            { "name": "bare", "inputSchema": schema },
            { "name": "good", "inputSchema": schema },
            { "name": " ", "inputSchema": schema },
            { "inputSchema": schema },
            { "name": "none" },
            { "name": "odd", "inputSchema": [] },
            { "name": "long", "description": "x".repeat(4_097), "inputSchema": schema },
            { "name": "large", "inputSchema": { "description": "x".repeat(70_000) } },
            { "name": "last", "description": 7, "inputSchema": schema },
        ]);
        assert!(!listing.add(&json!({ "tools": tools }), &mut Vec::new()));
        assert_eq!(names(&listing), ["good", "bare"]);
        assert_eq!(
            left_out(&listing),
            [
                "`good` is left out: another tool of the server has this name",
                "` ` is left out: its name is blank",
                "`a tool without a name` is left out: its name is blank",
                "`none` is left out: it has no input schema",
                "`odd` is left out: it has no input schema",
                "`long` is left out: its description is longer than 4 KiB",
                "`large` is left out: its input schema is larger than 64 KiB",
                "`last` is left out: its description is no text",
            ]
        );
    }

    #[test]
    fn a_server_has_at_most_256_tools() {
        let mut listing = Listing::default();
        let all: Vec<String> = (0..600).map(|n| format!("t{n}")).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        assert!(!listing.add(&page(&all, None), &mut Vec::new()));
        assert_eq!(listing.tools.len(), 256);
        let left_out = left_out(&listing);
        assert_eq!(left_out.len(), 257);
        assert_eq!(
            left_out[0],
            "`t256` is left out: the server offers more than 256 tools"
        );
        assert_eq!(left_out[256], "and 88 more");
    }

    #[test]
    fn a_cursor_that_does_not_advance_ends_the_list() {
        for (pages, tools) in [
            // Whoever does not know of cursors gives the first page again.
            (vec![(&["a"][..], "1"), (&["a"], "1")], vec!["a"]),
            (
                vec![(&["a"], "1"), (&["b"], "2"), (&["c"], "1")],
                vec!["a", "b", "c"],
            ),
        ] {
            let (mut listing, mut cursors) = (Listing::default(), Vec::new());
            let more = pages
                .iter()
                .map(|(names, next)| listing.add(&page(names, Some(next)), &mut cursors));
            let more: Vec<bool> = more.collect();
            let (last, others) = more.split_last().unwrap();
            assert!(!last && others.iter().all(|more| *more), "{more:?}");
            assert_eq!(names(&listing), tools);
            assert_eq!(
                left_out(&listing),
                ["the server's list of tools leads back to a page before, and ends here"]
            );
        }
    }
}
