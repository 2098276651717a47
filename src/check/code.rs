//! The codes of diagnostics. A code that harness has as the kind of an error has harness's name.

use super::rules::did_you_mean;

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The definition cannot be bound or run.
    Error,
    /// It can, and will hardly do what was meant.
    Warning,
    /// Worth knowing.
    Information,
    /// Worth a thought.
    Hint,
}

impl Severity {
    /// The word in output and settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information => "information",
            Severity::Hint => "hint",
        }
    }
}

macro_rules! codes {
    ($($severity:ident { $($variant:ident = $name:literal,)* })*) => {
        /// The kind of a diagnostic.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        pub enum Code { $($($variant,)*)* }

        impl Code {
            /// All codes, errors first.
            pub const ALL: &[Code] = &[$($(Code::$variant,)*)*];

            /// The name, as written in output and settings.
            pub fn as_str(self) -> &'static str {
                match self { $($(Code::$variant => $name,)*)* }
            }

            /// How bad it is unless a level says otherwise.
            pub fn severity(self) -> Severity {
                match self { $($(Code::$variant)|* => Severity::$severity,)* }
            }

            /// The text of `docs/codes/NAME.md`, so that a code without a page does not compile.
            pub(super) fn page(self) -> &'static str {
                match self { $($(
                    Code::$variant => include_str!(concat!("../../docs/codes/", $name, ".md")),
                )*)* }
            }
        }
    };
}

codes! {
    Error {
        // Define, in harness's order.
        MissingName = "missing_name",
        InvalidModel = "invalid_model",
        InvalidToolLimits = "invalid_tool_limits",
        InvalidDrainTimeout = "invalid_drain_timeout",
        InvalidDelegate = "invalid_delegate",
        InvalidTool = "invalid_tool",
        ReservedToolName = "reserved_tool_name",
        InvalidMode = "invalid_mode",
        DuplicateMode = "duplicate_mode",
        MissingInitialMode = "missing_initial_mode",
        InvalidInitialMode = "invalid_initial_mode",
        InvalidOutputSchema = "invalid_output_schema",
        // What the text decides of Bind.
        DuplicateDefinitionName = "duplicate_definition_name",
        InvalidToolInfo = "invalid_tool_info",
        DuplicateToolName = "duplicate_tool_name",
        // What only a file can get wrong.
        Syntax = "syntax",
        UnknownKey = "unknown_key",
        WrongType = "wrong_type",
        MissingKey = "missing_key",
        InvalidValue = "invalid_value",
        UnknownTool = "unknown_tool",
        MissingSource = "missing_source",
        ConflictingSources = "conflicting_sources",
        InvalidInputSchema = "invalid_input_schema",
        UnknownPlaceholder = "unknown_placeholder",
        MisplacedPlaceholder = "misplaced_placeholder",
        PlaceholderInCode = "placeholder_in_code",
        MissingFile = "missing_file",
        PathOutside = "path_outside",
        LoopCycle = "loop_cycle",
        AmbiguousDelegate = "ambiguous_delegate",
    }
    Warning {
        MissingDescription = "missing_description",
        ToolNameForProvider = "tool_name_for_provider",
        SchemaForProvider = "schema_for_provider",
        UndeclaredProperty = "undeclared_property",
        IrreversibleAllowed = "irreversible_allowed",
        UnmatchedPattern = "unmatched_pattern",
        UnknownDelegate = "unknown_delegate",
        SecretInFile = "secret_in_file",
        PlaceholderAsOption = "placeholder_as_option",
        OptionalPlaceholder = "optional_placeholder",
        EmptyModeTools = "empty_mode_tools",
        ZeroInMode = "zero_in_mode",
        ZeroLimit = "zero_limit",
        IgnoredEffort = "ignored_effort",
        EffortForProvider = "effort_for_provider",
        KeyForBaseUrl = "key_for_base_url",
    }
    Information {
        UnusedTool = "unused_tool",
        LimitWithoutEffect = "limit_without_effect",
        RepeatedTool = "repeated_tool",
        CommandNotFound = "command_not_found",
        EnvironmentNotSet = "environment_not_set",
        PlaceholderAsPath = "placeholder_as_path",
        UnusedAllow = "unused_allow",
    }
    Hint {
        ManyTools = "many_tools",
        SimilarTools = "similar_tools",
    }
}

impl Code {
    /// The code called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Code::ALL.iter().copied().find(|code| code.as_str() == name)
    }

    /// The code that was probably meant by `name`.
    pub fn meant_by(name: &str) -> Option<Self> {
        let known = Code::ALL.iter().map(|code| code.as_str());
        did_you_mean(name, known).and_then(Code::from_name)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.as_str())
    }
}
