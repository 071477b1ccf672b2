//! Whatever is built in has a licence under which the program can be given away, and comes from the registry.

use serde::Deserialize;

use crate::architecture::repository;
use crate::architecture::wings::metadata;

/// The licences that `deny.toml` allows.
#[derive(Debug, Deserialize)]
struct Licenses {
    allow: Vec<String>,
    clarify: Vec<Clarified>,
}

/// The licence of a package that names a file in its place.
#[derive(Debug, Deserialize)]
struct Clarified {
    #[serde(rename = "crate")]
    package: String,
    expression: String,
}

impl Licenses {
    fn read() -> Self {
        #[derive(Deserialize)]
        struct Deny {
            licenses: Licenses,
        }
        let text = std::fs::read_to_string(repository().join("deny.toml")).expect("a file");
        let deny: Deny = toml::from_str(&text).expect("TOML with licences");
        deny.licenses
    }

    /// Checks an expression of the form `(a OR b) AND c`, the only one that packages use; `/` is an old `OR`.
    fn allow(&self, expression: &str) -> bool {
        let choice = |part: &str| {
            let part = part.trim().trim_start_matches('(').trim_end_matches(')');
            let mut licences = part.split(" OR ").flat_map(|it| it.split('/'));
            licences.any(|it| self.allow.iter().any(|allowed| allowed == it.trim()))
        };
        expression.split(" AND ").all(choice)
    }
}

#[test]
fn every_package_may_be_shipped() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 100, "{} packages", packages.len());
    let licenses = Licenses::read();
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        let by_file = licenses.clarify.iter().find(|it| it.package == name);
        let by_file = by_file.map(|it| it.expression.as_str());
        let licence = package["license"].as_str().or(by_file);
        let is_allowed = licence.is_some_and(|licence| licenses.allow(licence));
        assert!(is_allowed, "{name}: {licence:?}");
        let source = package["source"].as_str();
        let is_own = source.is_none() && name.starts_with("canopy");
        let is_registry = source.is_some_and(|it| it.starts_with("registry+"));
        assert!(is_own || is_registry, "{name} is from {source:?}");
    }
}

#[test]
fn a_licence_is_allowed_if_each_part_leaves_a_choice() {
    let licenses = Licenses::read();
    assert!(licenses.allow("MIT/Apache-2.0"));
    assert!(licenses.allow("Apache-2.0 OR GPL-2.0-only"));
    assert!(licenses.allow("(MIT OR GPL-2.0-only) AND Unicode-3.0"));
    assert!(!licenses.allow("MIT AND GPL-2.0-only"));
    assert!(!licenses.allow("AGPL-3.0"));
}
