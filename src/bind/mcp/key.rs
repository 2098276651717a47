//! What a server is started or reached with.

use super::super::environment::environment_of;
use super::super::{Bindings, http};
use crate::definition::{Definition, Mcp, Spanned, Tool};
use crate::host;
use std::path::PathBuf;

/// All that makes one server: equal ones share a connection within a bind.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Key {
    /// A process that speaks on its standard streams.
    Process {
        program: PathBuf,
        arguments: Vec<String>,
        directory: PathBuf,
        environment: Vec<(String, String)>,
        prefix: String,
    },
    /// A server at an address.
    Address {
        url: String,
        headers: http::Headers,
        prefix: String,
    },
}

impl Key {
    /// That of `entry`, whose source is `mcp`.
    ///
    /// # Errors
    ///
    /// The program is not there, a variable is not set, or the address is none.
    pub fn of(
        definition: &Definition,
        entry: &Tool,
        mcp: &Mcp,
        bindings: &Bindings,
    ) -> Result<Self, Spanned<String>> {
        let prefix = mcp.prefix.text().to_owned();
        let mut command = mcp.command.items();
        let Some(program) = command.next() else {
            let (url, headers) = http::fixed_address(&mcp.url, &mcp.headers, bindings)?;
            return Ok(Self::Address {
                url,
                headers,
                prefix,
            });
        };
        let path = host::find_program(
            &program.value,
            &bindings.folder,
            host::search_path(&bindings.environment),
            &bindings.untrusted_folders,
        );
        let directory = entry.cwd.get().or(definition.cwd.get());
        Ok(Self::Process {
            program: path.map_err(|problem| Spanned {
                value: problem.to_string(),
                span: program.span,
            })?,
            arguments: command.map(|argument| argument.value.to_string()).collect(),
            directory: directory.map_or_else(
                || bindings.folder.clone(),
                |directory| bindings.folder.join(directory),
            ),
            environment: environment_of(entry, &bindings.environment)?,
            prefix,
        })
    }
}
