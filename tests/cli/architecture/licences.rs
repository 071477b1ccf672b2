//! Whatever is built in has a licence under which the program can be given away, and comes from the registry.

use crate::architecture::wings::metadata;

/// Licences that ask for nothing but their text and names, or leave our own files alone.
const ALLOWED: [&str; 17] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MPL-2.0",
    "NCSA",
    "OFL-1.1",
    "Ubuntu-font-1.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Packages that name a file instead, and the licence in it.
const BY_FILE: [(&str, &str); 1] = [("cfg_block", "Apache-2.0")];

/// An expression of the form `(a OR b) AND c`, the only one that packages use; `/` is an old `OR`.
fn is_allowed(expression: &str) -> bool {
    let choice = |part: &str| {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')');
        let mut licences = part.split(" OR ").flat_map(|it| it.split('/'));
        licences.any(|it| ALLOWED.contains(&it.trim()))
    };
    expression.split(" AND ").all(choice)
}

#[test]
fn every_package_may_be_shipped() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 100, "{} packages", packages.len());
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        let by_file = BY_FILE.iter().find(|(other, _)| *other == name);
        let licence = package["license"].as_str().or(by_file.map(|it| it.1));
        assert!(licence.is_some_and(is_allowed), "{name}: {licence:?}");
        let source = package["source"].as_str();
        let is_own = source.is_none() && name.starts_with("canopy");
        let is_registry = source.is_some_and(|it| it.starts_with("registry+"));
        assert!(is_own || is_registry, "{name} is from {source:?}");
    }
}

#[test]
fn a_licence_is_allowed_if_each_part_leaves_a_choice() {
    assert!(is_allowed("MIT/Apache-2.0"));
    assert!(is_allowed("Apache-2.0 OR GPL-2.0-only"));
    assert!(is_allowed("(MIT OR GPL-2.0-only) AND Unicode-3.0"));
    assert!(!is_allowed("MIT AND GPL-2.0-only"));
    assert!(!is_allowed("AGPL-3.0"));
}
