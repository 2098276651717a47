//! Servers that do what no server should.

use super::*;

/// vercel/ai#19240.
#[tokio::test]
async fn every_page_of_a_list_counts_and_one_that_leads_back_ends_it() {
    for (pages, expected, told) in [
        ("3", vec!["one", "two", "three"], vec![]),
        (
            "loop",
            vec!["again"],
            vec!["tool `s`: the server's list of tools leads back to a page before, and ends here"],
        ),
    ] {
        let (_folder, bound) = served(&format!("env = {{ PAGES = \"{pages}\" }}")).await;
        assert_eq!(names(&bound), expected);
        assert_eq!(notices(&bound), told);
    }
}

#[tokio::test]
async fn a_list_that_goes_on_and_on_ends_after_16_pages() {
    let (_folder, bound) = served("env = { PAGES = \"on\" }").await;
    let expected: Vec<String> = (1..=16).map(|page| format!("t{page}")).collect();
    assert_eq!(names(&bound), expected);
    assert_eq!(
        notices(&bound),
        ["tool `s`: the server lists more than 16 pages of tools, and those behind are left out"]
    );
}

/// mcp-go#956.
#[tokio::test]
async fn a_server_that_floods_standard_error_does_not_block() {
    let (_folder, bound) = served("env = { FLOOD = \"1\" }").await;
    for _ in 0..2 {
        assert_eq!(text(&call(&bound, "echo", json!({})).await), "{}");
    }
}

#[tokio::test]
async fn what_is_odd_is_left_out_loudly() {
    let folder = folder();
    let odd = r#"{"name":"bad","inputSchema":{"type":"objec"}},{"name":"none"},"#;
    let more = format!("env = {{ MORE = '{odd}' }}");
    let tools = entry("s", "", &more);
    let bound = bind_in(&folder, &tools).await.unwrap();
    assert_eq!(names(&bound), ["echo", "fail", "slow", "die"]);
    let [none, bad] = notices(&bound)[..] else {
        panic!("{:?}", bound.notices);
    };
    assert_eq!(none, "tool `s`: `none` is left out: it has no input schema");
    assert!(
        bad.starts_with("tool `s`: `bad` is left out: the schema is not valid"),
        "{bad}"
    );
    assert_eq!(bound.notices[0].span.of(&format!("{HEADER}{tools}")), "mcp");

    // Whoever asks for it by name is told so.
    let error = refused(&folder, &(tools + "produces = [\"none\"]")).await;
    assert_eq!(
        error.to_string(),
        "tool `s`: `none` is left out: it has no input schema"
    );
}

/// notion-mcp-server#340.
#[tokio::test]
async fn what_a_provider_refuses_is_left_out_and_the_others_work() {
    let any_of = r#"{"name":"either","inputSchema":{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}},"#;
    let dotted = r#"{"name":"a.b","inputSchema":{"type":"object"}},"#;
    let const_only =
        r#"{"name":"one","inputSchema":{"type":"object","properties":{"a":{"const":1}}}},"#;
    for (provider, expected) in [
        (
            "openai",
            vec![
                "tool `s`: `either` is left out: openai refuses its schema",
                "tool `s`: `a.b` is left out: openai refuses its name",
            ],
        ),
        ("scripted", vec![]),
        // It would not see all of a schema, which is no reason to go without the tool.
        ("ollama", vec![]),
    ] {
        let folder = folder();
        let more = format!("env = {{ MORE = '{any_of}{dotted}{const_only}' }}");
        let text = format!(
            "name = \"d\"\nmodel = {{ provider = \"{provider}\", name = \"m\" }}\n{}",
            entry("s", "", &more)
        );
        let bound = finished(bind_with(&text, bindings(folder.path())))
            .await
            .unwrap();
        assert_eq!(notices(&bound), expected);
        assert_eq!(names(&bound).len(), 7 - expected.len());
        assert_eq!(text_of_echo(&bound).await, "{}");
    }
}

