//! Spelling, by Hunspell dictionaries on the system.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use encoding_rs::Encoding;
use spellbook::Dictionary;

use super::Problem;
use crate::error::{Error, Result};
use crate::terms::words;
use canopy_document::placeholder;

/// Folders below which programs and packages put dictionaries.
const FOLDERS: &[&str] = &[
    "/usr/share/hunspell",
    "/usr/share/myspell/dicts",
    "/usr/share/myspell",
    "/usr/local/share/hunspell",
    "/opt/homebrew/share/hunspell",
    "/Library/Spelling",
    "/usr/lib/libreoffice/share/extensions",
    "/Applications/LibreOffice.app/Contents/Resources/extensions",
    "C:\\Program Files\\LibreOffice\\share\\extensions",
];

/// Dictionary folders below the home folder.
const HOME_FOLDERS: &[&str] = &["Library/Spelling", ".local/share/hunspell", ".hunspell"];

/// Letters of the shortest word that is looked up.
const LEAST: usize = 3;

/// Words that a finding names.
const NAMED: usize = 5;

/// The words of a language.
pub struct Spelling {
    dictionary: Dictionary,
    path: PathBuf,
}

impl std::fmt::Debug for Spelling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Spelling")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// Words of a dictionary after how many there are: the number at its beginning is no more than a promise, for which space
/// would be set aside.
fn counted(words: &str) -> Cow<'_, str> {
    let (first, rest) = words.split_once('\n').unwrap_or((words, ""));
    let promised = first.split_whitespace().next().map(str::parse::<usize>);
    let lines = rest.lines().count();
    match promised {
        Some(Ok(promised)) if promised > lines => format!("{lines}\n{rest}").into(),
        _ => words.into(),
    }
}

impl Spelling {
    /// The dictionary of a language, such as `de` or `de-AT`, that the system has.
    ///
    /// # Errors
    /// If it has none, or what it has cannot be read.
    pub fn installed(language: &str) -> Result<Self> {
        Self::installed_or_in(language, None)
    }

    /// Opens a dictionary of the system, where a person's own folder has none of the language.
    ///
    /// # Errors
    /// If there is no dictionary of the language, or it cannot be read.
    pub fn installed_or_in(language: &str, own: Option<&Path>) -> Result<Self> {
        if let Some(path) = own.and_then(|own| best_in([own.to_owned()].into_iter(), language)) {
            return Self::open(&path);
        }
        let home = std::env::home_dir();
        let of_home = home
            .iter()
            .flat_map(|home| HOME_FOLDERS.iter().map(|folder| home.join(folder)));
        let folders = FOLDERS.iter().map(PathBuf::from).chain(of_home);
        match best_in(folders, language) {
            Some(path) => Self::open(&path),
            None => Err(Error::NoDictionary {
                language: language.to_owned(),
            }),
        }
    }

    /// Reads a `.dic` file and the `.aff` file next to it.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub fn open(path: &Path) -> Result<Self> {
        let aff_path = path.with_extension("aff");
        let aff = std::fs::read(&aff_path).map_err(Error::read(&aff_path))?;
        let dic = std::fs::read(path).map_err(Error::read(path))?;
        let encoding = encoding_of(&aff);
        let [aff, dic] = [aff, dic].map(|bytes| encoding.decode(&bytes).0.into_owned());
        let dictionary =
            Dictionary::new(&aff, &counted(&dic)).map_err(|cause| Error::Dictionary {
                reason: cause.to_string(),
                path: path.to_owned(),
            })?;
        Ok(Self {
            dictionary,
            path: path.to_owned(),
        })
    }

    /// Whether a word is spelt right.
    pub fn is_right(&self, word: &str) -> bool {
        // A capital letter at the beginning of a sentence makes no other word.
        self.dictionary.check(word) || self.dictionary.check(&word.replace('’', "'"))
    }

    /// Words of the target that are no words of its language, nor of the source.
    pub(super) fn problem(&self, source: &str, target: &str) -> Option<Problem> {
        let source = placeholder::stripped(source);
        let known: HashSet<String> = words(&source)
            .iter()
            .map(|it| it.text.to_lowercase())
            .collect();
        let target = placeholder::stripped(target);
        let mut wrong: Vec<&str> = Vec::new();
        for (number, word) in words(&target).iter().enumerate() {
            let text = word.text;
            let letters = text.chars().filter(|c| c.is_alphabetic()).count();
            let is_word = text.chars().all(|c| c.is_alphabetic() || "'’".contains(c))
                && letters >= LEAST
                // Names of keys and functions, and what is written as one, such as iPhone.
                && !text.chars().skip(1).any(char::is_uppercase)
                && !is_joined(&target, word.range.start, word.range.end);
            let is_open =
                is_word && !known.contains(&text.to_lowercase()) && !wrong.contains(&text);
            if is_open
                && !self.is_right(text)
                && (number > 0 || !self.is_right(&text.to_lowercase()))
            {
                wrong.push(text);
            }
        }
        if wrong.is_empty() {
            return None;
        }
        wrong.truncate(NAMED);
        Some((format!("not in the dictionary: {}", wrong.join(", ")), None))
    }
}

