//! Sending requests: to where the file says and nowhere else, and no more is held of an answer than is wanted.

use super::super::output::Output;
use super::super::{OutputSink, Stream};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Client, Method, Response, StatusCode, Url, redirect};
use std::error::Error;
use std::io;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use url::Host;

/// How many redirects are followed (`docs/security.md`, 6).
const MOST_REDIRECTS: usize = 5;

/// What a server is told of who asks.
pub const USER_AGENT: &str = concat!("loopls/", env!("CARGO_PKG_VERSION"));

/// What the requests of one bind are sent with.
#[derive(Clone)]
pub struct Connection(Client);

/// A request that is ready.
pub struct Request {
    pub method: Method,
    pub url: Url,
    pub headers: HeaderMap,
    pub body: Option<String>,
}

impl Connection {
    /// Makes one; it connects to nothing yet.
    ///
    /// # Errors
    ///
    /// The connection's security cannot be set up on this machine.
    pub fn new() -> Result<Self, String> {
        // The first to set it up wins; there is but one kind of it here.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .redirect(redirect::Policy::none())
            // A proxy would look names up where nobody sees what they lead to.
            .no_proxy()
            .dns_resolver(Arc::new(Resolver))
            .user_agent(USER_AGENT)
            .build();
        client
            .map(Self)
            .map_err(|error| format!("no secure connection can be set up here: {}", cause(&error)))
    }

    /// The client itself, for who speaks a protocol over it.
    pub fn client(&self) -> Client {
        self.0.clone()
    }

    /// Sends `request`, follows redirects within its origin, and reads what comes into `body` and `output`. Dropping
    /// it ends the request.
    ///
    /// # Errors
    ///
    /// What went wrong, with method, host and path.
    pub async fn exchange(
        &self,
        request: Request,
        body: &mut Output,
        output: &OutputSink,
    ) -> Result<StatusCode, String> {
        let mut url = request.url.clone();
        let mut redirects = 0;
        loop {
            let place = place(&request.method, &url);
            let sent = self.send(&request, url.clone()).await;
            let mut response = sent.map_err(|error| format!("{place}: {}", cause(&error)))?;
            if let Some(next) = redirect(&response, &url) {
                url = next
                    .and_then(|next| allowed(&request.method, &url, next))
                    .map_err(|problem| format!("{place}: {problem}"))?;
                redirects += 1;
                if redirects > MOST_REDIRECTS {
                    return Err(format!("{place}: more than {MOST_REDIRECTS} redirects"));
                }
                continue;
            }
            loop {
                let chunk = response.chunk().await;
                let chunk = chunk.map_err(|error| format!("{place}: {}", cause(&error)))?;
                let Some(chunk) = chunk else {
                    return Ok(response.status());
                };
                body.push(&chunk);
                output(Stream::Stdout, &chunk);
            }
        }
    }

    async fn send(&self, request: &Request, url: Url) -> reqwest::Result<Response> {
        let mut builder = self
            .0
            .request(request.method.clone(), url)
            .headers(request.headers.clone());
        if let Some(body) = &request.body {
            builder = builder.body(body.clone());
        }
        builder.send().await
    }
}

/// Where `response` redirects to, if it does.
fn redirect(response: &Response, from: &Url) -> Option<Result<Url, String>> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = response.headers().get(LOCATION)?;
    let next = location.to_str().ok().and_then(|text| from.join(text).ok());
    Some(next.ok_or_else(|| "it redirects to what is no address".to_owned()))
}

/// `next`, if a request may be redirected there.
fn allowed(method: &Method, from: &Url, next: Url) -> Result<Url, String> {
    if *method != Method::GET {
        return Err(format!(
            "it redirects to {}, and only a GET is redirected",
            host_and_path(&next)
        ));
    }
    if next.origin() != from.origin() || !next.username().is_empty() || next.password().is_some() {
        return Err(format!(
            "it redirects to {}, which is another origin",
            host_and_path(&next)
        ));
    }
    Ok(next)
}

