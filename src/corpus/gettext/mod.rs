//! PO files as a corpus: the documents that their messages come from, put together again; and the compiled catalogues of programs,
//! which do not name their documents.
//!
//! A PO file lists messages once, in whatever order its tool chose; its comments say in which file and line of the source
//! each is. Here the messages of a source file become a document, in the order of its lines, and a message that
//! is in several places is in each of them. Information for translators about a message, such as who speaks, and its
//! context become the note of its paragraph. A message without a place is in a document of its catalogue, in order.

mod compiled;
mod documents;
mod files;
mod reader;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::format::{Corpus, CorpusInfo};
use super::split::Split;
use super::writer::CorpusWriter;
use crate::error::{Error, Result};
use documents::Documents;
use files::{PoFile, po_files};

pub use files::{catalogues, is_catalogue};
pub(crate) use reader::{Catalogue, Entry};

/// Reads the messages of a PO file, or of an MO file.
///
/// # Errors
/// If it cannot be read or is damaged.
pub(crate) fn read(path: &Path) -> Result<Catalogue> {
    if files::is_compiled(path) {
        compiled::read(path)
    } else {
        reader::read(path)
    }
}

/// The source and the destination of an import.
#[derive(Debug, Clone)]
pub struct PoImport {
    /// PO or MO files are in it and in the folders below it, of other languages as well.
    pub folder: PathBuf,
    /// Language codes; the language of the messages is one of them, that of the translations the other.
    pub source_language: String,
    /// Code of the language of the translations.
    pub target_language: String,
    /// Names of catalogues, or of documents or beginnings of these, that are for development, for tests, and for nothing;
    /// of others a hash of the document's name decides.
    pub dev: Vec<String>,
    /// Names of what is for tests.
    pub test: Vec<String>,
    /// Names of what is for nothing.
    pub left_out: Vec<String>,
    /// The new corpus.
    pub output: PathBuf,
    /// Whether an existing corpus may be replaced.
    pub replace: bool,
}

/// The findings of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PoReport {
    /// Files of the language.
    pub catalogues: usize,
    /// Files of other languages.
    pub other_languages: usize,
    /// Documents in the corpus.
    pub documents: usize,
    /// Messages with their translation, each as often as in a document.
    pub pairs: usize,
    /// Number of these that are unchecked, or belong to a similar message: context only.
    pub fuzzy: usize,
    /// Messages without a translation.
    pub untranslated: usize,
    /// Obsolete messages (`#~`).
    pub obsolete: usize,
    /// Pairs in a place that their file does not name.
    pub without_place: usize,
    /// Names of [`PoImport::dev`], [`PoImport::test`] and [`PoImport::left_out`] that name nothing.
    pub unknown_names: Vec<String>,
}

