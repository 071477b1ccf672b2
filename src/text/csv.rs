//! Fields of comma-separated values (RFC 4180).

/// In quotation marks.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// In quotation marks if it needs them.
pub fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        quoted(text)
    } else {
        text.to_owned()
    }
}