async fn text_of_echo(bound: &Bound) -> String {
    text(&call(bound, "echo", json!({})).await).to_owned()
}

#[tokio::test]
async fn a_message_that_is_too_long_is_an_error_at_once_and_the_server_stays_usable() {
    let folder = folder();
    let huge = "if [ -e small ]; then unset HUGE; fi";
    fs::write(
        folder.path().join("server.sh"),
        SERVER.replace("        flood\n", &format!("        {huge}\n")),
    )
    .unwrap();
    for (bytes, expected) in [
        (
            40 << 20,
            "error: the server did not answer: it sent a message of more than 32 MiB, which is not read",
        ),
        (10 << 20, "xxx"),
    ] {
        let _ = fs::remove_file(folder.path().join("small"));
        let more = format!("env = {{ HUGE = \"{bytes}\" }}");
        let bound = bind_in(&folder, &entry("s", "", &more)).await.unwrap();
        let outcome = call(&bound, "echo", json!({})).await;
        assert!(text(&outcome).starts_with(expected));
        assert!(outcome.bytes.len() <= RESULT_BYTES + (64 << 10));
        let missing = bytes * usize::from(!outcome.is_error);
        assert_eq!(
            outcome.dropped as usize,
            missing.saturating_sub(outcome.bytes.len()),
            "what is missing of a long result is counted"
        );
        fs::write(folder.path().join("small"), "").unwrap();
        assert_eq!(text_of_echo(&bound).await, "{}");
    }
}

#[tokio::test]
async fn a_server_that_asks_is_answered_and_given_nothing() {
    let (folder, bound) = served("env = { ASKS = \"1\" }").await;
    assert_eq!(text_of_echo(&bound).await, "{}");
    let replies = fs::read_to_string(folder.path().join("replies")).unwrap();
    let replies: Vec<Value> = replies
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let reply = |to: &str| replies.iter().find(|reply| reply["id"] == to).unwrap();
    assert_eq!(reply("roots/list")["result"]["roots"], json!([]));
    assert_eq!(reply("sampling/createMessage")["error"]["code"], -32601);
    assert_eq!(
        reply("elicitation/create")["result"],
        json!({ "action": "decline" })
    );
}

#[tokio::test]
async fn a_server_may_take_its_time_to_start() {
    let (_folder, bound) = served("env = { START = \"1\" }").await;
    assert_eq!(names(&bound), ["echo", "fail", "slow", "die"]);
}

#[tokio::test]
async fn a_bind_that_is_given_up_leaves_no_server() {
    let folder = folder();
    let tools = entry("s", "", "env = { START = \"1000\" }");
    let binding = bind_in(&folder, &tools);
    tokio::select! {
        _ = binding => panic!("it starts only much later"),
        () = eventually(|| (!pids(&folder).is_empty()).then_some(())) => {}
    }
    let pid = pids(&folder)[0];
    eventually(|| is_gone(pid).then_some(())).await;
}

/// Nobody waits here: the clock jumps to whatever is due next.
#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_start_is_given_up() {
    let folder = folder();
    let tools = entry("s", "", "env = { START = \"1000\" }");
    let text = format!("{HEADER}{tools}");
    let error = bind_with(&text, bindings(folder.path()))
        .await
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "tool `s`: the server cannot be used: it did not start within 30 s"
    );
    assert_eq!(left(&folder), []);
}

#[tokio::test]
async fn a_list_that_is_too_long_is_told_at_once() {
    let folder = folder();
    let list = "head -c 40000000 /dev/zero | tr '\\0' 'x'; echo; continue ;;\n    *'never'*)";
    let server = SERVER.replace(
        "    *'\"tools/list\"'*)",
        &format!("    *'\"tools/list\"'*) {list}"),
    );
    fs::write(folder.path().join("server.sh"), server).unwrap();
    let error = refused(&folder, &entry("s", "", "")).await.to_string();
    assert!(
        error.starts_with(
            "tool `s`: the server cannot be used: it sent a message of more than 32 MiB"
        ),
        "{error}"
    );
}
