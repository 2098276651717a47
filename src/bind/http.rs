//! Tools that send a request.

mod address;
mod body;
mod connection;

pub(super) use connection::Connection;
pub use connection::{USER_AGENT, cause, place};

use super::input::InputSchema;
use super::output::{CALL_BYTES, Output, failure, success};
use super::shown::command_line;
use super::template::{Part, Template, Values};
use super::{
    BindError, Bindings, CANCELLED, CallContext, InputProblem, Outcome, PreparedCall, Tool,
    ToolInfo, environment,
};
use crate::definition::{Field, Http, Spanned};
use crate::text::{Span, Text};
use address::{Address, Filled};
use body::Body;
use connection::Request;
use futures_util::future::BoxFuture;
use reqwest::Method;
use reqwest::header::{
    AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName,
    HeaderValue, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// Headers that belong to the connection and say where a request ends and to whom it goes.
const OF_THE_CONNECTION: &[HeaderName] = &[
    CONNECTION,
    CONTENT_LENGTH,
    HOST,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// What every call of one definition shares.
struct Shared {
    method: Method,
    address: Address,
    headers: Vec<Header>,
    body: Body,
    schema: Arc<InputSchema>,
    connection: Connection,
}

/// One produced name of a definition with `http`.
struct HttpTool {
    info: ToolInfo,
    shared: Arc<Shared>,
}

/// Makes the tools of the entry called `name`, whose source is `http` at `span`; one for each of `infos`.
///
/// # Errors
///
/// A variable that is not set, an address or a header that is none, or a body that takes no placeholder.
pub(super) fn build(
    name: &str,
    (http, span): (&Http, Span),
    infos: Vec<ToolInfo>,
    schema: Arc<InputSchema>,
    bindings: &Bindings,
    connection: Connection,
) -> Result<Vec<Arc<dyn Tool>>, BindError> {
    let shared = share(http, span, schema, bindings, connection);
    let shared = Arc::new(shared.map_err(|problem| BindError::Factory {
        tool: name.to_owned(),
        problem: problem.value,
        span: problem.span,
    })?);
    let tools = infos.into_iter().map(|info| {
        let shared = shared.clone();
        Arc::new(HttpTool { info, shared }) as Arc<dyn Tool>
    });
    Ok(tools.collect())
}

fn share(
    http: &Http,
    span: Span,
    schema: Arc<InputSchema>,
    bindings: &Bindings,
    connection: Connection,
) -> Result<Shared, Spanned<String>> {
    let problem = |value: String, span: Span| Spanned { value, span };
    let method = match http.method.spanned() {
        None => Method::GET,
        Some(method) => Method::from_bytes(method.value.as_bytes())
            .map_err(|_| problem("`method` is no method".into(), method.span))?,
    };
    let url = http.url.spanned();
    let url = url.ok_or_else(|| problem("`http` has no `url`".into(), span))?;
    let address = Address::new(url, &bindings.environment)?;
    let headers = http
        .headers
        .iter()
        .filter_map(|(name, value)| Some((name, value.spanned()?)))
        .map(|(name, value)| Header::new(name, value, &bindings.environment))
        .collect::<Result<Vec<_>, _>>()?;
    let content_type = headers.iter().find(|header| header.name == CONTENT_TYPE);
    let content_type = content_type.map(Header::literal);
    let body = Body::new(http.body.get(), content_type.as_ref().map(Option::as_deref));
    let body_span = http.body.span().unwrap_or(span);
    Ok(Shared {
        method,
        address,
        headers,
        body: body.map_err(|value| problem(value, body_span))?,
        schema,
        connection,
    })
}

/// A header as the definition has it.
struct Header {
    name: HeaderName,
    /// What its value is made of; variables are in it.
    value: Template,
    /// Whether the model has a part in it.
    is_filled: bool,
}

impl Header {
    fn new(
        name: &Spanned<Text>,
        value: &Spanned<Text>,
        environment: &[(String, String)],
    ) -> Result<Self, Spanned<String>> {
        let problem = |problem: String, span: Span| Spanned {
            value: problem,
            span,
        };
        let header = HeaderName::from_bytes(name.value.as_bytes()).map_err(|_| {
            let shown = name.value.escape_debug();
            problem(
                format!("`{shown}` cannot be the name of a header"),
                name.span,
            )
        })?;
        if OF_THE_CONNECTION.contains(&header) {
            let message = format!("`{header}` belongs to the connection and cannot be set");
            return Err(problem(message, name.span));
        }
        let mut template = Template::new(&value.value);
        for part in &mut template.parts {
            if let Part::Literal(text) = part {
                *text = environment::expand(text, value.span, environment)?;
                if !is_visible(text) {
                    let message = format!(
                        "the header `{header}` would hold something that is no visible ASCII"
                    );
                    return Err(problem(message, value.span));
                }
            }
        }
        let is_filled = template.properties().next().is_some();
        if is_filled && header == AUTHORIZATION {
            let message = "the model would choose who it is; no placeholder can stand here";
            return Err(problem(message.into(), value.span));
        }
        Ok(Self {
            name: header,
            value: template,
            is_filled,
        })
    }

    /// Its value if the model has no part in it.
    fn literal(&self) -> Option<String> {
        self.value.literal().map(str::to_owned)
    }

    fn fill(&self, values: &Values<'_>) -> Result<HeaderValue, InputProblem> {
        for name in self.value.properties() {
            if !is_visible(&values.text(name)?) {
                return Err(InputProblem(format!(
                    "input.{name} must be visible ASCII: it is part of the header `{}`",
                    self.name
                )));
            }
        }
        let text = self.value.fill(values)?;
        let value = HeaderValue::from_str(&text);
        let mut value = value.map_err(|_| {
            InputProblem(format!("the header `{}` cannot hold its value", self.name))
        })?;
        // What the definition alone makes may hold a key.
        value.set_sensitive(!self.is_filled);
        Ok(value)
    }
}

/// Whether `text` is visible ASCII and spaces.
fn is_visible(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Names and values of headers.
pub(super) type Headers = Vec<(String, String)>;

/// An address and headers in which nothing is put in.
///
/// # Errors
///
/// A variable that is not set, or an address or a header that is none.
pub(super) fn fixed_address(
    url: &Field<Text>,
    headers: &[(Spanned<Text>, Field<Text>)],
    bindings: &Bindings,
) -> Result<(String, Headers), Spanned<String>> {
    let no_url = || Spanned {
        value: "it has neither `command` nor `url`".to_owned(),
        span: url.span().unwrap_or_default(),
    };
    let url = url.spanned().ok_or_else(no_url)?;
    let problem = |problem: InputProblem| Spanned {
        value: problem.0,
        span: url.span,
    };
    let (input, schema) = (Value::Null, Value::Null);
    let values = Values::new(&input, &schema);
    let address = Address::new(url, &bindings.environment)?;
    let filled = address.fill(&values).map_err(problem)?;
    let filled = filled.url(&address).map_err(problem)?;
    let headers = headers
        .iter()
        .filter_map(|(name, value)| Some((name, value.spanned()?)))
        .map(|(name, value)| {
            let header = Header::new(name, value, &bindings.environment)?;
            let text = header.value.fill(&values).map_err(problem)?;
            Ok((header.name.to_string(), text))
        })
        .collect::<Result<_, _>>()?;
    Ok((filled.to_string(), headers))
}

/// `headers` as they are sent.
///
/// # Errors
///
/// One of them is none.
pub(super) fn header_map(headers: &Headers) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let header = |(name, value): &(String, String)| {
        let header = HeaderName::from_bytes(name.as_bytes()).ok();
        let mut value = HeaderValue::from_str(value).ok()?;
        value.set_sensitive(true);
        header.zip(Some(value))
    };
    let headers: Option<HashMap<_, _>> = headers.iter().map(header).collect();
    headers.ok_or_else(|| "a header cannot hold its value".to_owned())
}

impl Tool for HttpTool {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn is_slow_to_prepare(&self, bytes: usize) -> bool {
        self.shared.schema.is_slow(bytes)
    }

    fn prepare(&self, input: &Value) -> Result<Box<dyn PreparedCall>, InputProblem> {
        let shared = &self.shared;
        shared.schema.check(input)?;
        let values = Values::new(input, shared.schema.schema());
        let mut filled = shared.address.fill(&values)?;
        let mut headers = HeaderMap::new();
        for header in &shared.headers {
            headers.insert(header.name.clone(), header.fill(&values)?);
        }
        let in_query = matches!(shared.method, Method::GET | Method::HEAD | Method::DELETE);
        let body = match &shared.body {
            Body::Unused if in_query => {
                for (name, value) in self.unused(&values) {
                    filled.add_query(name, value)?;
                }
                None
            }
            Body::Unused => {
                let unused = self.unused(&values);
                let object: serde_json::Map<_, _> = unused
                    .map(|(name, value)| (name.to_owned(), value.clone()))
                    .collect();
                // A tool whose whole input is in its address sends no body.
                let sends = self.has_unused(&values);
                sends.then(|| (Value::from(object).to_string(), body::JSON))
            }
            body => body.fill(&values)?,
        };
        if let Some((_, content_type)) = &body {
            let content_type = HeaderValue::from_static(content_type);
            headers.entry(CONTENT_TYPE).or_insert(content_type);
        }
        let shown = self.shown(
            &filled,
            &headers,
            body.as_ref().map(|(text, _)| text.as_str()),
        );
        Ok(Box::new(PreparedRequest {
            shown,
            connection: shared.connection.clone(),
            request: Request {
                method: shared.method.clone(),
                url: filled.url(&shared.address)?,
                headers,
                body: body.map(|(text, _)| text),
            },
        }))
    }
}

impl HttpTool {
    /// The declared properties of the input that are put in nowhere.
    fn unused<'a>(&'a self, values: &Values<'a>) -> impl Iterator<Item = (&'a str, &'a Value)> {
        values.declared_input().filter(|(name, _)| !self.uses(name))
    }

    /// Whether some declared property is put in nowhere, given or not.
    fn has_unused(&self, values: &Values<'_>) -> bool {
        values.declared_names().any(|name| !self.uses(name))
    }

    fn uses(&self, name: &str) -> bool {
        let headers = self.shared.headers.iter();
        let mut in_headers = headers.flat_map(|header| header.value.properties());
        self.shared.address.uses(name) || in_headers.any(|used| used == name)
    }

    /// Method and address, the headers in which the model has a part, and the body.
    fn shown(&self, filled: &Filled, headers: &HeaderMap, body: Option<&str>) -> String {
        let of_the_model = self.shared.headers.iter().filter(|header| header.is_filled);
        let of_the_model = of_the_model.filter_map(|header| {
            let value = headers.get(&header.name)?.to_str().ok()?;
            Some(format!("{}: {value}", header.name))
        });
        let words: Vec<String> = [self.shared.method.to_string(), filled.shown.clone()]
            .into_iter()
            .chain(of_the_model)
            .collect();
        command_line(words.iter().map(String::as_str), body)
    }
}

struct PreparedRequest {
    shown: String,
    connection: Connection,
    request: Request,
}

impl PreparedCall for PreparedRequest {
    fn shown(&self) -> String {
        self.shown.clone()
    }

    fn run(self: Box<Self>, context: CallContext) -> BoxFuture<'static, Outcome> {
        Box::pin(async move {
            let mut body = Output::new(CALL_BYTES);
            let exchange = self
                .connection
                .exchange(self.request, &mut body, &context.output);
            let ended = tokio::select! {
                biased;
                () = context.cancel.cancelled() => Err(CANCELLED.to_owned()),
                ended = exchange => ended,
            };
            match ended {
                Ok(status) if status.is_success() => success(body),
                Ok(status) => failure([body], &format!("[status {status}]")),
                Err(problem) => failure([body], &problem),
            }
        })
    }
}
