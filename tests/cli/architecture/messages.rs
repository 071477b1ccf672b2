//! Messages of libraries name no option and no command: the window and other programs show them, too.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ItemMod, Lit, LitStr, Meta};

use super::{files_below, parsed, repository};

/// The string literals of a source, but for those of documentation and of tests.
#[derive(Default)]
struct Literals(Vec<String>);

impl Literals {
    fn from_file(file: &syn::File) -> Vec<String> {
        let mut literals = Self::default();
        literals.visit_file(file);
        literals.0
    }

    /// Those among the arguments of a macro or an attribute.
    fn add(&mut self, tokens: &TokenStream) {
        for token in tokens.clone() {
            match token {
                TokenTree::Group(group) if is_documentation(&group.stream()) => {}
                TokenTree::Group(group) => self.add(&group.stream()),
                TokenTree::Literal(literal) => {
                    if let Lit::Str(literal) = Lit::new(literal) {
                        self.0.push(literal.value());
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Literals {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !module.attrs.iter().any(is_for_tests) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if !attribute.path().is_ident("doc") {
            visit::visit_attribute(self, attribute);
        }
    }

    fn visit_lit_str(&mut self, literal: &'ast LitStr) {
        self.0.push(literal.value());
    }

    fn visit_token_stream(&mut self, tokens: &'ast TokenStream) {
        self.add(tokens);
    }
}

/// Whether these are the tokens of a comment that is documentation, within its brackets.
fn is_documentation(tokens: &TokenStream) -> bool {
    let first = tokens.clone().into_iter().next();
    matches!(first, Some(TokenTree::Ident(name)) if name == "doc")
}

fn is_for_tests(attribute: &Attribute) -> bool {
    let Meta::List(list) = &attribute.meta else {
        return false;
    };
    list.path.is_ident("cfg") && list.tokens.to_string() == "test"
}

/// Whether a text names an option or a command of the command line.
fn names_usage(literal: &str) -> bool {
    let mut options = literal.match_indices("--").filter(|(at, _)| {
        let begins = *at == 0 || literal[..*at].ends_with([' ', '`', '(']);
        begins && literal[at + 2..].starts_with(|c: char| c.is_ascii_lowercase())
    });
    options.next().is_some() || literal.contains("`canopy ")
}

#[test]
fn messages_of_libraries_name_no_option_and_no_command() {
    let sources = files_below(&repository().join("src"), &["rs"]);
    let with_usage = ["src/cli/", "src/gui/", "src/app/"];
    let mut found = Vec::new();
    for path in sources {
        let name = path.strip_prefix(repository()).expect("below it");
        let name = name.to_string_lossy().replace('\\', "/");
        let is_test = name.ends_with("/tests.rs") || name.contains("/tests/");
        if is_test || with_usage.iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        let literals = Literals::from_file(&parsed(&path)).into_iter();
        found.extend(
            literals
                .filter(|it| names_usage(it))
                .map(|it| format!("{name}: {it}")),
        );
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn messages_are_found_beside_documentation_and_tests() {
    let source = r##"
        /// `canopy a`
        fn f() { g("--a", format!("{}", h(r#"--b "c" "#))); }
        #[error("d \
                 --e")]
        struct S;
        #[cfg(test)]
        mod tests { const A: &str = "--f"; }
    "##;
    let file = syn::parse_file(source).expect("a source");
    assert_eq!(
        Literals::from_file(&file),
        ["--a", "{}", "--b \"c\" ", "d --e"]
    );
    assert!(names_usage("name it with --memory") && names_usage("(`canopy run stop`)"));
    assert!(!names_usage("s--f") && !names_usage("With -- and ---"));
}
