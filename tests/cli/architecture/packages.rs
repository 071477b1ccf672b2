//! Packages offer Canopy for every format of documents.

use std::collections::BTreeSet;

use canopy::text::document::Format;

use crate::architecture::repository;

/// Texts between `before` and `after` of the lines of a file that consist of nothing else.
fn listed(file: &str, before: &str, after: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(repository().join(file)).expect("a file");
    let found = text.lines().filter_map(|line| {
        let inner = line.strip_prefix(before)?.strip_suffix(after)?;
        Some(inner.to_owned())
    });
    found.collect()
}

#[test]
fn packages_for_windows_and_macos_open_every_format() {
    let endings = Format::ALL.iter().flat_map(|format| format.endings());
    let endings: BTreeSet<String> = endings.map(|&ending| ending.to_owned()).collect();
    let installer = listed(
        "packaging/windows/canopy.nsi",
        "  !insertmacro ${DO} \"",
        "\"",
    );
    assert_eq!(installer, endings);
    let bundle = listed(
        "packaging/macos/Info.plist",
        "                <string>",
        "</string>",
    );
    assert_eq!(bundle, endings);
}
