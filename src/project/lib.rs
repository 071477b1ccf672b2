//! The work on documents: targets with their states and histories, projects and their folders, batches, alignments.
//!
//! Its files on disk, the merge of two people's work, and the document as it is edited. No window and no
//! thread lives here.
//!
//! ```
//! use canopy_document::document::{Document, Format};
//! use canopy_project::OpenDocument;
//! use canopy_translate::inference::Translation;
//!
//! let page = "<p>Open the file. Close it.</p>".to_owned();
//! let page = Document::parse("page.html", Format::Html, page)?;
//! let mut open = OpenDocument::new("page.html".into(), page.into(), None);
//! let translation = Translation::written("Öffnen Sie die Datei.".to_owned());
//! assert!(open.receive(0, translation, "a model"));
//! let counts = open.progress.counts();
//! assert_eq!((counts.draft, counts.untranslated), (1, 1));
//! # Ok::<(), canopy_document::error::Error>(())
//! ```

#![warn(missing_docs, unreachable_pub)]

pub mod aligning;
pub mod batch;
mod document_work;
pub mod error;
mod filtered;
pub mod find;
mod find_pattern;
mod history;
mod incoming;
pub mod language;
mod notes;
mod one_or_several;
mod one_shot;
pub mod open_document;
mod other_language;
mod other_languages;
pub mod project;
pub mod project_folder;
mod project_lock;
pub mod project_merge;
mod project_store;
pub mod segment_history;
pub mod settings;
mod target;

pub use aligning::{Alignment, AlignmentFormat, WrittenAlignment, read_rows};
pub use canopy_document::editable as markup;
pub use document_work::{DocumentWork, read_as};
pub use filtered::{Filter, Filtered};
pub use history::History;
pub use incoming::{ChangeKind, Incoming, IncomingChange};
pub use notes::{DocumentNote, Written};
pub use one_shot::OneShot;
pub use open_document::{
    ChosenChecks, Counts, Editor, Insertion, MovedWork, OpenDocument, Progress, Targets,
};
pub use other_language::OtherLanguages;
pub use other_languages::LanguageWork;
pub use project::{Project, SavedTarget, State};
pub use project_folder::{
    DocumentStatus, FurtherMemory, Head, MAX_PENALTY, ProjectFolder, ProjectMemory,
    ProjectSettings, ProjectStatus,
};
pub use project_lock::ProjectLock;
pub use project_merge::MergedWork;
pub use project_store::{ProjectFiles, SavedWork};
pub use segment_history::{Origin, Version};
pub use settings::{Folders, Settings, Shipped, Theme};
pub use target::Target;
