//! The context that was chosen for each sentence of a corpus: a file that training reads.
//!
//! Lines of JSON: first what it is, then one for each document, in the order of the corpus.
//! ```json
//! {"format": "canopy-contexts", "version": 1, "corpus": "help-en-de", "corpus_digest": "9f…", "context": "similarity",
//!  "measure": "cosine", "range": "all", "encoder": "all-MiniLM-L6-v2", "index": "help-en-de", "top": 1}
//! {"split": "dev", "id": "swriter/guide/print_preview.html",
//!  "sentences": [[{"sentence": 4, "score": 0.71}], [{"document": "a.html", "sentence": 0, "score": 0.64}], []]}
//! ```
//! - `sentences`: for each unit of the document, the best first; none where there was no candidate.
//! - `document`: where the sentence is, if not in the same document: in the same split, or with `in_index` in the
//!   training documents of the index.
//! - `sentence`: the number of the unit in its document, counted from 0.
//! - `score`: the value of the measure, in its own unit; missing where none was computed.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::split::Split;
use crate::error::{Error, Result};
use canopy_base::file::write_atomically;
use canopy_base::lines::utf8;

const FORMAT: &str = "canopy-contexts";
const VERSION: u32 = 1;

/// How contexts were chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextsInfo {
    /// Name and digest of the corpus, see [`Corpus::digest`](super::Corpus::digest).
    pub corpus: String,
    /// Digest of the corpus.
    pub corpus_digest: String,
    /// `similarity`, `previous` or `same`.
    pub context: String,
    /// Measure of similarity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<String>,
    /// Where similar sentences were looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// Name of the sentence encoder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<String>,
    /// Digest of the encoder's weights and vocabulary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder_digest: Option<String>,
    /// The folder of the encoder when contexts were chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder_folder: Option<PathBuf>,
    /// Name of the corpus whose training documents were candidates too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// How many each sentence could get.
    pub top: usize,
}

impl ContextsInfo {
    /// The choice in words, such as `similarity, cosine, all, all-MiniLM-L6-v2`.
    pub fn choice(&self) -> String {
        let parts = [
            Some(&self.context),
            self.measure.as_ref(),
            self.range.as_ref(),
        ];
        let parts = parts.into_iter().flatten().chain(&self.encoder);
        parts.map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

/// The contexts of a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentContexts {
    /// The split of the document.
    pub split: Split,
    /// Id of the document.
    pub id: String,
    /// For each unit, the best first.
    pub sentences: Vec<Vec<Chosen>>,
}

/// A sentence that was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// None: the same document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Whether the document is one of the index, not of the corpus.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_index: bool,
    /// Number of the sentence in its document, from 0.
    pub sentence: usize,
    /// Similarity to the sentence that it is the context of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    format: String,
    version: u32,
    #[serde(flatten)]
    info: ContextsInfo,
}

/// Writes a file of contexts: completely, or not at all.
///
/// # Errors
/// If it exists and `overwrite` is false, or cannot be written.
pub fn write_contexts(
    path: &Path,
    info: &ContextsInfo,
    documents: &[DocumentContexts],
    overwrite: bool,
) -> Result<()> {
    let head = Head {
        format: FORMAT.to_owned(),
        version: VERSION,
        info: info.clone(),
    };
    let mut text = serde_json::to_string(&head).expect("plain data becomes JSON");
    for document in documents {
        text.push('\n');
        text += &serde_json::to_string(document).expect("plain data becomes JSON");
    }
    text.push('\n');
    Ok(write_atomically(path, text.as_bytes(), overwrite)?)
}

/// Reads a file of contexts.
///
/// # Errors
/// If it cannot be read, is of another format or version, or names a sentence that a document of its has not.
pub fn read_contexts(path: &Path) -> Result<(ContextsInfo, Vec<DocumentContexts>)> {
    let text = utf8(path, std::fs::read(path).map_err(Error::read(path))?)?;
    let refuse = |problem: String, line| Error::Contexts {
        problem,
        line,
        path: path.to_owned(),
    };
    let mut lines = text.lines().zip(1..);
    let (first, _) = lines.next().unwrap_or_default();
    let head: Head = serde_json::from_str(first)
        .map_err(|cause| refuse(format!("no file of contexts: {cause}"), 1))?;
    if head.format != FORMAT {
        let problem = format!("the format is {:?}, not {FORMAT:?}", head.format);
        return Err(refuse(problem, 1));
    }
    if head.version != VERSION {
        let found = head.version;
        let problem = format!("format version {found}, this program reads {VERSION}");
        return Err(refuse(problem, 1));
    }
    let documents = lines.map(|(text, line)| {
        let document: DocumentContexts = serde_json::from_str(text)
            .map_err(|cause| refuse(format!("no document: {cause}"), line))?;
        let length = document.sentences.len();
        let own = document.sentences.iter().flatten();
        let mut own = own.filter(|chosen| chosen.document.is_none());
        match own.find(|chosen| chosen.sentence >= length) {
            Some(chosen) => {
                let number = chosen.sentence;
                let problem = format!("sentence {number} of a document of {length} is chosen");
                Err(refuse(problem, line))
            }
            None => Ok(document),
        }
    });
    Ok((head.info, documents.collect::<Result<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(chosen: usize) -> DocumentContexts {
        let near = Chosen {
            document: None,
            in_index: false,
            sentence: chosen,
            score: Some(0.25),
        };
        let far = Chosen {
            document: Some("b.html".to_owned()),
            in_index: true,
            sentence: 70,
            score: None,
        };
        DocumentContexts {
            split: Split::Dev,
            id: "a.html".to_owned(),
            sentences: vec![vec![near, far], Vec::new()],
        }
    }

    #[test]
    fn contexts_come_back_and_are_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("contexts.jsonl");
        let info = ContextsInfo {
            corpus: "help".to_owned(),
            context: "same".to_owned(),
            top: 2,
            ..ContextsInfo::default()
        };
        let documents = [document(1)];
        write_contexts(&path, &info, &documents, false).expect("written");
        let (read_info, read) = read_contexts(&path).expect("read");
        assert_eq!((read_info, read.as_slice()), (info.clone(), &documents[..]));
        assert!(write_contexts(&path, &info, &documents, false).is_err());
    }

    #[test]
    fn damage_is_reported_with_its_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("contexts.jsonl");
        let info = ContextsInfo::default();
        write_contexts(&path, &info, &[document(0), document(2)], false).expect("written");
        let text = read_contexts(&path).expect_err("no sentence 2").to_string();
        assert!(
            text.contains("line 3") && text.contains("sentence 2"),
            "{text}"
        );
        for wrong in [
            "",
            "{}",
            "{\"format\": \"canopy-corpus\", \"version\": 1, \"top\": 1}",
        ] {
            std::fs::write(&path, wrong).expect("written");
            let text = read_contexts(&path).expect_err("damaged").to_string();
            assert!(text.contains("line 1"), "{text}");
        }
        std::fs::write(&path, b"{}\n\xFF").expect("written");
        let message = read_contexts(&path).expect_err("no text");
        assert!(
            matches!(
                message,
                Error::Base(crate::error::BaseError::NotUtf8 { line: 2, .. })
            ),
            "{message}"
        );
    }
}
