//! Where placeholders and variables within strings mean something.

/// Whether `{{key}}` is replaced in the string to which `path` leads, indexes left out.
pub fn takes_placeholders(path: &[&str]) -> bool {
    matches!(
        path,
        ["tools", "command" | "stdin"]
            | ["tools", "http", "url"]
            | ["tools", "http", "headers", _]
            | ["tools", "http", "body", ..]
    )
}

/// Whether `${NAME}` is replaced in the string to which `path` leads.
pub fn takes_variables(path: &[&str]) -> bool {
    matches!(
        path,
        ["tools", "env", _]
            | ["tools", "http" | "mcp", "url"]
            | ["tools", "http" | "mcp", "headers", _]
    )
}

/// Whether the string to which `path` leads is the name of an environment variable.
pub fn is_variable(path: &[&str]) -> bool {
    matches!(
        path,
        ["secrets"] | ["model", "api_key_env"] | ["modes", "model", "api_key_env"]
    )
}