impl PoImport {
    /// Reads all PO files and writes the corpus; `progress` gets the numbers of files done and in all, and may end the import: then
    /// nothing is written and the result is `None`.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged, none is of the language, nothing is translated, or the corpus cannot be
    /// written.
    pub fn run(
        &self,
        mut progress: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Option<(Corpus, PoReport)>> {
        let mut writer = CorpusWriter::create(&self.output, self.info(), self.replace)?;
        let languages = (&*self.source_language, &*self.target_language);
        let files = po_files(&self.folder, languages)?;
        let (mut report, mut documents) = (PoReport::default(), Documents::default());
        for (done, file) in files.iter().enumerate() {
            if progress(done, files.len()).is_break() {
                return Ok(None);
            }
            self.read(file, &mut documents, &mut report)?;
        }
        if report.catalogues == 0 {
            return Err(self.no_catalogues());
        }
        let mut names = Names::default();
        for (document, catalogue) in documents.finished() {
            let Some(split) = self.split(&document.id, &catalogue, &mut names) else {
                continue;
            };
            report.documents += 1;
            report.pairs += document.paragraphs.len();
            writer.add(split, document)?;
        }
        if report.pairs == 0 {
            return Err(self.no_catalogues());
        }
        report.unknown_names = names.unused(self);
        if progress(files.len(), files.len()).is_break() {
            return Ok(None);
        }
        Ok(Some((writer.finish()?, report)))
    }

    fn read(&self, file: &PoFile, documents: &mut Documents, report: &mut PoReport) -> Result<()> {
        let path = self.folder.join(&file.path);
        let catalogue = read(&path)?;
        let languages = (&*self.source_language, &*self.target_language);
        let Some(reversed) = file.reversed(&catalogue.language, languages) else {
            report.other_languages += 1;
            return Ok(());
        };
        report.catalogues += 1;
        report.obsolete += catalogue.obsolete;
        for entry in &catalogue.entries {
            let added = documents.add(&file.catalogue, entry, reversed);
            report.untranslated += usize::from(added.is_none());
            let Some(added) = added else { continue };
            if entry.fuzzy {
                report.fuzzy += added;
            }
            if entry.references.is_empty() {
                report.without_place += added;
            }
        }
        Ok(())
    }

    /// Where a document goes; none if it is left out.
    fn split(&self, id: &str, catalogue: &str, names: &mut Names) -> Option<Split> {
        if names.has(&self.left_out, id, catalogue) {
            return None;
        }
        if names.has(&self.test, id, catalogue) {
            return Some(Split::Test);
        }
        if names.has(&self.dev, id, catalogue) {
            return Some(Split::Dev);
        }
        // Held-out documents that are named are the only ones.
        let is_said = !self.test.is_empty() || !self.dev.is_empty();
        Some(if is_said {
            Split::Train
        } else {
            Split::for_document(id)
        })
    }

    fn no_catalogues(&self) -> Error {
        Error::NoCatalogues {
            from: self.source_language.clone(),
            to: self.target_language.clone(),
            path: self.folder.clone(),
        }
    }

    fn info(&self) -> CorpusInfo {
        let languages = [&*self.source_language, &self.target_language];
        CorpusInfo::new(&self.output, languages, self.folder.display().to_string())
    }
}

/// The names that were found to name something.
#[derive(Debug, Default)]
struct Names(std::collections::BTreeSet<String>);

impl Names {
    /// Whether one of the names is that of the catalogue, of the document, or of a folder that it is in.
    fn has(&mut self, names: &[String], id: &str, catalogue: &str) -> bool {
        let found = names.iter().find(|name| {
            let rest = id.strip_prefix(name.as_str());
            let is_above = |rest: &str| rest.is_empty() || rest.starts_with('/');
            *name == catalogue || rest.is_some_and(is_above)
        });
        self.0.extend(found.cloned());
        found.is_some()
    }

    fn unused(&self, import: &PoImport) -> Vec<String> {
        let all = [&import.dev, &import.test, &import.left_out];
        let all = all.into_iter().flatten();
        all.filter(|name| !self.0.contains(*name))
            .cloned()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiled_catalogues_of_programs_are_documents() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, messages: &[(&str, &[u8])]| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("writes");
            std::fs::write(path, compiled::tests::compiled(messages, u32::to_le_bytes))
                .expect("writes");
        };
        write(
            "de/LC_MESSAGES/app.mo",
            &[("Open", "Öffnen".as_bytes()), ("Save", b"Sichern")],
        );
        write(
            "de/LC_MESSAGES/other.mo",
            &[("Close", "Schließen".as_bytes())],
        );
        write("fr/LC_MESSAGES/app.mo", &[("Open", b"Ouvrir")]);
        let po = "msgid \"Close\"\nmsgstr \"Zumachen\"\n";
        std::fs::write(folder.path().join("de/LC_MESSAGES/other.po"), po).expect("writes");
        let import = PoImport {
            folder: folder.path().to_owned(),
            source_language: "en".to_owned(),
            target_language: "de".to_owned(),
            dev: Vec::new(),
            test: vec!["app".to_owned()],
            left_out: Vec::new(),
            output: folder.path().join("corpus"),
            replace: false,
        };
        let done = import
            .run(|_, _| ControlFlow::Continue(()))
            .expect("imports");
        let (corpus, report) = done.expect("to its end");
        let found = (report.catalogues, report.other_languages, report.documents);
        assert_eq!((found, report.pairs), ((2, 1, 2), 3));
        let texts = |split| -> Vec<(String, String)> {
            let documents = corpus.documents(split).expect("reads");
            let documents = documents.map(|document| document.expect("reads"));
            let paragraphs = documents.flat_map(|document| document.paragraphs);
            let units = paragraphs.flat_map(|paragraph| paragraph.units);
            units.map(|unit| (unit.source, unit.target)).collect()
        };
        let pair = |(source, target): (&str, &str)| (source.to_owned(), target.to_owned());
        assert_eq!(
            texts(Split::Test),
            [("Open", "Öffnen"), ("Save", "Sichern")].map(pair)
        );
        assert_eq!(texts(Split::Train), [("Close", "Zumachen")].map(pair));
    }
}
