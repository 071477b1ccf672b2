//! A test that cannot be run here says *ignored*: none ends early, and none prints that it was skipped.

use proc_macro2::TokenTree;
use syn::visit::{self, Visit};
use syn::{ExprClosure, ExprReturn, ItemFn, Lit, Macro};

use super::{files_below, parsed, repository};

/// Tests of a source that end without testing.
#[derive(Default)]
struct Skipped {
    /// The test whose body this is.
    test: Option<String>,
    found: Vec<String>,
}

impl Skipped {
    fn from_file(file: &syn::File) -> Vec<String> {
        let mut skipped = Self::default();
        skipped.visit_file(file);
        skipped.found
    }
}

impl<'ast> Visit<'ast> for Skipped {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        let is_test = item.attrs.iter().any(|it| it.path().is_ident("test"));
        let test = is_test.then(|| item.sig.ident.to_string());
        let outer = std::mem::replace(&mut self.test, test);
        visit::visit_item_fn(self, item);
        self.test = outer;
    }

    /// Closures return to the test.
    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        let outer = self.test.take();
        visit::visit_expr_closure(self, closure);
        self.test = outer;
    }

    fn visit_expr_return(&mut self, expression: &'ast ExprReturn) {
        if let (Some(test), None) = (&self.test, &expression.expr) {
            self.found.push(format!("{test} ends early"));
        }
        visit::visit_expr_return(self, expression);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        let is_printed = |name: &&str| called.path.is_ident(name);
        if ["print", "println", "eprint", "eprintln"]
            .iter()
            .any(is_printed)
            && let Some(TokenTree::Literal(first)) = called.tokens.clone().into_iter().next()
            && let Lit::Str(text) = Lit::new(first)
            && text.value().starts_with("skipped")
        {
            self.found.push(format!("{:?} is printed", text.value()));
        }
    }
}

#[test]
fn tests_that_are_not_run_are_ignored() {
    let folders = ["src", "tests"].map(|folder| repository().join(folder));
    let sources = folders.map(|folder| files_below(&folder, &["rs"]));
    let mut found = Vec::new();
    for path in sources.concat() {
        let skipped = Skipped::from_file(&parsed(&path)).into_iter();
        found.extend(skipped.map(|it| format!("{}: {it}", path.display())));
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn what_passes_though_nothing_is_tested_is_found() {
    let source = r#"
        fn helper() { if it() { println!("skipped: no font"); return; } }
        mod tests {
            #[test]
            fn one() {
                let Some(folder) = folder() else { return; };
                folder.each(|it| { if it.is_small() { return; } it.check(); });
                if it() { return check(1); }
            }
        }
    "#;
    let file = syn::parse_file(source).expect("a source");
    let found = ["\"skipped: no font\" is printed", "one ends early"];
    assert_eq!(Skipped::from_file(&file), found);
}
