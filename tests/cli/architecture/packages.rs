//! Packages offer Canopy for every format of documents and name what they contain.

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

/// The metadata for software centres name the version that is built, so that updates are offered.
#[test]
fn the_newest_release_of_the_metadata_is_this_version() {
    let file = repository().join("assets/desktop/canopy.metainfo.xml");
    let text = std::fs::read_to_string(file).expect("a file");
    let newest = text.split("<release version=\"").nth(1);
    let version = newest.and_then(|text| text.split('"').next());
    assert_eq!(version, Some(env!("CARGO_PKG_VERSION")));
}

/// The .rpm owns no folders: its script removes those of models and of folders within them, and none that are deeper.
#[test]
fn the_rpm_removes_the_folders_of_all_models() {
    let models = repository().join("assets/models");
    let manifest = std::fs::read_to_string(repository().join("Cargo.toml")).expect("the manifest");
    assert!(manifest.contains("rmdir /usr/share/canopy/models/*/* /usr/share/canopy/models/* "));
    let mut folders = vec![models.clone()];
    while let Some(folder) = folders.pop() {
        let inner = folder.strip_prefix(&models).expect("below the models");
        assert!(inner.components().count() <= 2, "{}", inner.display());
        let entries = std::fs::read_dir(&folder).expect("a folder");
        let entries = entries.map(|entry| entry.expect("an entry").path());
        folders.extend(entries.filter(|path| path.is_dir()));
    }
}
