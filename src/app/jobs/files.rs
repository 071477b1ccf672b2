//! Documents, the work on them, and settings: opened and saved one after the other, away from the window.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::pool::{Answerer, EventSender, Lane, Pool};
use super::{Event, JobId, Project};
use crate::error::{Error, Result};
use crate::{DocumentEvent, ProjectEvent};
use canopy_base::error::caught;
use canopy_base::file::{canonicalize, write_atomically};
use canopy_document::document::{Document, ReadingOptions, SegmentEdit};
use canopy_document::error::Error as DocumentError;
use canopy_document::export::{ExportFormat, Languages, Provenance};
use canopy_project::project::hex;
use canopy_project::{MergedWork, ProjectFiles, ProjectLock, SavedWork, read_as};
use canopy_qa::terms::{Term, TermIndex, Termbase};
use canopy_translate::remote::{RemoteHost, save_key};

#[cfg(test)]
mod tests;

/// Work on a file.
#[derive(Debug)]
pub enum FileRequest {
    /// Reads a document, and its project if there is one below `data_folder`.
    OpenDocument {
        /// Number of the job.
        job: JobId,
        /// Path of the document.
        path: PathBuf,
        /// The folder of all saved work; `None` if there is none.
        data_folder: Option<PathBuf>,
        /// How it is read; else as its project says.
        reading: Option<ReadingOptions>,
    },
    /// Writes the translated document; sentences without a translation stay as they are.
    SaveDocument {
        /// Number of the job.
        job: JobId,
        /// The file to write.
        path: PathBuf,
        /// Which file may be replaced.
        overwrite: Overwrite,
        /// The document.
        document: Arc<Document>,
        /// Its translations, by sentence.
        targets: Vec<Option<String>>,
        /// Language of the targets, where it is known.
        language: Option<String>,
    },
    /// Writes sentences with their translations as something else than the document.
    ExportDocument {
        /// Number of the job.
        job: JobId,
        /// The file to write.
        path: PathBuf,
        /// Whether an existing file may be replaced.
        overwrite: bool,
        /// The document.
        document: Arc<Document>,
        /// Its translations, by sentence.
        targets: Vec<Option<String>>,
        /// Where they come from.
        provenances: Vec<Provenance>,
        /// The format of the file.
        format: ExportFormat,
        /// The source and the target language.
        languages: Languages,
    },
    /// Lets another window write the document's project.
    CloseDocument {
        /// Number of the job.
        job: JobId,
        /// Path of the document.
        path: PathBuf,
    },
    /// Keeps the work on a document below `data_folder`.
    SaveProject {
        /// Number of the job.
        job: JobId,
        /// The folder of all saved work.
        data_folder: PathBuf,
        /// The work.
        project: Project,
    },
    /// Writes a small file of our own, such as the settings.
    Write {
        /// Number of the job.
        job: JobId,
        /// The file to write.
        path: PathBuf,
        /// Its content.
        bytes: Vec<u8>,
    },
    /// Keeps the key of another machine in a file that only the user may read.
    KeepKey {
        /// Number of the job.
        job: JobId,
        /// The file to write.
        path: PathBuf,
        /// The machine.
        host: RemoteHost,
        /// Its key.
        key: String,
    },
    /// Writes a file where the user wants it, and reports when it is written; overwrites, since the dialog has asked.
    Export {
        /// Number of the job.
        job: JobId,
        /// The file to write.
        path: PathBuf,
        /// Its content.
        bytes: Vec<u8>,
    },
    /// Reads an open document once more with other sentences in one place.
    Recut {
        /// Number of the job.
        job: JobId,
        /// Path of the document.
        path: PathBuf,
        /// As it is read now.
        document: Arc<Document>,
        /// The change of its sentences.
        edit: SegmentEdit,
    },
    /// Reads termbases, in the order in which they count.
    ReadTerms {
        /// Number of the job.
        job: JobId,
        /// The termbases.
        paths: Vec<PathBuf>,
        /// Code of the source language.
        source_language: String,
        /// Code of the target language.
        target_language: String,
    },
    /// Adds a term to the first of some termbases, which begins with it if it is not there, and reads all of them again.
    AddTerm {
        /// Number of the job.
        job: JobId,
        /// The termbases; the term is added to the first.
        paths: Vec<PathBuf>,
        /// Codes of the source and the target language.
        languages: (String, String),
        /// The term.
        term: Term,
    },
    /// Reports which of these paths do not exist.
    FindMissing {
        /// Number of the job.
        job: JobId,
        /// The paths.
        paths: Vec<PathBuf>,
    },
    /// Reads a file for the exchange of translations.
    ReadExchange {
        /// Number of the job.
        job: JobId,
        /// The file.
        path: PathBuf,
    },
    /// Reports when all earlier requests are done.
    Flush {
        /// Number of the job.
        job: JobId,
    },
}

