//! The format of loop definition files: every key, once.
//!
//! What lists keys reads it from here: the checks of unknown keys and wrong types, hovers, completion, the JSON Schema.

pub mod json_schema;
mod keys;
pub mod reference;
pub mod schema;

pub use keys::{DEFINITION, MODEL, NOT_IN_FORMAT, TOOL};

/// Keys whose empty string means that they are absent, as in harness.
const BLANK_IS_ABSENT: [&str; 3] = ["initial_mode", "base_url", "effort"];

/// A table of the format.
#[derive(Debug)]
pub struct TableSpec {
    /// How messages name it: `[model]`, `[[tools]]`.
    pub title: &'static str,
    /// Its keys, in the order in which people write them.
    pub keys: &'static [KeySpec],
}

/// A key of a table.
#[derive(Debug)]
pub struct KeySpec {
    /// The key.
    pub name: &'static str,
    /// What its value is.
    pub kind: Type,
    /// Whether it must be there.
    pub required: bool,
    /// What holds where it is absent, in words; empty where nothing does.
    pub default: &'static str,
    /// What it means, in one to three sentences of Markdown.
    pub meaning: &'static str,
    /// A value as TOML; for tables, the lines within.
    pub example: &'static str,
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub enum Type {
    /// A string.
    String,
    /// A string that is a path relative to the file.
    Path,
    /// A string that names one of these words.
    Word(&'static [Word]),
    /// A string that is a duration.
    Duration,
    /// An integer.
    Integer,
    /// An integer or a float.
    Number,
    /// A boolean.
    Boolean,
    /// Anything.
    Any,
    /// A string, or an array of strings: one item of a `command`.
    Argument,
    /// A string or a table with any keys.
    StringOrTable,
    /// A table with any keys.
    FreeTable,
    /// A table that is a JSON Schema.
    JsonSchema,
    /// An array of values of one type.
    Array(&'static Type),
    /// A table with any keys and values of one type.
    Map(&'static Type),
    /// A table.
    Table(&'static TableSpec),
    /// An array of tables.
    Tables(&'static TableSpec),
}

/// One of the words that a string may be.
#[derive(Debug)]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

impl Type {
    /// What the value is, for a person: "a string", "an array of strings".
    pub fn describe(&self) -> String {
        match self {
            Type::String => "a string".into(),
            Type::Path => "a string with a path".into(),
            Type::Word(_) => "a string".into(),
            Type::Duration => "a string with a duration, such as \"1m30s\"".into(),
            Type::Integer => "an integer".into(),
            Type::Number => "a number".into(),
            Type::Boolean => "`true` or `false`".into(),
            Type::Any => "any value".into(),
            Type::Argument => "a string, or an array of strings".into(),
            Type::StringOrTable => "a string or a table".into(),
            Type::FreeTable | Type::Table(_) => "a table".into(),
            Type::JsonSchema => "a table that is a JSON Schema".into(),
            Type::Array(item) => format!("an array of {}", item.plural()),
            Type::Map(item) => format!("a table of {}", item.plural()),
            Type::Tables(_) => "an array of tables".into(),
        }
    }

    fn plural(&self) -> &'static str {
        match self {
            Type::String | Type::Path | Type::Word(_) | Type::Duration => "strings",
            Type::Integer => "integers",
            Type::Argument => "strings (or arrays of strings)",
            _ => "values",
        }
    }
}

/// A regular expression that every duration fits, and nothing else: whole numbers with units, the largest unit first.
pub const DURATION_PATTERN: &str = concat!(
    "^-?([0-9]+h([0-9]+m)?([0-9]+s)?([0-9]+ms)?|[0-9]+m([0-9]+s)?([0-9]+ms)?",
    "|[0-9]+s([0-9]+ms)?|[0-9]+ms)$"
);

impl KeySpec {
    /// The key with its example, on one line: `limits = { iterations = 8 }`.
    pub fn assignment(&self) -> String {
        let lines = self.example.replace('\n', ", ");
        match self.kind {
            Type::Table(_) => format!("{} = {{ {lines} }}", self.name),
            Type::Tables(_) => format!("{} = [{{ {lines} }}]", self.name),
            _ => format!("{} = {}", self.name, self.example),
        }
    }

    /// Whether the empty string says the same as leaving the key out.
    pub fn blank_is_absent(&self) -> bool {
        BLANK_IS_ABSENT.contains(&self.name)
    }
}

impl TableSpec {
    /// The key called `name`.
    pub fn key(&self, name: &str) -> Option<&'static KeySpec> {
        self.keys.iter().find(|key| key.name == name)
    }
}

/// The key that `path` leads to from the top of a definition, indexes of arrays left out: `["tools", "name"]`.
pub fn key_at<'a>(path: impl IntoIterator<Item = &'a str>) -> Option<&'static KeySpec> {
    let mut table = &DEFINITION;
    let mut path = path.into_iter().peekable();
    loop {
        let key = table.key(path.next()?)?;
        if path.peek().is_none() {
            return Some(key);
        }
        match key.kind {
            Type::Table(inner) | Type::Tables(inner) => table = inner,
            _ => return None,
        }
    }
}

/// Every table of the format, each once, the top level first and each before those below it.
pub fn tables() -> Vec<&'static TableSpec> {
    fn visit(table: &'static TableSpec, found: &mut Vec<&'static TableSpec>) {
        if found.iter().any(|known| std::ptr::eq(*known, table)) {
            return;
        }
        found.push(table);
        for key in table.keys {
            if let Type::Table(inner) | Type::Tables(inner) = key.kind {
                visit(inner, found);
            }
        }
    }
    let mut found = Vec::new();
    visit(&DEFINITION, &mut found);
    found
}

/// Every table whose keys include `name`, with its title: where a key in the wrong place may belong.
pub fn tables_with_key(name: &str) -> Vec<&'static TableSpec> {
    let mut tables = tables();
    tables.retain(|table| table.key(name).is_some());
    tables
}
