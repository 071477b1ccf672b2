//! Rust source as the few tokens that paths are made of.

/// A token and the line where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub line: usize,
}

/// Splits source into identifiers, `::` and single signs; comments, strings and characters are left out.
pub fn tokens(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let (mut tokens, mut at, mut line) = (Vec::new(), 0, 1);
    while at < chars.len() {
        let rest = &chars[at..];
        let next = rest.get(1).copied();
        let len = match rest[0] {
            '/' if next == Some('/') => until(rest, |rest| rest[0] == '\n'),
            '/' if next == Some('*') => block_comment(rest),
            '"' => string(rest),
            'r' | 'b' | 'c' if quoted(rest).is_some() => quoted(rest).unwrap_or(1),
            '\'' => character(rest),
            ':' if next == Some(':') => 2,
            sign if is_word(sign) => until(rest, |rest| !is_word(rest[0])),
            _ => 1,
        };
        let text: String = rest[..len].iter().collect();
        let is_sign = len == 1 && !rest[0].is_whitespace();
        let num_lines = text.matches('\n').count();
        if is_sign || text == "::" || text.chars().all(is_word) {
            tokens.push(Token { text, line });
        }
        line += num_lines;
        at += len;
    }
    tokens
}

fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// How many signs stand before `end` holds.
fn until(rest: &[char], end: impl Fn(&[char]) -> bool) -> usize {
    (0..rest.len())
        .find(|&at| end(&rest[at..]))
        .unwrap_or(rest.len())
}

fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// A string, its quotes included.
fn string(rest: &[char]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != '"' {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// A string with a prefix, such as `r#"…"#` or `b"…"`; none if it is something else.
fn quoted(rest: &[char]) -> Option<usize> {
    let prefix = until(rest, |rest| !['r', 'b', 'c'].contains(&rest[0]));
    let hashes = until(&rest[prefix..], |rest| rest[0] != '#');
    let open = prefix + hashes;
    if rest.get(open) != Some(&'"') {
        return None;
    }
    if !rest[..prefix].contains(&'r') {
        return (hashes == 0).then(|| prefix + string(&rest[prefix..]));
    }
    let is_end = |rest: &[char]| {
        rest[0] == '"' && rest.len() > hashes && rest[1..=hashes].iter().all(|&sign| sign == '#')
    };
    Some((open + 1 + until(&rest[open + 1..], is_end) + 1 + hashes).min(rest.len()))
}

/// A character such as `'{'` or `'\n'`; of a lifetime, its quote.
fn character(rest: &[char]) -> usize {
    match rest {
        ['\'', '\\', ..] => until(&rest[3.min(rest.len())..], |rest| rest[0] == '\'') + 4,
        ['\'', _, '\'', ..] => 3,
        _ => 1,
    }
    .min(rest.len())
}

#[test]
fn strings_and_comments_are_no_tokens() {
    let source = "use crate::a; // crate::b\n/* crate::c */ let x = \"crate::d\\\"\"; r#\"crate::\"e\"#; '{'; '\\''; f::<'a>";
    let words: Vec<String> = tokens(source).into_iter().map(|it| it.text).collect();
    let expected = [
        "use", "crate", "::", "a", ";", "let", "x", "=", ";", ";", ";", ";", "f", "::", "<", "'",
        "a", ">",
    ];
    assert_eq!(words, expected);
}
