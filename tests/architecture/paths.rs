//! The paths of a Rust file: what it imports, names and hands on.

use crate::tokens::{Token, tokens};

/// A path as it is written, such as `super::config::ModelConfig`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    pub parts: Vec<String>,
    /// Inline modules around it.
    pub inside: Vec<String>,
    pub line: usize,
    /// Whether it is handed on by `pub use`.
    pub public: bool,
    /// Whether it is compiled for tests only.
    pub test: bool,
}

/// A file's paths and its modules that are compiled for tests only.
#[derive(Debug, Default)]
pub struct Source {
    pub paths: Vec<Path>,
    pub test_modules: Vec<String>,
}

/// Reads the paths of `use` and those that begin with `crate`, `super` or `self`; further those of two parts or more,
/// which may begin with a module of the file.
pub fn read(source: &str) -> Source {
    let tokens = tokens(source);
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let mut file = Source::default();
    // Each open inline module with the depth of its braces, and whether it is a test's.
    let mut modules: Vec<(String, usize, bool)> = Vec::new();
    let (mut depth, mut at, mut is_test) = (0, 0, false);
    while at < tokens.len() {
        let inside = || modules.iter().map(|(name, ..)| name.clone()).collect();
        let tested = modules.iter().any(|&(.., test)| test);
        match text(at) {
            "{" => depth += 1,
            "}" => {
                modules.retain(|&(_, open, _)| open < depth);
                depth -= 1;
            }
            "#" if (2..=4)
                .map(|ahead| text(at + ahead))
                .eq(["cfg", "(", "test"]) =>
            {
                is_test = true;
            }
            ";" => is_test = false,
            "mod" if text(at + 2) == ";" && is_test => {
                file.test_modules.push(text(at + 1).to_owned());
            }
            "mod" if text(at + 2) == "{" => {
                modules.push((text(at + 1).to_owned(), depth, is_test));
                is_test = false;
            }
            "use" => {
                let end = (at..tokens.len()).find(|&end| text(end) == ";");
                let end = end.unwrap_or(tokens.len());
                let public = at > 0 && ["pub", ")"].contains(&text(at - 1));
                let line = tokens[at].line;
                for parts in tree(&tokens[at + 1..end]) {
                    file.paths.push(Path {
                        parts,
                        inside: inside(),
                        line,
                        public,
                        test: tested || is_test,
                    });
                }
                (at, is_test) = (end, false);
            }
            // Who may see it is no use.
            "(" if text(at + 1) == "in" => {
                at = (at..tokens.len())
                    .find(|&end| text(end) == ")")
                    .unwrap_or(tokens.len());
            }
            word if text(at + 1) == "::" && (at == 0 || text(at - 1) != "::") => {
                let mut parts = vec![word.to_owned()];
                let line = tokens[at].line;
                while text(at + 1) == "::" && text(at + 2).chars().any(char::is_alphanumeric) {
                    parts.push(text(at + 2).to_owned());
                    at += 2;
                }
                file.paths.push(Path {
                    parts,
                    inside: inside(),
                    line,
                    public: false,
                    test: tested,
                });
            }
            _ => {}
        }
        at += 1;
    }
    file
}

/// The paths of the tree after `use`.
fn tree(tokens: &[Token]) -> Vec<Vec<String>> {
    let mut prefix: Vec<String> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at].text.as_str() {
            "{" => {
                let branches = branches(&tokens[at + 1..]);
                let trees = branches.into_iter().flat_map(tree);
                let joined = trees.map(|mut rest| {
                    rest.retain(|part| part != "self" || prefix.is_empty());
                    prefix.iter().cloned().chain(rest).collect()
                });
                return joined.collect();
            }
            "as" => break,
            "::" => {}
            word => prefix.push(word.to_owned()),
        }
        at += 1;
    }
    if prefix.is_empty() {
        Vec::new()
    } else {
        vec![prefix]
    }
}

/// The parts between the commas up to the brace that closes.
fn branches(tokens: &[Token]) -> Vec<&[Token]> {
    let (mut branches, mut start, mut depth) = (Vec::new(), 0, 1);
    for (at, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && token.text == ",") {
            branches.push(&tokens[start..at]);
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    branches
}

#[test]
fn trees_inline_paths_and_modules_of_tests_are_read() {
    let file = read(
        "#[cfg(test)]\nmod tests;\nuse crate::{a::{self, B as C}, d};\npub use e::F;\nfn f() { crate::g::h(super::i::J) }\n\
         #[cfg(test)]\nmod inline { use super::k; }",
    );
    let written: Vec<String> = file.paths.iter().map(|it| it.parts.join("::")).collect();
    let expected = [
        "crate::a",
        "crate::a::B",
        "crate::d",
        "e::F",
        "crate::g::h",
        "super::i::J",
        "super::k",
    ];
    assert_eq!(written, expected);
    assert_eq!(file.test_modules, ["tests"]);
    let flags = |it: &Path| (it.public, it.test, it.inside.len());
    assert_eq!(flags(&file.paths[3]), (true, false, 0));
    assert_eq!(flags(&file.paths[6]), (false, true, 1));
    assert_eq!(file.paths[4].line, 5);
}
