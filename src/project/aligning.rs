//! Alignments of a document with its translation: how they are kept, and what is written of them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::project::hex;
use crate::error::{Error, Result};
use canopy_corpus::{AlignedPair, AlignmentRow, AlignmentTable, Column};
use canopy_document::document::{Document, ReadingOptions};
use canopy_document::export::{Languages, tmx_of_pairs};
use canopy_translate::inference::{detected_language, read_in_its_language};

/// Two documents with their rows.
#[derive(Debug)]
pub struct Alignment {
    /// Path of the source document.
    pub source: PathBuf,
    /// Path of the target document.
    pub target: PathBuf,
    /// Codes; empty where the text does not show the language.
    pub languages: Languages,
    /// The rows.
    pub table: AlignmentTable,
    /// Where it is kept.
    pub file: Option<PathBuf>,
    /// Whether it was begun before.
    pub is_restored: bool,
}

impl Alignment {
    /// Reads and aligns two documents, or takes up what was made of the same texts before; alignments are kept in the
    /// folder `kept`.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn open(source: PathBuf, target: PathBuf, kept: Option<PathBuf>) -> Result<Self> {
        let read = |path: &Path| {
            let options = ReadingOptions::default();
            read_in_its_language(&options, |it| Document::open_with(path, None, it)).map(Arc::new)
        };
        let (ours, theirs) = (read(&source)?, read(&target)?);
        let file = kept.map(|folder| folder.join(file_name(&ours, &theirs)));
        let saved = file.as_ref().and_then(|file| SavedAlignment::read(file));
        let restored = saved.and_then(|saved| {
            let table = AlignmentTable::with_rows(ours.clone(), theirs.clone(), saved.rows)?;
            Some((table, saved.languages))
        });
        let is_restored = restored.is_some();
        let (table, languages) = restored.unwrap_or_else(|| {
            let code = |document: &Document| {
                detected_language(document).map_or(String::new(), |found| found.code)
            };
            let languages = Languages {
                source: code(&ours),
                target: code(&theirs),
            };
            (AlignmentTable::align(ours, theirs), languages)
        });
        Ok(Self {
            source,
            target,
            languages,
            table,
            file,
            is_restored,
        })
    }

    /// The contents of the file in which it is kept.
    ///
    /// # Panics
    /// Never: rows are numbers.
    pub fn to_bytes(&self) -> Vec<u8> {
        let saved = SavedAlignment {
            format: FORMAT.to_owned(),
            source: self.source.clone(),
            target: self.target.clone(),
            languages: self.languages.clone(),
            rows: self.table.rows().to_vec(),
        };
        serde_json::to_vec(&saved).expect("rows are numbers")
    }
}

const FORMAT: &str = "canopy-alignment";

/// An alignment as it is kept between sessions.
#[derive(Debug, Serialize, Deserialize)]
struct SavedAlignment {
    format: String,
    source: PathBuf,
    target: PathBuf,
    languages: Languages,
    rows: Vec<AlignmentRow>,
}

impl SavedAlignment {
    /// None if there is none, or it cannot be read: then the documents are aligned anew.
    fn read(path: &Path) -> Option<Self> {
        let saved: Self = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        (saved.format == FORMAT).then_some(saved)
    }
}

/// Named by the texts, so that it is found wherever the files are, and not for other files.
fn file_name(source: &Document, target: &Document) -> String {
    let mut texts = Vec::new();
    for document in [source, target] {
        for sentence in &document.sentences {
            texts.extend_from_slice(sentence.text.as_bytes());
            texts.push(0);
        }
        texts.push(1);
    }
    format!("{}.json", hex(&texts))
}

/// How pairs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlignmentFormat {
    /// A translation memory in TMX 1.4.
    Tmx,
    /// A table of two columns.
    Tsv,
    /// Pairs, and the rows that they are made of.
    Json,
}

impl AlignmentFormat {
    /// The one that the ending of a name says.
    ///
    /// # Errors
    /// If it says none.
    pub fn from_path(path: &Path) -> Result<Self> {
        let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "tmx" => Ok(Self::Tmx),
            "tsv" => Ok(Self::Tsv),
            "json" => Ok(Self::Json),
            _ => Err(Error::AlignmentEnding {
                path: path.to_owned(),
            }),
        }
    }
}

