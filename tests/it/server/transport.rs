//! The message loop: whatever arrives, it goes on, and every request gets one reply.

use crate::support::{Client, position_params};
use loopls::lsp::End;
use serde_json::{Value, json};

const URI: &str = "file:///tmp/loop.toml";

#[tokio::test]
async fn the_server_says_who_it_is() {
    let client = Client::start(json!({})).await;
    assert_eq!(
        client.server["serverInfo"]["version"],
        env!("CARGO_PKG_VERSION")
    );
    let capabilities = &client.server["capabilities"];
    assert_eq!(capabilities["experimental"]["loopls"]["protocol"], 1);
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    assert_eq!(capabilities["textDocumentSync"]["change"], 2);
    client.finish().await;
}

#[tokio::test]
async fn nothing_ends_the_reading() {
    for (bad, code) in [
        ("Content-Length: 9\r\n\r\nnot json!", -32700),
        ("Content-Length: nine\r\n\r\n", -32700),
        ("Content-Length: 2\r\n\r\n[]", -32600),
        ("Content-Length: 4\r\n\r\nnull", -32600),
        ("Content-Length: 2\r\n\r\n{}", -32600),
        ("Content-Length: 11\r\n\r\n{\"id\":\"oh\"}", -32600),
        ("Content-Length: 19\r\n\r\n{\"method\":7,\"id\":1}", -32600),
    ] {
        let mut client = Client::start(json!({})).await;
        client.write(bad.as_bytes()).await;
        let refused = client.take(|message| message.get("error").is_some()).await;
        assert_eq!(refused["error"]["code"], code, "{bad}");
        assert_eq!(client.hover(URI, 0, 0).await, Value::Null, "{bad}");
        client.finish().await;
    }
}

#[tokio::test]
async fn a_batch_is_refused_and_the_next_request_answered() {
    let mut client = Client::start(json!({})).await;
    client
        .send(json!([{ "jsonrpc": "2.0", "id": 90, "method": "shutdown" }]))
        .await;
    assert_eq!(client.reply(Value::Null).await.unwrap_err()["code"], -32600);
    client.finish().await;
}

#[tokio::test]
async fn a_request_that_cannot_be_read_as_a_whole_is_refused_by_its_id() {
    let mut client = Client::start(json!({})).await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"x\",\"params\":{deep}}}");
    client.send_text(&text).await;
    assert_eq!(client.reply(77).await.unwrap_err()["code"], -32700);
    client.finish().await;
}

#[tokio::test]
async fn every_request_has_one_reply() {
    let mut client = Client::start(json!({})).await;
    for (method, params, code) in [
        ("textDocument/nothing", json!({}), -32601),
        ("$/nothing", json!({}), -32601),
        ("textDocument/hover", json!({ "textDocument": 3 }), -32602),
        ("textDocument/hover", Value::Null, -32602),
        ("initialize", json!({ "capabilities": {} }), -32600),
        ("textDocument/didOpen", json!({}), -32600),
        (
            "workspace/executeCommand",
            json!({ "command": "loopls.nothing" }),
            -32602,
        ),
        (
            "workspace/executeCommand",
            json!({ "command": "loopls.run" }),
            -32602,
        ),
        (
            "workspace/executeCommand",
            json!({ "command": "loopls.cancel", "arguments": [3] }),
            -32602,
        ),
    ] {
        assert_eq!(
            client.error_code(method, params.clone()).await,
            code,
            "{method} {params}"
        );
    }
    client.notify("$/nothing", json!({})).await;
    client.notify("textDocument/nothing", json!({})).await;
    client
        .send(json!({ "jsonrpc": "2.0", "id": 999, "result": null }))
        .await;
    client.finish().await;
}

#[tokio::test]
async fn ids_may_be_words_and_params_may_be_left_out_or_empty() {
    let mut client = Client::start(json!({})).await;
    let params = position_params(URI, 0, 0);
    client
        .send(json!({ "jsonrpc": "2.0", "id": "h", "method": "textDocument/hover", "params": params }))
        .await;
    assert_eq!(client.reply("h").await, Ok(Value::Null));
    client
        .send(json!({ "jsonrpc": "2.0", "id": "s", "method": "shutdown", "params": {} }))
        .await;
    assert_eq!(client.reply("s").await, Ok(Value::Null));
    client.send(json!({ "method": "exit" })).await;
    assert_eq!(client.end().await, End::AfterShutdown);
    client.expect_nothing_left().await;
}

#[tokio::test]
async fn what_comes_before_initialize_is_refused() {
    let mut client = Client::connect();
    client.open(URI, 1, "nam = 1").await;
    let code = client
        .error_code("textDocument/hover", position_params(URI, 0, 0))
        .await;
    assert_eq!(code, -32002);
    client.introduce(json!({}), json!({})).await;
    client.finish().await;
}

#[tokio::test]
async fn after_shutdown_nothing_but_exit_is_served() {
    let mut client = Client::start(json!({})).await;
    client.call("shutdown", Value::Null).await;
    let code = client
        .error_code("textDocument/hover", position_params(URI, 0, 0))
        .await;
    assert_eq!(code, -32600);
    client.notify("exit", Value::Null).await;
    assert_eq!(client.end().await, End::AfterShutdown);
    client.expect_nothing_left().await;
}

#[tokio::test]
async fn exit_alone_is_abrupt() {
    let mut client = Client::start(json!({})).await;
    client.notify("exit", Value::Null).await;
    assert_eq!(client.end().await, End::Abrupt);
    client.expect_nothing_left().await;
}

#[tokio::test]
async fn the_end_of_input_is_the_end() {
    let mut client = Client::start(json!({})).await;
    client.write(b"Content-Length: 100\r\n\r\n{").await;
    client.close_input().await;
    assert_eq!(client.end().await, End::Abrupt);
    client.expect_nothing_left().await;
}

#[tokio::test]
async fn messages_before_the_answer_to_initialize_are_not_lost() {
    let mut client = Client::connect();
    let id = client
        .request("initialize", json!({ "capabilities": {} }))
        .await;
    client.notify("initialized", json!({})).await;
    client.open(URI, 1, "nam = 1\n").await;
    client.reply(id).await.unwrap();
    assert_ne!(client.diagnostics(URI, 1).await, [] as [Value; 0]);
    client.close(URI).await;
    client.cleared(URI).await;
    client.finish().await;
}

#[tokio::test]
async fn settings_of_any_shape_are_taken() {
    let mut client = Client::start(json!({})).await;
    for settings in [
        json!(null),
        json!([null]),
        json!({}),
        json!([]),
        json!({ "loopls": 3 }),
    ] {
        client
            .notify(
                "workspace/didChangeConfiguration",
                json!({ "settings": settings }),
            )
            .await;
        client
            .notify("loopls/didChangeTrust", json!({ "trust": settings }))
            .await;
    }
    client.finish().await;
}
