//! `canopy project merge`

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::place::data_folder;
use crate::error::{Error, Result};
use crate::options::wrong_usage;
use crate::terminal::print;
use canopy_base::file::canonicalize;
use canopy_document::changes::Part;
use canopy_document::document::Document;
use canopy_document::editable::to_editable;
use canopy_project::{ChangeKind, Incoming, IncomingChange, OpenDocument};
use canopy_project::{DocumentWork, ProjectFolder};

/// Exit code where conflicts stay.
const CONFLICTS: i32 = 3;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy project merge anna/one.html.xlf handbook --take none\n  canopy project merge \
    anna/one.html.xlf handbook\n\nA change is a conflict if the sentence has also been changed or confirmed here since \
    the export, or if the file does not say when it was exported. The earlier translation stays in the history of the \
    sentence.\n\n\
    Exit codes: 0 done, 3 conflicts remain, with the translations of this document; 1 and 2 as for all commands."
)]
pub(crate) struct MergeArguments {
    /// XLIFF that was exported from the document and edited by another person
    #[arg(value_name = "FILE.xlf")]
    file: PathBuf,
    /// The document, or the project that has it; without it the project of the file's folder, or the current folder
    #[arg(value_name = "DOCUMENT|DIR")]
    place: Option<PathBuf>,
    /// Changes to accept
    #[arg(long, value_enum, default_value = "clean")]
    take: Take,
    /// Print the changes as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Take {
    /// All but conflicts
    Clean,
    All,
    /// None: only show them
    None,
}

impl Take {
    fn takes(self, kind: ChangeKind) -> bool {
        match self {
            Self::Clean => kind != ChangeKind::Conflict,
            Self::All => true,
            Self::None => false,
        }
    }
}

pub(super) fn run(arguments: &MergeArguments) -> Result<()> {
    let file = Document::open(&arguments.file, None)?;
    if !file.format.is_bilingual() {
        let path = arguments.file.display();
        wrong_usage("project merge", format!("{path} has no translations in it"));
    }
    let path = arguments.document(&file)?;
    let mut work = DocumentWork::write(&data_folder()?, &path)?;
    let mut open = OpenDocument::new(
        work.path.clone(),
        work.document.clone(),
        work.project.as_ref(),
    );
    let incoming = Incoming::between(&open, &file);
    if arguments.json {
        print(&in_json(&open, &incoming, arguments.take))?;
    } else {
        print(&in_words(&open, &incoming, arguments.take))?;
    }
    let taken = incoming.changes.iter();
    let taken = taken.filter(|change| arguments.take.takes(change.kind));
    if open.merge(taken) > 0 {
        work.save(open.project())?;
    }
    if arguments.take != Take::All && incoming.conflicts() > 0 {
        std::process::exit(CONFLICTS);
    }
    Ok(())
}

impl MergeArguments {
    /// The document that the file was exported from.
    fn document(&self, file: &Document) -> Result<PathBuf> {
        let place = match &self.place {
            Some(place) if !ProjectFolder::is_one(place) => return Ok(place.clone()),
            Some(place) => place.clone(),
            None => self.project_above()?,
        };
        let project = ProjectFolder::open(&place)?;
        let original = file
            .exchange
            .as_ref()
            .map(|exchange| exchange.original.as_str());
        let original = original.unwrap_or_default();
        let is_it = |path: &Path| path.file_name().is_some_and(|name| name == original);
        let found: Vec<PathBuf> = project
            .documents()
            .map(|(_, path)| path)
            .filter(|path| is_it(path))
            .collect();
        match found.as_slice() {
            [path] => Ok(path.clone()),
            [] => wrong_usage(
                "project merge",
                format!(
                    "the project has no document {original:?}: name the one that the file belongs to"
                ),
            ),
            _ => wrong_usage(
                "project merge",
                format!(
                    "the project has several documents {original:?}: name the one that the file belongs to"
                ),
            ),
        }
    }

    /// The project of the file's folder, or the current folder.
    fn project_above(&self) -> Result<PathBuf> {
        let file = canonicalize(&self.file).map_err(Error::read(&self.file))?;
        let current = std::env::current_dir().map_err(Error::read("."))?;
        let mut folders = file.ancestors().chain(current.ancestors());
        match folders.find(|folder| ProjectFolder::is_one(folder)) {
            Some(folder) => Ok(folder.to_owned()),
            None => wrong_usage(
                "project merge",
                "name the document that the file belongs to",
            ),
        }
    }
}

fn in_words(open: &OpenDocument, incoming: &Incoming, take: Take) -> String {
    let mut text = String::new();
    for change in &incoming.changes {
        let kind = match change.kind {
            ChangeKind::Changed => "changed",
            ChangeKind::Approved => "approved",
            ChangeKind::Conflict => "conflict",
        };
        let done = if take.takes(change.kind) {
            ""
        } else {
            ", left"
        };
        let source = to_editable(&open.document.sentences[change.sentence].text);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}: sentence {}: {kind}{done}\n    {source}\n    {}",
            open.document.name,
            change.sentence + 1,
            marked(change)
        );
    }
    let _ = writeln!(
        text,
        "{} changes, {} conflicts, {} translations that fit nowhere",
        incoming.changes.len(),
        incoming.conflicts(),
        incoming.unmatched
    );
    text
}

/// `[-removed-]` and `{+added+}`, as `git diff --word-diff` has them.
fn marked(change: &IncomingChange) -> String {
    let parts = change.parts.iter().map(|(part, text)| match part {
        Part::Same => text.clone(),
        Part::Removed => format!("[-{text}-]"),
        Part::Added => format!("{{+{text}+}}"),
    });
    parts.collect()
}

fn in_json(open: &OpenDocument, incoming: &Incoming, take: Take) -> String {
    let change = |change: &IncomingChange| {
        json!({
            "sentence": change.sentence + 1,
            "source": to_editable(&open.document.sentences[change.sentence].text),
            "old": to_editable(&change.old),
            "new": to_editable(&change.new),
            "kind": change.kind,
            "approved": change.is_approved,
            "taken": take.takes(change.kind),
        })
    };
    let report = json!({
        "document": open.path.display().to_string(),
        "changes": incoming.changes.iter().map(change).collect::<Vec<Value>>(),
        "unmatched": incoming.unmatched,
    });
    format!("{report:#}\n")
}