/// Whether signs join a word to others, as in addresses, paths, file names and halves of compounds.
fn is_joined(text: &str, start: usize, end: usize) -> bool {
    let joins = |c: char| c.is_ascii_digit() || "./\\_@:=-‐&~#+".contains(c);
    let before = text[..start].chars().next_back();
    let mut after = text[end..].chars();
    let next = after.next();
    // A stop or colon ends a sentence as well.
    let goes_on = after.next().is_some_and(char::is_alphanumeric);
    before.is_some_and(joins)
        || next.is_some_and(|c| if ".:".contains(c) { goes_on } else { joins(c) })
}

/// The dictionary of a language below these folders.
fn best_in(folders: impl Iterator<Item = PathBuf>, language: &str) -> Option<PathBuf> {
    let found = folders.flat_map(|folder| dictionaries(&folder, 0));
    let found = found.filter(|path| fits(path, language));
    // The requested country, else the language's own: de_DE before de_AT.
    found.min_by_key(|path| (rank(path, language), path.clone()))
}

/// The `.dic` files with an `.aff` file next to them, in a folder and two levels below it.
fn dictionaries(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if depth < 2 && path.is_dir() {
            found.extend(dictionaries(&path, depth + 1));
        } else if path.extension() == Some(OsStr::new("dic"))
            && path.with_extension("aff").is_file()
        {
            found.push(path);
        }
    }
    found
}

/// Language and country of a dictionary's name, such as `de_DE` or `de_DE_frami`.
fn name_of(path: &Path) -> (String, Option<String>) {
    let stem = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    let mut parts = stem.split(['_', '-']).map(str::to_owned);
    (parts.next().unwrap_or_default(), parts.next())
}

fn fits(path: &Path, language: &str) -> bool {
    // Patterns of hyphenation and thesauri have such endings, too.
    let (own, _) = name_of(path);
    language.to_lowercase().split(['-', '_']).next() == Some(own.as_str())
}

fn rank(path: &Path, language: &str) -> u8 {
    let (own, country) = name_of(path);
    let requested = language.to_lowercase();
    let requested = requested.split(['-', '_']).nth(1).map(str::to_owned);
    let usual = match own.as_str() {
        "en" => "us",
        "pt" => "pt",
        "sv" => "se",
        "da" => "dk",
        other => other,
    };
    match (requested, country) {
        (requested, country) if requested.is_some() && requested == country => 0,
        (_, None) => 1,
        (_, Some(country)) if country == usual => 2,
        _ => 3,
    }
}

/// The encoding that the `.aff` file declares for itself and its dictionary.
fn encoding_of(aff: &[u8]) -> &'static Encoding {
    let text = String::from_utf8_lossy(aff);
    let name = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("SET "));
    let name = name.map(|name| name.trim().replace("microsoft-cp", "windows-"));
    name.and_then(|name| Encoding::for_label(name.as_bytes()))
        .unwrap_or(encoding_rs::UTF_8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelling() -> Spelling {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).expect("written");
            path
        };
        // 0xE4 is ä in ISO 8859-1.
        write("de_DE.aff", b"SET ISO8859-1\nSFX N Y 1\nSFX N 0 n .\n");
        let words = b"4\nDatei\nZelle/N\nh\xE4lt\nist\n";
        Spelling::open(&write("de_DE.dic", words)).expect("a dictionary")
    }

    #[test]
    fn unknown_words_are_named_and_names_are_none() {
        let spelling = spelling();
        let wrong = |source: &str, target: &str| spelling.problem(source, target).map(|it| it.0);
        assert_eq!(wrong("", "Ist Datei hält Zellen"), None);
        assert_eq!(wrong("Open Writer", "Ist Writer DATEI iPhone"), None);
        assert_eq!(wrong("", "www.datai.org ist a/xyzzy"), None);
        assert_eq!(
            wrong("", "Datai ist Zelen. Datai").as_deref(),
            Some("not in the dictionary: Datai, Zelen")
        );
    }

    #[test]
    fn the_requested_country_comes_first() {
        let rank = |name: &str, language: &str| rank(Path::new(name), language);
        assert!(rank("de_DE_frami.dic", "de") < rank("de_AT.dic", "de"));
        assert!(rank("de_AT.dic", "de-AT") < rank("de_DE.dic", "de-AT"));
        assert!(fits(Path::new("en_GB.dic"), "en") && !fits(Path::new("hyph_en.dic"), "en"));
        assert!(Spelling::installed("zzz").is_err());
    }
}
