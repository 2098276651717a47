//! Tools that send requests, to a small server of our own on this machine.

use super::*;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// A request as the server got it.
#[derive(Debug)]
pub(super) struct Got {
    /// Method and target.
    pub line: String,
    /// In lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Got {
    /// The next one from `stream`, if there is one.
    pub async fn read(stream: &mut tokio::io::BufReader<TcpStream>) -> Option<Self> {
        let mut line = async || -> Option<String> {
            let mut line = String::new();
            stream.read_line(&mut line).await.ok()?;
            (!line.is_empty()).then(|| line.trim_end().to_owned())
        };
        let first = line().await?;
        let mut headers = Vec::new();
        while let Some(line) = line().await.filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(": ").unwrap();
            headers.push((name.to_lowercase(), value.to_owned()));
        }
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length = length.map_or(0, |(_, value)| value.parse().unwrap());
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        Some(Self {
            line: first.strip_suffix(" HTTP/1.1").unwrap().to_owned(),
            headers,
            body: String::from_utf8(body).unwrap(),
        })
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(known, _)| known == name);
        header.map(|(_, value)| value.as_str())
    }
}

/// A server that answers each target with these bytes, and keeps what it got.
struct Server {
    port: u16,
    got: mpsc::UnboundedReceiver<Got>,
}

impl Server {
    /// `answers` are pairs of a path and an answer; `SERVER` in one is the server's address, and at `…` it stalls.
    async fn new(answers: &'static [(&'static str, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, got) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, port, answers, sender.clone()));
            }
        });
        Self { port, got }
    }

    /// What was got so far.
    fn take(&mut self) -> Got {
        self.got.try_recv().unwrap()
    }

    fn url(&self, rest: &str) -> String {
        format!("http://127.0.0.1:{}{rest}", self.port)
    }

    /// A desk with one tool `t` of these lines, in which `@` is the server's address.
    async fn desk(&self, lines: &str) -> Desk {
        Desk::new(&self.entry(lines)).await
    }

    fn entry(&self, lines: &str) -> String {
        let lines = lines.replace('@', &self.url(""));
        format!("[[tools]]\nname = \"t\"\ndescription = \"A tool.\"\n{lines}\n")
    }
}

async fn serve(
    stream: TcpStream,
    port: u16,
    answers: &[(&str, &str)],
    got: mpsc::UnboundedSender<Got>,
) {
    let mut stream = tokio::io::BufReader::new(stream);
    let Some(request) = Got::read(&mut stream).await else {
        return;
    };
    let target = request.line.split(['?', ' ']).nth(1).unwrap().to_owned();
    let _ = got.send(request);
    let answer = answers.iter().find(|(path, _)| *path == target);
    let answer = answer.map_or("404 Not Found\r\n\r\nno such thing", |(_, answer)| answer);
    let answer = answer.replace("SERVER", &format!("http://127.0.0.1:{port}"));
    let (now, stalls) = match answer.split_once('…') {
        Some((now, _)) => (now, true),
        None => (answer.as_str(), false),
    };
    let answer = format!("HTTP/1.1 {now}").replacen("\r\n", "\r\nConnection: close\r\n", 1);
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.flush().await;
    if stalls {
        // Until the client is gone.
        let _ = stream.read_u8().await;
        let _ = got.send(Got {
            line: "gone".into(),
            headers: Vec::new(),
            body: String::new(),
        });
    }
}

const OK: &str = "200 OK\r\n\r\nfine";

