//! Which file of one folder is the translation of which of another.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::languages::{is_code, without_language};
use canopy_base::file::canonicalize;
use canopy_base::folder::files_below;
use canopy_document::document::Format;

/// A folder and the language of the documents that are looked for in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side<'a> {
    pub folder: &'a Path,
    pub language: &'a str,
}

/// Paths below the folders, with `/` between their parts, sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pairs {
    pub paired: Vec<(String, String)>,
    pub unpaired_sources: Vec<String>,
    pub unpaired_targets: Vec<String>,
}

type Key<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Pairs the documents of two folders, which may be the same one.
///
/// By their paths, then by these without extension, then without the languages they name. In a common folder at least
/// one of a pair must name its language.
///
/// # Errors
/// If a folder cannot be read.
pub(super) fn pairs(source: Side, target: Side) -> Result<Pairs> {
    let is_common = real(source.folder)? == real(target.folder)?;
    let mut found = Pairs {
        paired: Vec::new(),
        unpaired_sources: documents(source.folder)?,
        unpaired_targets: documents(target.folder)?,
    };
    let our_key = |path: &str| Some(bare(path, source.language));
    let their_key = |path: &str| Some(bare(path, target.language));
    let our_named = |path: &str| names(path, source.language).then(|| bare(path, source.language));
    let their_named =
        |path: &str| names(path, target.language).then(|| bare(path, target.language));
    if is_common {
        found
            .unpaired_sources
            .retain(|path| !names(path, target.language));
        found
            .unpaired_targets
            .retain(|path| !names(path, source.language));
        found.pair_by(&our_named, &their_named);
        found.pair_by(&our_key, &their_named);
        found.pair_by(&our_named, &their_key);
        let ours: HashSet<&String> = found.unpaired_sources.iter().collect();
        found.unpaired_targets.retain(|path| !ours.contains(path));
    } else {
        let whole = |path: &str| Some(path.to_owned());
        let stem = |path: &str| Some(without_extension(path).to_owned());
        found.pair_by(&whole, &whole);
        found.pair_by(&stem, &stem);
        found.pair_by(&our_key, &their_key);
    }
    found.paired.sort_unstable();
    Ok(found)
}

impl Pairs {
    /// Pairs what has the same key; the first of several.
    fn pair_by(&mut self, our_key: Key, their_key: Key) {
        let mut waiting = HashMap::new();
        for path in &self.unpaired_targets {
            if let Some(key) = their_key(path) {
                waiting.entry(key).or_insert(path);
            }
        }
        let mut new = Vec::new();
        for path in &self.unpaired_sources {
            if let Some(other) = our_key(path).and_then(|key| waiting.remove(&key)) {
                new.push((path.clone(), other.clone()));
            }
        }
        // In a common folder both lists may hold the same file.
        let taken: HashSet<&String> = new
            .iter()
            .flat_map(|(ours, theirs)| [ours, theirs])
            .collect();
        self.unpaired_sources.retain(|path| !taken.contains(path));
        self.unpaired_targets.retain(|path| !taken.contains(path));
        self.paired.extend(new);
    }
}

fn real(folder: &Path) -> Result<PathBuf> {
    canonicalize(folder).map_err(Error::read(folder))
}

/// The paths of all documents below `folder`, sorted; hidden files and folders are left out.
fn documents(folder: &Path) -> Result<Vec<String>> {
    Ok(files_below(
        folder,
        |name| name.starts_with('.'),
        is_document,
    )?)
}

/// Everything else in a folder is left alone. Whether XML holds strings or a manual follows from its content.
fn is_document(path: &Path) -> bool {
    let named = Format::from_path(path).filter(|_| path.extension().is_some());
    let format = match named {
        Some(format) if format.is_strings() => beginning(path)
            .ok()
            .and_then(|bytes| Format::from_content(path, &bytes)),
        _ => named,
    };
    format.is_some_and(|format| !format.is_bilingual() && !format.is_strings())
}

/// Number of bytes that show what a file is.
fn beginning(path: &Path) -> std::io::Result<Vec<u8>> {
    const LENGTH: u64 = 1 << 16;
    let mut bytes = Vec::new();
    File::open(path)?.take(LENGTH).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn without_extension(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
}

/// Whether the file or a folder on its path says that this is its language.
fn names(path: &str, language: &str) -> bool {
    bare(path, language) != without_extension(path)
}

/// The path without extension and without what names the language: `guide/page` of `guide/en/page.en.html`.
pub(super) fn bare(path: &str, language: &str) -> String {
    let stem = without_extension(path);
    let (folders, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    let folders = folders
        .split('/')
        .filter(|folder| !folder.is_empty() && !is_code(folder, language));
    let name = without_language(name, language).unwrap_or(name);
    folders.chain([name]).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for name in names {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("makes folders");
            std::fs::write(path, "Text.").expect("writes");
        }
        folder
    }

    fn paired(source: &Path, target: &Path) -> Pairs {
        let side = |folder, language| Side { folder, language };
        pairs(side(source, "en"), side(target, "de")).expect("reads")
    }

    fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|&(ours, theirs)| (ours.to_owned(), theirs.to_owned()))
            .collect()
    }

    #[test]
    fn paths_are_paired_with_and_without_extension_and_language() {
        let ours = folder(&[
            "a.html",
            "b.txt",
            "c/d_en.html",
            "e/en/f.en-US.md",
            "g.md",
            ".h/a.md",
            "i.css",
        ]);
        let theirs = folder(&[
            "a.html",
            "a.md",
            "b.md",
            "c/d_de.html",
            "e/de/f.de.md",
            "j.md",
        ]);
        let found = paired(ours.path(), theirs.path());
        let expected = [
            ("a.html", "a.html"),
            ("b.txt", "b.md"),
            ("c/d_en.html", "c/d_de.html"),
            ("e/en/f.en-US.md", "e/de/f.de.md"),
        ];
        assert_eq!(found.paired, owned(&expected));
        assert_eq!(found.unpaired_sources, ["g.md"]);
        assert_eq!(found.unpaired_targets, ["a.md", "j.md"]);
    }

    #[test]
    fn xml_is_a_document_if_it_is_a_manual() {
        let both = folder(&["en/a.xml", "en/b.xml", "de/a.xml", "de/b.xml"]);
        for (name, text) in [
            ("a.xml", "<chapter><title>A</title><para>B</para></chapter>"),
            (
                "b.xml",
                "<resources><string name=\"a\">B</string></resources>",
            ),
        ] {
            for language in ["en", "de"] {
                std::fs::write(both.path().join(language).join(name), text).expect("writes");
            }
        }
        let found = paired(&both.path().join("en"), &both.path().join("de"));
        assert_eq!(found.paired, owned(&[("a.xml", "a.xml")]));
    }

    #[test]
    fn one_folder_may_hold_both_languages() {
        let both = folder(&[
            "a.en.md", "a.de.md", "b.md", "b.de.md", "c_en.txt", "c.txt", "d.md", "de/e.md",
        ]);
        let found = paired(both.path(), both.path());
        let expected = [
            ("a.en.md", "a.de.md"),
            ("b.md", "b.de.md"),
            ("c_en.txt", "c.txt"),
        ];
        assert_eq!(found.paired, owned(&expected));
        assert_eq!(found.unpaired_targets, ["de/e.md"]);
        assert!(found.unpaired_sources.contains(&"d.md".to_owned()));
    }
}
