//! Whether a model's `base_url` is safe: no key or prompt leaves over a connection that others can read.

/// Accepts `https` with a host, and `http` where the host is this machine.
///
/// # Errors
///
/// What is wrong, in words that follow the name of the key.
pub fn check(url: &str) -> Result<(), String> {
    let Some((scheme, rest)) = url.split_once("://") else {
        return Err("needs a scheme and a host, such as `https://models.example.com/v1`".into());
    };
    if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("holds a space or a control character".into());
    }
    // Programs disagree on which side of a backslash the host is.
    if url.contains('\\') {
        return Err("holds a backslash".into());
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err(
            "holds a user name or a password; a key is named by `api_key_env` instead".into(),
        );
    }
    let (host, port) = split_port(authority);
    if host.is_empty() || host == "[]" {
        return Err("has no host".into());
    }
    if host.contains('{') || host.contains('$') {
        return Err("names its host by a placeholder or a variable; write the host itself".into());
    }
    if port.is_some_and(|port| port.parse::<u16>().is_err()) {
        return Err(format!(
            "has a port that is no port: `{}`",
            port.unwrap_or_default().escape_debug()
        ));
    }
    match scheme.to_ascii_lowercase().as_str() {
        "https" => Ok(()),
        "http" if is_this_machine(host) => Ok(()),
        "http" => Err(
            "is `http` to another machine, where others can read keys and prompts; use `https`"
                .into(),
        ),
        _ => Err(format!(
            "has the scheme `{}`; use `https`",
            scheme.escape_debug()
        )),
    }
}

fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rfind(':') {
        Some(colon) if !authority[colon..].contains(']') => {
            (&authority[..colon], Some(&authority[colon + 1..]))
        }
        _ => (authority, None),
    }
}

fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host == "127.0.0.1" || host == "[::1]"
}

#[cfg(test)]
mod tests {
    #[test]
    fn safe_addresses() {
        for (url, safe) in [
            ("https://models.example.com/v1", true),
            ("HTTPS://MODELS.EXAMPLE.COM", true),
            ("http://localhost:11434", true),
            ("HTTP://LOCALHOST", true),
            ("http://127.0.0.1:8080/v1", true),
            ("http://[::1]:9", true),
            ("https://[2001:db8::1]/v1", true),
            ("http://models.example.com", false),
            ("http://localhost.example.com", false),
            ("http://localhost@example.com", false),
            ("http://127.0.0.1\\@example.com", false),
            ("https://user:password@models.example.com", false),
            ("https://", false),
            ("https:///v1", false),
            ("https://models.example.com:port", false),
            ("https://${HOST}/v1", false),
            ("ftp://models.example.com", false),
            ("models.example.com", false),
            ("https://models.example.com/a b", false),
        ] {
            assert_eq!(
                super::check(url).is_ok(),
                safe,
                "{url}: {:?}",
                super::check(url)
            );
        }
    }
}