#[tokio::test]
async fn what_the_address_does_not_use_goes_into_the_query_or_a_body() {
    let input = "[tools.input.properties]\nid = { type = \"string\" }\nn = { type = \"integer\" }\n\
                 tag = { type = \"array\" }\nnote = { type = \"string\", default = \"d\" }\n";
    let given = json!({ "id": "a/b", "n": 2, "tag": ["x"], "other": "never sent" });
    for (http, line, body) in [
        (
            "url = \"@/o/{{id}}\"",
            "GET /o/a%2Fb?n=2&tag=%5B%22x%22%5D",
            "",
        ),
        (
            "url = \"@/o/{{id}}?q=1\", method = \"DELETE\"",
            "DELETE /o/a%2Fb?q=1&n=2&tag=%5B%22x%22%5D",
            "",
        ),
        (
            "url = \"@/o/{{id}}\", headers = { N = \"{{n}}\" }, method = \"HEAD\"",
            "HEAD /o/a%2Fb?tag=%5B%22x%22%5D",
            "",
        ),
        (
            "url = \"@/o/{{id}}\", method = \"POST\"",
            "POST /o/a%2Fb",
            r#"{"n":2,"tag":["x"]}"#,
        ),
        (
            "url = \"@/o/{{note}}?id={{id}}&tag={{tag}}&n={{n}}\", method = \"PUT\"",
            "PUT /o/d?id=a%2Fb&tag=%5B%22x%22%5D&n=2",
            "",
        ),
        (
            "url = \"@/o\", method = \"PATCH\", body = { a = [\"{{n}}\"], b = \"{{id}}!\", c = true }",
            "PATCH /o",
            r#"{"a":[2],"b":"a/b!","c":true}"#,
        ),
        (
            "url = \"@/o\", method = \"POST\", body = \"id={{id}}\", \
             headers = { Content-Type = \"application/x-www-form-urlencoded\" }",
            "POST /o",
            "id=a%2Fb",
        ),
    ] {
        let mut server = Server::new(&[("/o", OK), ("/o/d", OK), ("/o/a%2Fb", OK)]).await;
        let desk = server.desk(&format!("http = {{ {http} }}\n{input}")).await;
        let outcome = desk.call(given.clone()).await;
        let got = server.take();
        assert_eq!((got.line.as_str(), got.body.as_str()), (line, body));
        let is_json = got.body.starts_with('{');
        let content_type = got.header("content-type");
        assert_eq!(content_type == Some("application/json"), is_json, "{got:?}");
        let expected = if line.starts_with("HEAD") {
            "(no output)"
        } else {
            "fine"
        };
        assert_eq!((text(&outcome), outcome.is_error), (expected, false));
    }
}

#[tokio::test]
async fn headers_come_from_the_file_the_environment_and_the_input() {
    let mut server = Server::new(&[("/", OK)]).await;
    let lines = "http = { url = \"@/?k=${PART}\", headers = { Authorization = \"Bearer ${TOKEN}\", X-Note = \"<{{note}}>\" } }\n\
                 [tools.input.properties]\nnote = { type = \"string\" }\n";
    let text_of_desk = format!("{HEADER}{}", server.entry(lines));
    let folder = tempfile::tempdir().unwrap();
    let variables = [("TOKEN", "s3cret value"), ("PART", "a&b")];
    let bindings = Bindings {
        environment: variables
            .map(|(name, value)| (name.into(), value.into()))
            .into(),
        ..bindings(folder.path())
    };
    let bound = bind_with(&text_of_desk, bindings).await.unwrap();
    let tool = &bound.modes[0].tools[0];
    let call = tool.prepare(&json!({ "note": "a ~ b" })).unwrap();
    let address = server.url("/?k=${PART}");
    // The person sees what the model has a part in, and no variable's value.
    assert_eq!(call.shown(), format!("GET '{address}' 'x-note: <a ~ b>'"));
    let outcome = finished(call.run(context(&CancellationToken::new()))).await;
    assert_eq!(text(&outcome), "fine");
    let got = server.take();
    assert_eq!(got.line, "GET /?k=a%26b");
    assert_eq!(got.header("authorization"), Some("Bearer s3cret value"));
    assert_eq!(got.header("x-note"), Some("<a ~ b>"));
    let agent = got.header("user-agent").unwrap();
    assert!(agent.starts_with("loopls/"), "{agent}");
    for note in ["a\nb", "a\r\nX-Evil: 1", "ä", "\u{7f}", "a\tb"] {
        let problem = tool.prepare(&json!({ "note": note })).err().unwrap();
        assert_eq!(
            problem.0,
            "input.note must be visible ASCII: it is part of the header `x-note`"
        );
    }
}