/// Which file may be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Overwrite {
    /// No file.
    Nothing,
    /// The one that this program has written, by the digest of its bytes.
    Own(String),
    /// The dialog has asked.
    Any,
}

impl Overwrite {
    /// Whether the file is another one than was written.
    fn is_changed(&self, path: &Path) -> bool {
        match self {
            Self::Own(digest) => std::fs::read(path).is_ok_and(|bytes| hex(&bytes) != *digest),
            Self::Nothing | Self::Any => false,
        }
    }
}

impl FileRequest {
    fn job(&self) -> JobId {
        match self {
            Self::OpenDocument { job, .. }
            | Self::SaveDocument { job, .. }
            | Self::ExportDocument { job, .. }
            | Self::CloseDocument { job, .. }
            | Self::ReadExchange { job, .. }
            | Self::FindMissing { job, .. }
            | Self::Flush { job }
            | Self::SaveProject { job, .. }
            | Self::ReadTerms { job, .. }
            | Self::Recut { job, .. }
            | Self::AddTerm { job, .. }
            | Self::Write { job, .. }
            | Self::KeepKey { job, .. }
            | Self::Export { job, .. } => *job,
        }
    }

    fn done(self, open: &mut OpenProjects) -> Result<Vec<Event>> {
        match self {
            Self::OpenDocument {
                job,
                path,
                data_folder,
                reading,
            } => open.open(job, path, data_folder.as_deref(), reading),
            Self::SaveDocument {
                job,
                path,
                overwrite,
                document,
                targets,
                language,
            } => {
                if overwrite.is_changed(&path) {
                    return Ok(vec![DocumentEvent::TranslationChanged { job, path }.into()]);
                }
                let bytes = document.written(&targets, language.as_deref())?;
                write_atomically(&path, &bytes, overwrite != Overwrite::Nothing)?;
                Ok(vec![saved(job, path, &bytes, language)])
            }
            Self::ExportDocument {
                job,
                path,
                overwrite,
                document,
                targets,
                provenances,
                format,
                languages,
            } => {
                let bytes = document.exported_by(&targets, &provenances, format, &languages)?;
                write_atomically(&path, &bytes, overwrite)?;
                Ok(vec![Event::Saved { job, path }])
            }
            Self::CloseDocument { path, .. } => {
                open.0.remove(&path);
                Ok(vec![])
            }
            Self::SaveProject {
                data_folder,
                project,
                ..
            } => {
                let merged = open.save(&data_folder, &project)?;
                Ok(merged.map(|it| taken(project, it)).into_iter().collect())
            }
            Self::Write { path, bytes, .. } => {
                write_ours(&path, &bytes)?;
                Ok(vec![])
            }
            Self::KeepKey {
                path, host, key, ..
            } => {
                save_key(&path, host, &key)?;
                Ok(vec![])
            }
            Self::Export { job, path, bytes } => {
                write_atomically(&path, &bytes, true)?;
                Ok(vec![Event::Saved { job, path }])
            }
            Self::Recut {
                job,
                path,
                document,
                edit,
            } => {
                let document = recut(&path, &document, edit);
                Ok(vec![DocumentEvent::Recut { job, document }.into()])
            }
            Self::ReadTerms {
                job,
                paths,
                source_language,
                target_language,
            } => {
                let index = terms(&paths, &source_language, &target_language);
                Ok(vec![DocumentEvent::TermsRead { job, index }.into()])
            }
            Self::AddTerm {
                job,
                paths,
                languages,
                term,
            } => {
                let index = with_term(&paths, &languages, term);
                Ok(vec![DocumentEvent::TermsRead { job, index }.into()])
            }
            Self::ReadExchange { job, path } => {
                let file = shared(Document::open(&path, None));
                Ok(vec![DocumentEvent::ExchangeRead { job, file }.into()])
            }
            Self::FindMissing { mut paths, .. } => {
                paths.retain(|path| path.try_exists().is_ok_and(|is_there| !is_there));
                Ok(vec![Event::PathsMissing { paths }])
            }
            Self::Flush { job } => Ok(vec![Event::Flushed { job }]),
        }
    }
}

fn shared(read: Result<Document, DocumentError>) -> Result<Arc<Document>> {
    Ok(Arc::new(read?))
}

/// Reports another person's changes in the work file.
fn taken(project: Project, merged: MergedWork) -> Event {
    Event::Document(DocumentEvent::WorkMerged {
        path: project.document,
        merged: Box::new(merged),
    })
}

/// Reads termbases.
fn terms(paths: &[PathBuf], from: &str, to: &str) -> Result<Arc<TermIndex>> {
    let base = Termbase::read_all(paths, from, to)?;
    Ok(Arc::new(TermIndex::new(Arc::new(base))))
}

/// Reports that a translation is written.
fn saved(job: JobId, path: PathBuf, bytes: &[u8], language: Option<String>) -> Event {
    Event::Document(DocumentEvent::TranslationSaved {
        job,
        path,
        digest: hex(bytes),
        language,
    })
}

