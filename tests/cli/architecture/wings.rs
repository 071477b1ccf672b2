//! Which crates a crate is built with.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::architecture::repository;

/// Crates that compute no network and open no window, nor anything that they use.
const WITHOUT_NETWORK: [&str; 8] = [
    "canopy-base",
    "canopy-document",
    "canopy-tokenize",
    "canopy-chart",
    "canopy-metrics",
    "canopy-corpus",
    "canopy-qa",
    "canopy-explain",
];

/// The output of `cargo metadata` for all packages.
pub fn metadata() -> Value {
    let cargo = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .arg("--manifest-path")
        .arg(repository().join("Cargo.toml"))
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&cargo.stderr);
    assert!(cargo.status.success(), "{errors}");
    serde_json::from_slice(&cargo.stdout).expect("JSON")
}

fn texts<'v>(values: &'v Value, key: &str) -> Vec<&'v str> {
    let values = values.as_array().expect("a list");
    let text = |value: &'v Value| value[key].as_str().expect("a text");
    values.iter().map(text).collect()
}

/// All packages that the program is built with where this one is, by name.
fn built_with(metadata: &Value, package: &str) -> BTreeSet<String> {
    let names: BTreeMap<&str, &str> = {
        let packages = &metadata["packages"];
        let ids = texts(packages, "id").into_iter();
        ids.zip(texts(packages, "name")).collect()
    };
    let nodes = metadata["resolve"]["nodes"].as_array().expect("a graph");
    let needs = |id: &str| -> Vec<&str> {
        let node = nodes.iter().find(|node| node["id"] == id).expect("a node");
        let needed = node["deps"].as_array().expect("a list").iter();
        let is_built_in = |needed: &&Value| {
            let kinds = needed["dep_kinds"].as_array().expect("a list");
            kinds.iter().any(|kind| kind["kind"] != "dev")
        };
        let needed = needed.filter(is_built_in);
        needed
            .map(|needed| needed["pkg"].as_str().expect("an id"))
            .collect()
    };
    let mut left: Vec<&str> = names
        .iter()
        .filter(|(_, name)| **name == package)
        .map(|(id, _)| *id)
        .collect();
    assert_eq!(left.len(), 1, "{package}");
    let mut found = BTreeSet::new();
    while let Some(id) = left.pop() {
        if found.insert(id) {
            left.extend(needs(id));
        }
    }
    found.into_iter().map(|id| names[id].to_owned()).collect()
}

#[test]
fn texts_figures_and_scores_are_built_without_a_network() {
    let metadata = metadata();
    for package in WITHOUT_NETWORK {
        let all = built_with(&metadata, package);
        let heavy: Vec<&String> = all
            .iter()
            .filter(|name| {
                ["burn", "cubecl", "wgpu", "egui"]
                    .iter()
                    .any(|it| name.starts_with(it))
            })
            .collect();
        assert!(heavy.is_empty(), "{package} is built with {heavy:?}");
    }
    assert!(built_with(&metadata, "canopy-nn").contains("burn"));
}

#[test]
fn the_page_shows_all_wings_from_the_ground_up() {
    let page = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("a page");
    let (_, section) = page.split_once("\n## Wings\n").expect("a section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let rows: Vec<String> = rows.map(|name| format!("canopy-{name}")).collect();
    let metadata = metadata();
    let members = texts(&metadata["packages"], "name");
    let own = members.iter().filter(|name| name.starts_with("canopy-"));
    let own: BTreeSet<String> = own.map(|&name| name.to_owned()).collect();
    assert_eq!(rows.iter().cloned().collect::<BTreeSet<_>>(), own);
    for (number, row) in rows.iter().enumerate() {
        let all = built_with(&metadata, row);
        let above = rows[number + 1..].iter().find(|other| all.contains(*other));
        assert_eq!(above, None, "{row} uses a wing above it");
    }
}
