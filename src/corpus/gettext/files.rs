//! Which PO and MO files there are, of which language, and what their catalogues are called.

use std::path::Path;

use crate::error::Result;
use crate::languages::{is_code, is_same_language};
use crate::survey::Script;
use canopy_base::file::has_ending;
use canopy_base::folder::files_below;

/// A PO file, or an MO file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PoFile {
    /// Below the folder.
    pub path: String,
    /// The name without the language.
    pub catalogue: String,
    /// The language that its path names.
    language: Option<String>,
}

/// The catalogues below a folder, in order; `languages` are those that may be at the end of a name.
///
/// # Errors
/// If a folder cannot be read.
pub(super) fn po_files(folder: &Path, languages: (&str, &str)) -> Result<Vec<PoFile>> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let files = catalogues(folder)?.into_iter();
    Ok(files
        .map(|path| PoFile::new(path, &name, languages))
        .collect())
}

/// The paths below a folder, with `/`, of its PO files, and of the MO files that were not compiled from a PO file in the
/// same folder, in order.
///
/// # Errors
/// If a folder cannot be read.
pub fn catalogues(folder: &Path) -> Result<Vec<String>> {
    let is_own = |path: &Path| !is_compiled(path) || !path.with_extension("po").exists();
    Ok(files_below(
        folder,
        |_| false,
        |path| is_catalogue(path) && is_own(path),
    )?)
}

/// Whether the name is that of a PO file or of an MO file.
pub fn is_catalogue(path: &Path) -> bool {
    has_ending(path, "po") || is_compiled(path)
}

/// Whether the name is that of an MO file.
pub(super) fn is_compiled(path: &Path) -> bool {
    has_ending(path, "mo")
}

impl PoFile {
    /// Names are such as `campaign/de.po`, `de/campaign.po`, `de/LC_MESSAGES/campaign.po` and `campaign.de.po`.
    fn new(path: String, folder: &str, (from, to): (&str, &str)) -> Self {
        let is_of_pair = |name: &str| is_code(name, from) || is_code(name, to);
        let is_language = |name: &str| is_of_pair(name) || is_other_language(name);
        let (stem, _) = path.rsplit_once('.').unwrap_or((&path, ""));
        let (above, name) = stem.rsplit_once('/').unwrap_or(("", stem));
        let above: Vec<&str> = above.split('/').filter(|part| !part.is_empty()).collect();
        let of_folder = above.iter().rev().find(|part| is_language(part));
        let of_name = name.rsplit_once(['.', '_', '-']);
        let of_name = of_name.filter(|(rest, last)| !rest.is_empty() && is_of_pair(last));
        let (catalogue, language) = if is_language(name) {
            let names_language =
                |part: &&&str| !is_language(part) && !matches!(**part, "po" | "LC_MESSAGES");
            let own = above.iter().rev().find(names_language);
            (own.map_or(folder, |own| own), Some(name))
        } else if let Some((rest, last)) = of_name {
            (rest, Some(last))
        } else {
            (name, of_folder.copied())
        };
        Self {
            catalogue: catalogue.to_owned(),
            language: language.map(str::to_owned),
            path,
        }
    }

    /// Whether the messages are in the target language, and the translations in the source language; none if they are in
    /// another language. The header knows better than the path, and of a file without either its language is not known.
    pub(super) fn reversed(&self, header: &str, (from, to): (&str, &str)) -> Option<bool> {
        let language = Some(header).filter(|header| !header.is_empty());
        let language = language.or(self.language.as_deref());
        match language {
            // A single file without a word of its language is the one that was meant.
            None => Some(false),
            Some(language) if is_same_language(language, to) => Some(false),
            Some(language) if is_same_language(language, from) => Some(true),
            Some(_) => None,
        }
    }
}

/// Whether a name as a whole is the code of a language, such as `fr` or `pt_BR`.
fn is_other_language(name: &str) -> bool {
    Script::from_language(name).is_some() && is_code(name, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catalogues_are_called_as_their_files_or_folders() {
        for (path, catalogue, language) in [
            ("po/wesnoth-did/de.po", "wesnoth-did", Some("de")),
            ("de/LC_MESSAGES/app.po", "app", Some("de")),
            ("po/pt_BR/app.po", "app", Some("pt_BR")),
            ("manual.de.po", "manual", Some("de")),
            ("po/de.po", "stories", Some("de")),
            ("fr.po", "stories", Some("fr")),
            ("messages.po", "messages", None),
            ("help-is.po", "help-is", None),
            ("share/locale/de/LC_MESSAGES/app.mo", "app", Some("de")),
        ] {
            let file = PoFile::new(path.to_owned(), "stories", ("en", "de"));
            assert_eq!(
                (file.catalogue.as_str(), file.language.as_deref()),
                (catalogue, language),
                "{path}"
            );
        }
    }

    #[test]
    fn the_header_says_which_side_is_which() {
        let file = |path: &str| PoFile::new(path.to_owned(), "x", ("en", "de"));
        let german = file("po/de.po");
        assert_eq!(german.reversed("", ("en", "de")), Some(false));
        assert_eq!(german.reversed("de_DE", ("en", "de")), Some(false));
        assert_eq!(german.reversed("de", ("de", "en")), Some(true));
        assert_eq!(german.reversed("fr", ("en", "de")), None);
        assert_eq!(file("fr.po").reversed("", ("en", "de")), None);
        assert_eq!(file("messages.po").reversed("", ("en", "de")), Some(false));
    }
}
