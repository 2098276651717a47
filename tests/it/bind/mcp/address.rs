//! MCP servers at an address: a small one of our own on this machine.

use super::super::http::Got;
use super::*;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// How a server answers what is posted.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// With one JSON document.
    Json,
    /// With a stream of events, the answer in the middle.
    Events,
    /// As JSON, and it forgets the session when a call comes, once.
    Forgetful,
    /// With this status and body.
    Refusing(&'static str),
}

struct Server {
    port: u16,
    got: mpsc::UnboundedReceiver<Got>,
}

impl Server {
    async fn new(way: Way) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, got) = mpsc::unbounded_channel();
        let sessions = Arc::new(Mutex::new(0));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, way, sessions.clone(), sender.clone()));
            }
        });
        Self { port, got }
    }

    fn tools(&self) -> String {
        format!(
            "[[tools]]\nname = \"s\"\neffect = \"read\"\n\
             mcp = {{ url = \"http://127.0.0.1:{}/mcp?key=in-the-query\", headers = {{ Authorization = \"Bearer ${{THE_KEY}}\" }} }}\n",
            self.port
        )
    }

    /// What was got so far, as `METHOD` or the method of the message, and its session.
    fn taken(&mut self) -> Vec<String> {
        let mut taken = Vec::new();
        while let Ok(got) = self.got.try_recv() {
            let message: Value = serde_json::from_str(&got.body).unwrap_or_default();
            let method = message["method"].as_str();
            let method = method.unwrap_or_else(|| got.line.split(' ').next().unwrap());
            let session = got.header("mcp-session-id").unwrap_or("none");
            taken.push(format!("{method} {session}"));
            assert_eq!(got.header("authorization"), Some("Bearer a-long-secret"));
        }
        taken
    }
}

async fn serve(
    stream: TcpStream,
    way: Way,
    sessions: Arc<Mutex<u32>>,
    sender: mpsc::UnboundedSender<Got>,
) {
    let mut stream = tokio::io::BufReader::new(stream);
    while let Some(got) = Got::read(&mut stream).await {
        let answer = answer(&got, way, &sessions);
        let _ = sender.send(got);
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

fn answer(got: &Got, way: Way, sessions: &Mutex<u32>) -> String {
    let with = |status: &str, headers: &str, body: &str| {
        let length = body.len();
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{headers}\r\n{body}")
    };
    if let Way::Refusing(status) = way {
        return with(
            status,
            "Location: http://127.0.0.1:1/elsewhere\r\n",
            "no, a-long-secret is no key",
        );
    }
    if !got.line.starts_with("POST") {
        // No stream of its own, and a session that is deleted.
        let status = match got.line.starts_with("DELETE") {
            true => "200 OK",
            false => "405 Method Not Allowed",
        };
        return with(status, "", "");
    }
    let message: Value = serde_json::from_str(&got.body).unwrap();
    let mut session = sessions.lock().unwrap();
    let is_hello = message["method"] == "initialize";
    if is_hello {
        *session += 1;
    } else if got.header("mcp-session-id") != Some(&format!("session-{session}")) {
        return with("404 Not Found", "", "");
    }
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "s", "version": "1" },
        }),
        "tools/list" => {
            json!({ "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }] })
        }
        "tools/call" if way == Way::Forgetful && *session == 1 => {
            return with("404 Not Found", "", "");
        }
        "tools/call" => {
            let said = message["params"]["arguments"].to_string();
            json!({ "content": [{ "type": "text", "text": said }] })
        }
        _ => return with("202 Accepted", "", ""),
    };
    let reply = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string();
    let mut headers = match way {
        Way::Events => "Content-Type: text/event-stream\r\n",
        _ => "Content-Type: application/json\r\n",
    }
    .to_owned();
    if is_hello {
        headers.push_str(&format!("Mcp-Session-Id: session-{session}\r\n"));
    }
    let body = match way {
        Way::Events => {
            let log = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": "x" } });
            format!(
                ": a comment\n\nevent: message\ndata: {log}\n\nid: 7\r\ndata: {reply}\r\n\r\ndata:\n\n"
            )
        }
        _ => reply,
    };
    with("200 OK", &headers, &body)
}

#[tokio::test]
async fn a_server_at_an_address_answers_in_one_document_or_in_events() {
    for way in [Way::Json, Way::Events] {
        let mut server = Server::new(way).await;
        let folder = tempfile::tempdir().unwrap();
        let bound = bind_in(&folder, &server.tools()).await.unwrap();
        assert_eq!(names(&bound), ["echo"]);
        let outcome = call(&bound, "echo", json!({ "n": 1 })).await;
        assert_eq!((text(&outcome), outcome.is_error), ("{\"n\":1}", false));
        finished(bound.end()).await;
        let mut taken = server.taken();
        taken.retain(|taken| !taken.starts_with("GET "));
        assert_eq!(
            taken,
            [
                "initialize none",
                "notifications/initialized session-1",
                "tools/list session-1",
                "tools/call session-1",
                "DELETE session-1",
            ]
        );
    }
}

#[tokio::test]
async fn a_session_that_the_server_forgot_is_begun_anew_and_the_call_is_made_once() {
    let mut server = Server::new(Way::Forgetful).await;
    let folder = tempfile::tempdir().unwrap();
    let bound = bind_in(&folder, &server.tools()).await.unwrap();
    let outcome = call(&bound, "echo", json!({ "n": 1 })).await;
    assert_eq!((text(&outcome), outcome.is_error), ("{\"n\":1}", false));
    let taken = server.taken();
    let calls = taken.iter().filter(|taken| taken.starts_with("tools/call"));
    assert_eq!(
        calls.collect::<Vec<_>>(),
        ["tools/call session-1", "tools/call session-2"]
    );
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_told_without_what_is_secret() {
    for (status, expected) in [
        ("500 Internal Server Error", "500"),
        ("401 Unauthorized", "401"),
        (
            "200 OK\r\nContent-Type: text/html",
            "what answers there is no MCP server: it sent text/html",
        ),
        // Nothing follows it: whoever answers there would be told the key.
        ("307 Temporary Redirect", "307"),
    ] {
        let server = Server::new(Way::Refusing(status)).await;
        let folder = tempfile::tempdir().unwrap();
        let error = refused(&folder, &server.tools()).await.to_string();
        let place = format!("POST 127.0.0.1:{}/mcp: ", server.port);
        assert!(
            error.starts_with(&format!("tool `s`: the server cannot be used: {place}")),
            "{error}"
        );
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains("a-long-secret"), "{error}");
        assert!(!error.contains("in-the-query"), "{error}");
    }
    let nobody = Server {
        port: 1,
        got: mpsc::unbounded_channel().1,
    };
    let folder = tempfile::tempdir().unwrap();
    let error = refused(&folder, &nobody.tools()).await.to_string();
    assert_eq!(
        error,
        "tool `s`: the server cannot be used: POST 127.0.0.1:1/mcp: connection refused; is a server running there?"
    );
}
