//! A model that a catalogue lists.

use std::path::PathBuf;

use crate::inference::InstalledModel;
use canopy_corpus::is_same_language;

/// A model that can be downloaded, or that a list names all the same.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CatalogueModel {
    /// The name that `canopy model get` takes, such as `en-pt-tiny`, or OWNER/NAME.
    pub name: String,
    /// Codes of the languages that it translates from.
    pub sources: Vec<String>,
    /// Codes of the languages that it translates to.
    pub targets: Vec<String>,
    /// Whether its languages are only guessed from its name.
    pub is_guessed: bool,
    /// The architecture, such as `tiny`, or the program that the model is for.
    pub kind: String,
    /// Changes with every release: a hash or a version.
    pub release: String,
    /// Bytes of the download or of the unpacked files, whichever the list has.
    pub num_bytes: Option<u64>,
    /// Numbers of its weights.
    pub num_parameters: Option<u64>,
    /// Empty if the list does not have it.
    pub licence: String,
    /// Scores that its publisher states.
    pub scores: Vec<PublishedScore>,
    /// The name of the catalogue.
    pub catalogue: String,
    /// Why it cannot be downloaded.
    pub problem: Option<String>,
    /// A flaw of the list that a person is to know.
    pub doubt: Option<String>,
    /// Files that are downloaded.
    pub files: Vec<CatalogueFile>,
    /// Whether the only file is an archive with the model in it.
    pub is_archive: bool,
}

/// A score from the publisher of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedScore {
    /// Such as `flores200-plus`.
    pub test: String,
    /// Such as `bleu`.
    pub metric: String,
    /// As the publisher writes it.
    pub value: f64,
}

/// A file of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueFile {
    /// Its name once it is unpacked.
    pub name: String,
    /// Where it is.
    pub source: Source,
    /// Whether it is compressed with gzip.
    pub is_gzip: bool,
    /// Once it is unpacked.
    pub num_bytes: Option<u64>,
    /// Once it is unpacked, in hexadecimal digits.
    pub sha256: Option<String>,
}

/// Where a file is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// An address.
    Web(String),
    /// A file of this machine, or a whole model.
    Local(PathBuf),
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Web(address) => f.write_str(address),
            Self::Local(path) => path.display().fmt(f),
        }
    }
}

/// How a listed model relates to installed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Installation {
    /// It is not installed.
    No,
    /// This release of it is installed.
    Yes,
    /// Another release of it is installed.
    Update,
}

impl CatalogueModel {
    /// Its languages for display, such as `en → de`.
    pub fn pair(&self) -> String {
        crate::inference::pair_of_languages(&self.sources, &self.targets)
    }

    /// Whether it translates between these languages, as far as they are named.
    pub fn translates(&self, from: Option<&str>, to: Option<&str>) -> bool {
        let has = |codes: &[String], wanted: Option<&str>| {
            wanted.is_none_or(|wanted| codes.iter().any(|code| is_same_language(code, wanted)))
        };
        has(&self.sources, from) && has(&self.targets, to)
    }

    /// Whether this names it.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Whether it is among the installed models, and of which release.
    pub fn installation(&self, installed: &[InstalledModel]) -> Installation {
        let mut downloads = installed.iter().filter_map(|it| it.download.as_ref());
        let same = downloads.find(|it| it.catalogue == self.catalogue && it.name == self.name);
        match same {
            None => Installation::No,
            Some(same) if same.release == self.release => Installation::Yes,
            Some(_) => Installation::Update,
        }
    }

    /// The name of its folder among the installed models: that of a repository without its owner.
    pub fn folder_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// Whether its name is that of a model, or of one below its owner.
    pub(super) fn has_plain_name(&self) -> bool {
        let (owner, name) = self.name.split_once('/').unwrap_or(("owner", &self.name));
        is_plain_name(owner) && is_plain_name(name)
    }

    /// The scores in one line, such as `flores200-plus: BLEU 46.2`.
    pub fn scores_line(&self) -> String {
        let mut tests: Vec<&str> = Vec::new();
        for score in &self.scores {
            if !tests.contains(&score.test.as_str()) {
                tests.push(&score.test);
            }
        }
        let of = |test: &str| {
            let scores = self.scores.iter().filter(|score| score.test == test);
            let scores: Vec<String> = scores.map(PublishedScore::short).collect();
            format!("{test}: {}", scores.join(", "))
        };
        let lines: Vec<String> = tests.into_iter().map(of).collect();
        lines.join("; ")
    }
}

impl PublishedScore {
    /// Metric and value, such as `BLEU 46.2` and `COMET22 0.880`.
    pub fn short(&self) -> String {
        let metric = match self.metric.as_str() {
            "chrf" => "chrF".to_owned(),
            other => other.to_uppercase(),
        };
        // BLEU counts to 100, COMET to 1.
        let digits = if self.value.abs() < 1.5 { 3 } else { 1 };
        format!("{metric} {:.digits$}", self.value)
    }
}

/// Whether a name can stand for a file or folder below another: one plain part of a path.
pub(super) fn is_plain_name(name: &str) -> bool {
    let is_kept = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '@');
    !name.is_empty() && name.len() <= 120 && !name.starts_with('.') && name.chars().all(is_kept)
}
