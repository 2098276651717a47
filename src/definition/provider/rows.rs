//! The providers, one row each.

use super::{Address, Fact, First, NameRule, Provider, SchemaRule, StructuredOutput};
use crate::definition::Effort;

/// The providers, in the order of the format.
pub const PROVIDERS: &[Provider] = &[
    SCRIPTED,
    ANTHROPIC,
    OPENAI,
    GEMINI,
    OLLAMA,
    OPENAI_COMPATIBLE,
];

const fn fact<T: Copy>(value: T, source: &'static str) -> Option<Fact<T>> {
    Some(Fact { value, source })
}

const fn rule(value: SchemaRule, source: &'static str) -> Fact<SchemaRule> {
    Fact { value, source }
}

/// Part of this program: it takes what it is given.
const SCRIPTED: Provider = Provider {
    name: "scripted",
    key_variable: None,
    address: Address::Embedded,
    tool_names: None,
    schemas: &[],
    efforts: None,
    demanded_max_tokens: None,
    structured_output: None,
    temperature: None,
    top_p: None,
};

/// The Messages API. The range of `top_p` is not documented.
const ANTHROPIC: Provider = Provider {
    name: "anthropic",
    key_variable: fact(
        "ANTHROPIC_API_KEY",
        "anthropics/anthropic-sdk-python: README.md",
    ),
    address: Address::Own(Fact {
        value: "https://api.anthropic.com",
        source: "anthropics/anthropic-sdk-python: src/anthropic/_client.py",
    }),
    tool_names: fact(
        NameRule {
            punctuation: &['_', '-'],
            first: First::Any,
            longest: 128,
        },
        "platform.claude.com/docs/agents-and-tools/tool-use/define-tools: \"Must match the regex\"",
    ),
    // References are taken; only Managed Agents refuse them.
    schemas: &[
        rule(
            SchemaRule::NotAtTop(&["oneOf", "allOf", "anyOf"]),
            "the server's answer \"does not support oneOf, allOf, or anyOf at the top level\": anthropics/claude-code#5319",
        ),
        rule(
            SchemaRule::ObjectAtTop,
            "anthropics/anthropic-sdk-python: src/anthropic/types/tool_param.py, InputSchemaTyped",
        ),
        rule(
            SchemaRule::PropertyNames(NameRule {
                punctuation: &['_', '.', '-'],
                first: First::Any,
                longest: 64,
            }),
            "the server's answer \"Property keys should match pattern\": beautyfree/appstore-connect-mcp#2; \
             of the top level only: decocms/studio#6874",
        ),
    ],
    efforts: fact(
        &[
            Effort::Low,
            Effort::Medium,
            Effort::High,
            Effort::Xhigh,
            Effort::Max,
        ],
        "platform.claude.com/docs/en/build-with-claude/effort; \
         anthropics/anthropic-sdk-python: src/anthropic/types/output_config_param.py",
    ),
    // That one is demanded is the provider's, how many is the format's.
    demanded_max_tokens: fact(
        16_384,
        "anthropics/anthropic-sdk-python: src/anthropic/types/message_create_params.py, max_tokens",
    ),
    structured_output: fact(
        StructuredOutput::WithTools,
        "platform.claude.com/docs/en/build-with-claude/structured-outputs; \
         anthropics/anthropic-sdk-python: src/anthropic/types/output_config_param.py",
    ),
    temperature: Some(Fact {
        value: 0.0..=1.0,
        source: "anthropics/anthropic-sdk-python: src/anthropic/types/message_create_params.py, temperature",
    }),
    top_p: None,
};

/// The Responses API, with function tools that are not `strict`: that refuses far more schemas. Names are as over chat
/// completions, which a model with stop sequences is spoken to in.
const OPENAI: Provider = Provider {
    name: "openai",
    key_variable: fact("OPENAI_API_KEY", "openai/openai-python: README.md"),
    address: Address::Own(Fact {
        value: "https://api.openai.com/v1",
        source: "openai/openai-openapi: openapi.yaml, servers",
    }),
    tool_names: CHAT_COMPLETIONS_NAMES,
    schemas: &[
        rule(
            SchemaRule::NotAtTop(&["oneOf", "anyOf", "allOf", "enum", "not"]),
            "the server's answer \"schema must have type 'object' and not have …\": langchain-ai/langchainjs#9804",
        ),
        rule(
            SchemaRule::ObjectAtTop,
            "the server's answer \"schema must have type 'object' and not have …\": langchain-ai/langchainjs#9804",
        ),
        rule(
            SchemaRule::Items,
            "the server's answer \"array schema missing items\": sigoden/aichat#1049; \
             for a list of types too: campfirein/byterover-cli#42",
        ),
    ],
    efforts: fact(
        &Effort::ALL,
        "openai/openai-openapi: openapi.yaml, ReasoningEffort",
    ),
    demanded_max_tokens: None,
    structured_output: fact(
        StructuredOutput::WithTools,
        "openai/openai-openapi: openapi.yaml, ResponseFormatJsonSchema",
    ),
    temperature: Some(Fact {
        value: 0.0..=2.0,
        source: "openai/openai-openapi: openapi.yaml, temperature",
    }),
    top_p: Some(Fact {
        value: 0.0..=1.0,
        source: "openai/openai-openapi: openapi.yaml, top_p",
    }),
};