#[tokio::test]
async fn a_person_sees_method_address_and_body() {
    let server = Server::new(&[]).await;
    let lines = "http = { url = \"@/o/{{id}}\", method = \"POST\" }\n\
                 [tools.input.properties]\nid = { type = \"string\" }\nnote = { type = \"string\" }\n";
    let desk = server.desk(lines).await;
    let call = desk
        .prepare(json!({ "id": "7\u{202e}", "note": "hi" }))
        .unwrap();
    let address = server.url("/o/7%E2%80%AE");
    assert_eq!(
        call.shown(),
        format!("POST {address} <<< '{{\"note\":\"hi\"}}'")
    );
}

#[tokio::test]
async fn what_is_no_success_is_an_error_with_status_and_body() {
    const ANSWERS: &[(&str, &str)] = &[
        ("/500", "500 Internal Server Error\r\n\r\nbroken\n"),
        ("/204", "204 No Content\r\n\r\n"),
        ("/201", "201 Created\r\n\r\nmade"),
        ("/304", "304 Not Modified\r\n\r\n"),
    ];
    for (path, expected, is_error) in [
        ("/404", "error: no such thing\n[status 404 Not Found]", true),
        (
            "/500",
            "error: broken\n[status 500 Internal Server Error]",
            true,
        ),
        ("/204", "(no output)", false),
        ("/201", "made", false),
        ("/304", "error: [status 304 Not Modified]", true),
    ] {
        let server = Server::new(ANSWERS).await;
        let desk = server
            .desk(&format!("http = {{ url = \"@{path}\" }}"))
            .await;
        let outcome = desk.call(json!({})).await;
        assert_eq!((text(&outcome), outcome.is_error), (expected, is_error));
    }
}

#[tokio::test]
async fn redirects_stay_within_the_origin() {
    const ANSWERS: &[(&str, &str)] = &[
        ("/one", "302 Found\r\nLocation: two\r\n\r\nnot read"),
        (
            "/two",
            "308 Permanent Redirect\r\nLocation: SERVER/end?x=1\r\n\r\n",
        ),
        ("/end", OK),
        ("/round", "301 Moved\r\nLocation: /round\r\n\r\n"),
        (
            "/away",
            "302 Found\r\nLocation: http://localhost:1/there?key=secret\r\n\r\n",
        ),
        (
            "/user",
            "302 Found\r\nLocation: http://me@127.0.0.1:1/there\r\n\r\n",
        ),
        ("/bad", "302 Found\r\nLocation: http://[\r\n\r\n"),
        ("/nowhere", "302 Found\r\n\r\nnowhere"),
    ];
    let mut server = Server::new(ANSWERS).await;
    let port = server.port;
    for (path, method, expected, requests) in [
        ("/one", "GET", "fine".to_owned(), 3),
        (
            "/round",
            "GET",
            "error: GET %/round: more than 5 redirects".into(),
            6,
        ),
        (
            "/away",
            "GET",
            "error: GET %/away: it redirects to localhost:1/there, which is another origin".into(),
            1,
        ),
        (
            "/user",
            "GET",
            "error: GET %/user: it redirects to 127.0.0.1:1/there, which is another origin".into(),
            1,
        ),
        (
            "/one",
            "POST",
            "error: POST %/one: it redirects to %/two, and only a GET is redirected".into(),
            1,
        ),
        (
            "/bad",
            "GET",
            "error: GET %/bad: it redirects to what is no address".into(),
            1,
        ),
        (
            "/nowhere",
            "GET",
            "error: nowhere\n[status 302 Found]".into(),
            1,
        ),
    ] {
        let desk = server
            .desk(&format!(
                "http = {{ url = \"@{path}\", method = \"{method}\" }}"
            ))
            .await;
        let outcome = desk.call(json!({})).await;
        let expected = expected.replace('%', &format!("127.0.0.1:{port}"));
        assert_eq!(text(&outcome), expected);
        for _ in 0..requests {
            server.take();
        }
        assert!(server.got.try_recv().is_err(), "{path}");
    }
}