/// What errors name: method, host and path. A query may hold what is secret.
pub fn place(method: &Method, url: &Url) -> String {
    format!("{method} {}", host_and_path(url))
}

fn host_and_path(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}"));
    format!(
        "{}{}{}",
        url.host_str().unwrap_or_default(),
        port.unwrap_or_default(),
        url.path()
    )
}

/// The innermost cause, which says what happened; the outer ones repeat the address.
pub fn cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
    match kind {
        Some(io::ErrorKind::ConnectionRefused) => {
            "connection refused; is a server running there?".to_owned()
        }
        _ => cause.to_string(),
    }
}

/// Looks names up and refuses what no request may go to.
struct Resolver;

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let name = name.as_str();
            let found: Vec<_> = tokio::net::lookup_host((name, 0)).await?.collect();
            let is_local = name.eq_ignore_ascii_case("localhost");
            for address in &found {
                let address = address.ip();
                if is_link_local(address) {
                    return Err(format!("`{name}` is at {address}, a link-local address").into());
                }
                // A request without encryption may go there.
                if is_local && !address.to_canonical().is_loopback() {
                    return Err(
                        format!("`{name}` is at {address}, which is not this machine").into(),
                    );
                }
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Why no request may go to `host`, if it is an address.
pub fn refused_host(host: &Host<&str>) -> Option<String> {
    let address = match host {
        Host::Domain(_) => return None,
        Host::Ipv4(address) => IpAddr::V4(*address),
        Host::Ipv6(address) => IpAddr::V6(*address),
    };
    is_link_local(address)
        .then(|| format!("`{host}` is a link-local address; no request goes there"))
}

/// Whether `address` is on the link itself, where machines keep what is theirs alone; also in the forms in which an
/// IPv6 address holds one of IPv4.
fn is_link_local(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local() || translated(address),
    }
}

/// Whether `address` is the translation of a link-local address of IPv4 (RFC 6052, and its local prefix of RFC 8215).
fn translated(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let is_translation = segments[..2] == [0x64, 0xff9b];
    is_translation && segments[6] == 0xa9fe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_local_addresses_are_known_in_every_form() {
        for (address, expected) in [
            ("169.254.169.254", true),
            ("169.253.0.1", false),
            ("10.0.0.1", false),
            ("127.0.0.1", false),
            ("fe80::1", true),
            ("febf::1", true),
            ("fec0::1", false),
            ("::1", false),
            ("::ffff:169.254.0.1", true),
            ("64:ff9b::a9fe:1", true),
            ("64:ff9b:1::a9fe:a9fe", true),
            ("64:ff9b::8.8.8.8", false),
        ] {
            assert_eq!(
                is_link_local(address.parse().unwrap()),
                expected,
                "{address}"
            );
        }
    }

    #[tokio::test]
    async fn a_name_of_this_machine_leads_to_this_machine() {
        let resolve = |name: &str| Resolver.resolve(name.parse().unwrap());
        let found = resolve("localhost").await.unwrap();
        assert!(found.into_iter().all(|address| address.ip().is_loopback()));
    }

    /// What a name comes to counts, not how it is written.
    #[tokio::test]
    async fn a_name_that_leads_to_the_link_leads_nowhere() {
        for address in ["169.254.169.254", "fe80::1"] {
            let found = Resolver.resolve(address.parse().unwrap()).await;
            let error = found.err().unwrap().to_string();
            let expected = format!("`{address}` is at {address}, a link-local address");
            assert_eq!(error, expected);
        }
    }

    #[test]
    fn errors_name_no_query() {
        let url = Url::parse("https://shop.example:8443/orders/7?key=secret#x").unwrap();
        assert_eq!(place(&Method::GET, &url), "GET shop.example:8443/orders/7");
    }
}