/// The projects of the documents that are open, by the documents' paths: also that of the one before, until it is closed.
#[derive(Debug, Default)]
struct OpenProjects(HashMap<PathBuf, (ProjectLock, ProjectFiles)>);

impl OpenProjects {
    fn open(
        &mut self,
        job: JobId,
        path: PathBuf,
        data_folder: Option<&Path>,
        reading: Option<ReadingOptions>,
    ) -> Result<Vec<Event>> {
        // The same file under another name has the same project; what does not exist is reported by `Document::open`.
        let path = canonicalize(&path).unwrap_or(path);
        let mut document = read_as(&path, reading.as_ref())?;
        let found = data_folder.map(|folder| self.find(folder, &path, &document));
        let SavedWork {
            project,
            moved_work,
            mut error,
        } = found.unwrap_or_default();
        let of_project = project.as_ref().and_then(|it| it.reading.as_ref());
        if let (None, Some(options)) = (reading, of_project) {
            // The file may have changed since: it is still to be opened.
            match read_as(&path, Some(options)) {
                Ok(read) => document = read,
                Err(failed) => error = error.or(Some(failed)),
            }
        }
        let document = Arc::new(document);
        let in_project = self.project_folder(&path).map(|folder| {
            Event::Project(ProjectEvent::InProject {
                path: path.clone(),
                folder,
            })
        });
        let moved_work = moved_work.map(|project| {
            Event::Document(DocumentEvent::MovedWork {
                path: path.clone(),
                project: Box::new(project),
            })
        });
        let opened = Event::Document(DocumentEvent::Opened {
            job,
            path,
            document,
            project: project.map(Box::new),
            project_error: error.map(Into::into),
        });
        let events = [opened].into_iter().chain(in_project);
        Ok(events.chain(moved_work).collect())
    }

    fn find(&mut self, data_folder: &Path, path: &Path, document: &Document) -> SavedWork {
        let before = self.0.remove(path).map(|(lock, _)| lock);
        let lock = before.filter(ProjectLock::is_ours);
        let lock = lock.unwrap_or_else(|| ProjectLock::take(data_folder, path));
        let (place, mut found) = ProjectFiles::find(data_folder, path, document);
        found.error = found.error.or(lock.check().err());
        self.0.insert(path.to_owned(), (lock, place));
        found
    }

    /// The folder of the project that a document belongs to.
    fn project_folder(&self, path: &Path) -> Option<PathBuf> {
        let (_, files) = self.0.get(path)?;
        files.project_folder().map(Path::to_owned)
    }

    fn save(&mut self, data_folder: &Path, project: &Project) -> Result<Option<MergedWork>> {
        let (lock, place) = self
            .0
            .entry(project.document.clone())
            .or_insert_with_key(|path| {
                let lock = ProjectLock::take(data_folder, path);
                (lock, ProjectFiles::unread(data_folder, path))
            });
        lock.check()?;
        Ok(place.save(project)?)
    }
}

/// A document with other sentences in one place.
fn recut(path: &Path, document: &Document, edit: SegmentEdit) -> Result<Arc<Document>> {
    let (format, reading) = (Some(document.format), &document.reading);
    shared(Document::open_edited(path, format, reading, Some(edit)))
}

/// Adds a term to a file, and to what it holds.
fn with_term(
    paths: &[PathBuf],
    (from, to): &(String, String),
    term: Term,
) -> Result<Arc<TermIndex>> {
    let Some((path, rest)) = paths.split_first() else {
        return terms(paths, from, to);
    };
    let mut base = if path.exists() {
        Termbase::read(path, from, to)?
    } else {
        Termbase::empty(from, to)
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(Error::write(folder))?;
    }
    base.add(term.clone());
    base.save_added(path, &term)?;
    base.terms.extend(Termbase::read_all(rest, from, to)?.terms);
    Ok(Arc::new(TermIndex::new(Arc::new(base))))
}

fn write_ours(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(Error::write(folder))?;
    }
    Ok(write_atomically(path, bytes, true)?)
}

/// The lane of [`FileRequest`]s.
pub type FileLane = Lane<FileRequest>;

impl FileLane {
    /// Opens the lane in `pool`.
    pub fn new(pool: &Pool) -> Self {
        pool.lane(DocumentFiles {
            events: pool.events().clone(),
            open: OpenProjects::default(),
        })
    }
}

struct DocumentFiles {
    events: EventSender,
    open: OpenProjects,
}

impl Answerer for DocumentFiles {
    type Request = FileRequest;

    fn answer(&mut self, request: FileRequest) {
        let job = request.job();
        let done = caught(|| request.done(&mut self.open));
        for event in done.unwrap_or_else(|error| vec![Event::Failed { job, error }]) {
            self.events.send(event);
        }
    }
}