#[tokio::test]
async fn cancel_ends_a_request_and_keeps_what_came() {
    for (answer, expected) in [
        ("200 OK\r\n\r\nsome…", "error: some\n[cancelled]"),
        ("…", "error: [cancelled]"),
    ] {
        let answers: &'static [(&str, &str)] = Box::leak(Box::new([("/", answer)]));
        let mut server = Server::new(answers).await;
        let desk = server.desk("http = { url = \"@/\" }").await;
        let cancel = CancellationToken::new();
        let (sender, mut output) = mpsc::unbounded_channel();
        let context = CallContext {
            output: Arc::new(move |_, bytes| sender.send(bytes.to_vec()).unwrap()),
            ..context(&cancel)
        };
        let run = tokio::spawn(desk.prepare(json!({})).unwrap().run(context));
        finished(server.got.recv()).await.unwrap();
        if answer.contains("some") {
            assert_eq!(finished(output.recv()).await.unwrap(), b"some");
        }
        cancel.cancel();
        let outcome = finished(run).await.unwrap();
        assert_eq!((text(&outcome), outcome.is_error), (expected, true));
        assert_eq!(finished(server.got.recv()).await.unwrap().line, "gone");
    }
}

#[tokio::test]
async fn however_long_an_answer_is_memory_is_bounded() {
    const LENGTH: usize = 20_000_000;
    let answer = format!("200 OK\r\n\r\n{}", "1234567\n".repeat(LENGTH / 8));
    let answers: &'static [(&str, &str)] = Box::leak(Box::new([("/", &*answer.leak())]));
    let server = Server::new(answers).await;
    let desk = server.desk("http = { url = \"@/\" }").await;
    let outcome = desk.call(json!({})).await;
    assert_eq!(outcome.bytes.len() + outcome.dropped as usize, LENGTH);
    assert!((RESULT_BYTES..RESULT_BYTES + 128 * 1024).contains(&outcome.bytes.len()));
    assert!(outcome.bytes.ends_with(b"1234567\n") && !outcome.is_error);
}

#[tokio::test]
async fn an_error_names_method_host_and_path_only() {
    // A port that nobody listens at any more.
    let port = Server::new(&[]).await.port;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let free = listener.local_addr().unwrap().port();
    drop(listener);
    assert_ne!(port, free);
    let lines = format!(
        "[[tools]]\nname = \"t\"\ndescription = \"d\"\n\
         http = {{ url = \"http://127.0.0.1:{free}/a/b?key=secret\" }}\n"
    );
    let outcome = Desk::new(&lines).await.call(json!({})).await;
    let expected = format!("error: GET 127.0.0.1:{free}/a/b: ");
    assert!(text(&outcome).starts_with(&expected), "{}", text(&outcome));
    assert!(!text(&outcome).contains("secret"));
}

#[tokio::test]
async fn what_no_request_can_be_is_told_at_bind() {
    let entry = |http: &str| {
        format!("{HEADER}[[tools]]\nname = \"t\"\ndescription = \"d\"\nhttp = {{ {http} }}\n")
    };
    for (http, place, expected) in [
        (
            "url = \"https://169.254.169.254/latest\"",
            "\"https://169.254.169.254/latest\"",
            "`169.254.169.254` is a link-local address; no request goes there",
        ),
        (
            "url = \"https://h/${LOOPLS_TEST_UNSET}\"",
            "\"https://h/${LOOPLS_TEST_UNSET}\"",
            "the environment variable `LOOPLS_TEST_UNSET` is not set",
        ),
        (
            "url = \"https://h/\", headers = { A = \"${LOOPLS_TEST_UNSET}\" }",
            "\"${LOOPLS_TEST_UNSET}\"",
            "the environment variable `LOOPLS_TEST_UNSET` is not set",
        ),
        (
            "url = \"https://h/\", headers = { A = \"ä\" }",
            "\"ä\"",
            "the header `a` would hold something that is no visible ASCII",
        ),
        (
            "url = \"https://h/\", headers = { \"A b\" = \"x\" }",
            "\"A b\"",
            "`A b` cannot be the name of a header",
        ),
        (
            "url = \"https://h/\", headers = { Host = \"other\" }",
            "Host",
            "`host` belongs to the connection and cannot be set",
        ),
    ] {
        let text = entry(http);
        let folder = tempfile::tempdir().unwrap();
        let error = bind_with(&text, bindings(folder.path()))
            .await
            .err()
            .unwrap();
        assert_eq!(error.to_string(), format!("tool `t`: {expected}"));
        assert_eq!(error.span().unwrap().of(&text), place);
    }
}