/// The stored form of an alignment.
#[derive(Debug)]
pub struct WrittenAlignment {
    /// The contents of the file.
    pub text: String,
    /// Pairs that the file holds.
    pub pairs: usize,
    /// Doubtful pairs that it leaves out.
    pub doubtful: usize,
}

#[derive(Serialize)]
struct AlignmentJson<'a> {
    pairs: &'a [AlignedPair],
    unpaired_source: usize,
    unpaired_target: usize,
    rows: &'a [AlignmentRow],
}

impl WrittenAlignment {
    /// The pairs of a table; doubtful ones only if wanted, but JSON has and marks them all.
    ///
    /// # Panics
    /// Never: pairs are texts and numbers.
    pub fn from_table(
        table: &AlignmentTable,
        languages: &Languages,
        format: AlignmentFormat,
        with_doubtful: bool,
    ) -> Self {
        let keeps_doubtful = with_doubtful || format == AlignmentFormat::Json;
        let (pairs, doubtful): (Vec<AlignedPair>, Vec<AlignedPair>) = table
            .pairs()
            .partition(|pair| keeps_doubtful || !pair.doubtful);
        let texts = pairs
            .iter()
            .map(|pair| (pair.source.as_str(), pair.target.as_str()));
        let text = match format {
            AlignmentFormat::Tmx => {
                tmx_of_pairs(&table.document(Column::Source).name, texts, languages)
            }
            AlignmentFormat::Tsv => {
                let line =
                    |(source, target)| [one_line(source), one_line(target)].join("\t") + "\n";
                texts.map(line).collect()
            }
            AlignmentFormat::Json => {
                let counts = table.counts();
                let json = serde_json::to_string_pretty(&AlignmentJson {
                    pairs: &pairs,
                    unpaired_source: counts.unpaired_source,
                    unpaired_target: counts.unpaired_target,
                    rows: table.rows(),
                });
                json.expect("texts and numbers") + "\n"
            }
        };
        Self {
            text,
            pairs: pairs.len(),
            doubtful: doubtful.len(),
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The rows of an alignment that was written as JSON.
///
/// # Errors
/// If there are none in the file.
pub fn read_rows(path: &Path) -> Result<Vec<AlignmentRow>> {
    #[derive(Deserialize)]
    struct Rows {
        rows: Vec<AlignmentRow>,
    }
    let bytes = std::fs::read(path).map_err(Error::read(path))?;
    let rows = serde_json::from_slice::<Rows>(&bytes).map_err(|cause| Error::AlignmentRows {
        problem: cause.to_string(),
        path: path.to_owned(),
    })?;
    Ok(rows.rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_corpus::{AlignmentEdit, RowState};

    #[test]
    fn corrections_are_found_again_for_the_same_texts_and_not_for_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("written");
            path
        };
        let source = write("a.txt", "Open the window.\n\nClose all of the windows.\n");
        let target = write(
            "a.de.txt",
            "Das Fenster öffnen.\n\nAlle Fenster schließen.\n",
        );
        let open = |source: &Path| {
            let kept = Some(folder.path().join("alignments"));
            Alignment::open(source.to_owned(), target.clone(), kept)
        };
        let mut first = open(&source).expect("aligned");
        assert!(!first.is_restored);
        first.table.edit(0, AlignmentEdit::Join);
        first.languages.target = "de-AT".to_owned();
        let file = first.file.clone().expect("a place");
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(&file, first.to_bytes()).expect("written");
        let moved = folder.path().join("b.txt");
        std::fs::rename(&source, &moved).expect("moved");
        let again = open(&moved).expect("aligned");
        assert!(again.is_restored);
        assert_eq!(again.languages.target, "de-AT");
        assert_eq!(again.table.rows(), first.table.rows());
        assert_eq!(again.table.rows()[0].state, RowState::Right);
        let changed = write("a.txt", "Open the window.\n\nClose it.\n");
        assert!(!open(&changed).expect("aligned").is_restored);
        std::fs::write(&file, "{}").expect("written");
        assert!(!open(&moved).expect("aligned").is_restored);
    }
}
