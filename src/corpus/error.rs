//! Failures of corpora and translation memories.

#![allow(missing_docs, reason = "the message of a variant describes it")]

use std::path::PathBuf;

pub use canopy_base::error::Error as BaseError;

/// The result of everything here that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason; errors of the crates that are used here are in `Base`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("{path:?}, line {line}: {problem}; import the corpus again")]
    Corpus {
        problem: String,
        line: usize,
        path: PathBuf,
    },
    #[error(
        "{problem} at line {line}; both files need the same number of lines and `<d>` at the same ones: {path:?}"
    )]
    UnequalSides {
        problem: String,
        line: usize,
        path: PathBuf,
    },
    #[error("{path:?}, line {line}: {problem}")]
    Contexts {
        problem: String,
        line: usize,
        path: PathBuf,
    },
    #[error("{path:?}: {problem}; `msgfmt -c` shows what is wrong with a PO file")]
    Gettext { problem: String, path: PathBuf },
    #[error(
        "{path:?}, line {line}: expected a source and a target separated by a tab; the extension gives the format of a memory: .tmx, .po, otherwise a table of two columns"
    )]
    Memory { line: usize, path: PathBuf },
    #[error(
        "this memory has translations from {has}; the model translates from {expected}: {path:?}"
    )]
    MemoryLanguages {
        has: String,
        expected: String,
        path: PathBuf,
    },
    #[error(
        "this corpus has translations from {has}, the first one from {expected}; combine corpora of the same languages: {path:?}"
    )]
    CorpusLanguages {
        has: String,
        expected: String,
        path: PathBuf,
    },
    #[error(
        "another corpus has a folder of the same name, from which the documents get their ids; rename one of them: {path:?}"
    )]
    SameCorpusName { path: PathBuf },
    #[error("{path:?} contains files other than a corpus and is not replaced; name another folder")]
    NoCorpus { path: PathBuf },
    #[error(
        "no page has paragraphs with the same id in both languages: {source_folder:?}, {target_folder:?}"
    )]
    NoPages {
        source_folder: PathBuf,
        target_folder: PathBuf,
    },
    #[error(
        "no document with text exists in both languages; name folders with the same HTML, Markdown or text files, such as guide/page.html in both, or page.en.md and page.de.md: {source_folder:?}, {target_folder:?}"
    )]
    NoDocumentPairs {
        source_folder: PathBuf,
        target_folder: PathBuf,
    },
    #[error("{path:?}, line {line}: {problem}; export the translation memory again as TMX 1.4")]
    Tmx {
        problem: String,
        line: usize,
        path: PathBuf,
    },
    #[error("there is no PO or MO file with messages translated from {from} to {to}: {path:?}")]
    NoCatalogues {
        from: String,
        to: String,
        path: PathBuf,
    },
    #[error("{path:?}, line {line}: expected a source and a target separated by a tab")]
    NoTab { line: usize, path: PathBuf },
    #[error("the translation memory has no segment (<seg>): {path:?}")]
    NoSegments { path: PathBuf },
    #[error("no line has text on both sides of a tab: {path:?}")]
    NoPairs { path: PathBuf },
    #[error(
        "{path:?}, {place}: {problem}; give the JSON of CTXPRO's release/evalsets and the file of release/inputs that belongs to it"
    )]
    Ctxpro {
        problem: String,
        /// Such as `item 3` or `line 3`.
        place: String,
        path: PathBuf,
    },
    #[error(
        "the translation memory has no pair of {from} and {to}; its languages are {present}: {path:?}"
    )]
    TmxLanguages {
        from: String,
        to: String,
        present: String,
        path: PathBuf,
    },
    #[error(
        "{path:?}, line {line}: {problem}; name a file of an IWSLT talk set as it was published, such as IWSLT17.TED.dev2010.en-de.en.xml"
    )]
    Iwslt {
        problem: String,
        line: usize,
        path: PathBuf,
    },
    #[error(
        "no talk in both files has segments with the same ids; name two languages of the same set: {source_file:?}, {target_file:?}"
    )]
    NoTalks {
        source_file: PathBuf,
        target_file: PathBuf,
    },
    #[error("{0}")]
    Base(#[from] BaseError),
}

canopy_base::crate_error!(
    Error,
    canopy_document::error::Error,
    canopy_metrics::error::Error,
    canopy_tokenize::error::Error
);