/// The Gemini API. Schemas are those of `parametersJsonSchema`, the field that takes JSON Schema; `parameters` takes a
/// subset of OpenAPI's and refuses any other keyword. What else that field leaves out is documented for answers only
/// (`responseJsonSchema`), and the range of `temperature` is each model's own.
const GEMINI: Provider = Provider {
    name: "gemini",
    key_variable: fact("GEMINI_API_KEY", "googleapis/python-genai: README.md"),
    address: Address::Own(Fact {
        value: "https://generativelanguage.googleapis.com",
        source: "googleapis/python-genai: google/genai/_api_client.py",
    }),
    tool_names: fact(
        NameRule {
            punctuation: &['_', '.', ':', '-'],
            first: First::LetterOrUnderscore,
            longest: 128,
        },
        "googleapis/python-genai: google/genai/types.py, FunctionDeclaration.name",
    ),
    schemas: &[
        rule(
            SchemaRule::ObjectAtTop,
            "googleapis/python-genai: google/genai/types.py, FunctionDeclaration.parameters_json_schema",
        ),
        rule(
            SchemaRule::BesideRef(&["description", "default"]),
            "the server's answer \"only description and default can be set alongside\": anomalyco/opencode#12295",
        ),
    ],
    efforts: fact(
        &[Effort::Minimal, Effort::Low, Effort::Medium, Effort::High],
        "googleapis/python-genai: google/genai/types.py, ThinkingLevel",
    ),
    demanded_max_tokens: None,
    structured_output: fact(
        StructuredOutput::WithoutTools,
        "the server's answer \"Function calling with a response mime type: 'application/json' is unsupported\": \
         googleapis/python-genai#867; newer models take both, and a name does not tell which",
    ),
    temperature: None,
    top_p: None,
};

/// A server on this machine, as a rule. It is not documented which names of tools it takes, nor ranges.
const OLLAMA: Provider = Provider {
    name: "ollama",
    key_variable: None,
    address: Address::Own(Fact {
        value: "http://localhost:11434",
        source: "ollama/ollama: docs/api/introduction.mdx; without a key: docs/api/authentication.mdx",
    }),
    tool_names: None,
    schemas: &[rule(
        SchemaRule::PassedOn {
            top: &["type", "$defs", "items", "required", "properties"],
            property: &[
                "anyOf",
                "type",
                "items",
                "description",
                "enum",
                "properties",
                "required",
            ],
        },
        "ollama/ollama: api/types.go, ToolFunctionParameters and ToolProperty",
    )],
    efforts: fact(
        &[Effort::Low, Effort::Medium, Effort::High, Effort::Max],
        "ollama/ollama: docs/capabilities/thinking.mdx; api/types.go, ThinkValue",
    ),
    demanded_max_tokens: None,
    structured_output: fact(
        StructuredOutput::WithoutTools,
        "ollama/ollama: docs/capabilities/structured-outputs.mdx; the grammar would forbid calls",
    ),
    temperature: None,
    top_p: None,
};

/// Any server that speaks OpenAI chat completions. The wire's own rule for names holds; schemas, efforts and ranges
/// are each server's own.
const OPENAI_COMPATIBLE: Provider = Provider {
    name: "openai-compatible",
    key_variable: None,
    address: Address::Given,
    tool_names: CHAT_COMPLETIONS_NAMES,
    schemas: &[],
    efforts: None,
    demanded_max_tokens: None,
    structured_output: fact(
        StructuredOutput::WithoutTools,
        "openai/openai-openapi: openapi.yaml, ResponseFormatJsonSchema; not every server takes it beside tools",
    ),
    temperature: None,
    top_p: None,
};

const CHAT_COMPLETIONS_NAMES: Option<Fact<NameRule>> = fact(
    NameRule {
        punctuation: &['_', '-'],
        first: First::Any,
        longest: 64,
    },
    "openai/openai-openapi: openapi.yaml, FunctionObject.name",
);
