//! Commands and events of merging.

use std::path::PathBuf;
use std::sync::Arc;

use super::{MergeCommand, Merges, Merging};
use crate::ask::DialogRequest;
use crate::document::editing::Editing;
use crate::error::Result;
use crate::jobs::{FileRequest, JobId};
use crate::notices::NoticeKind;
use crate::shared::Shared;
use canopy_document::document::Document;
use canopy_project::{ChangeKind, Incoming, IncomingChange};

impl Merges {
    pub(crate) fn execute(
        &mut self,
        shared: &mut Shared,
        editing: &mut Editing,
        command: MergeCommand,
    ) {
        match command {
            MergeCommand::Choose => shared.asks.push(DialogRequest::Merge {
                folder: editing.document_folder(shared),
            }),
            MergeCommand::Read(path) => self.read_exchange(shared, editing, path),
            MergeCommand::Take(change, is_taken) => {
                if let Some(merging) = &mut self.shown
                    && let Some(taken) = merging.taken.get_mut(change)
                {
                    *taken = is_taken;
                }
            }
            MergeCommand::TakeAll(kinds) => {
                if let Some(merging) = &mut self.shown {
                    let changes = merging.incoming.changes.iter();
                    merging.taken = changes.map(|change| kinds.contains(&change.kind)).collect();
                }
            }
            MergeCommand::Apply => self.merge(shared, editing),
            MergeCommand::Discard => self.shown = None,
        }
    }

    fn read_exchange(&mut self, shared: &mut Shared, editing: &Editing, path: PathBuf) {
        if editing.open.is_none() {
            let detail = "First open the document from which the file was exported.";
            return shared.notify(NoticeKind::Error, "Nothing to merge into", detail);
        }
        let job = shared.next_job();
        self.reading = Some((job, path.clone()));
        shared
            .file_requests
            .push(FileRequest::ReadExchange { job, path });
    }

    pub(crate) fn was_read(
        &mut self,
        shared: &mut Shared,
        editing: &mut Editing,
        job: JobId,
        file: Result<Arc<Document>>,
    ) {
        let reading = self.reading.take_if(|(reading, _)| *reading == job);
        let Some((_, path)) = reading else { return };
        let file = match file {
            Ok(file) => file,
            Err(error) => return shared.show_error("The file could not be read", &error),
        };
        editing.commit_edit(shared);
        let Some(open) = &editing.open else {
            return;
        };
        let incoming = Incoming::between(open, &file);
        let name = &open.document.name;
        if incoming.changes.is_empty() {
            let detail = match incoming.unmatched {
                0 => format!("Its translations are those of {name}."),
                count => format!(
                    "{count} of its translations belong to sentences that {name} does not have."
                ),
            };
            return shared.notify(NoticeKind::Hint, "The file has no changes", detail);
        }
        let is_clean = |change: &IncomingChange| change.kind != ChangeKind::Conflict;
        self.shown = Some(Merging {
            path,
            taken: incoming.changes.iter().map(is_clean).collect(),
            incoming,
            document: open.path.clone(),
        });
    }

    /// Takes over what is to be taken, in one step that can be undone.
    fn merge(&mut self, shared: &mut Shared, editing: &mut Editing) {
        let Some(merging) = self.shown.take() else {
            return;
        };
        let Some(open) = editing
            .open
            .as_mut()
            .filter(|open| open.path == merging.document)
        else {
            let detail = "The document is no longer open.";
            return shared.notify(NoticeKind::Error, "Nothing was accepted", detail);
        };
        let changes = merging.incoming.changes.iter().zip(&merging.taken);
        let taken = changes.filter(|(_, is_taken)| **is_taken);
        // A translation that ran meanwhile may have written something else.
        let (taken, overtaken): (Vec<_>, Vec<_>) = taken
            .map(|(change, _)| change)
            .partition(|change| open.targets.revision(change.sentence) == change.revision);
        let count = open.merge(taken);
        if count > 0 {
            editing.touch(shared);
        }
        let mut detail = String::new();
        if !overtaken.is_empty() {
            let count = overtaken.len();
            detail = format!(
                "{count} sentences were changed meanwhile and stay; merge once more to see them."
            );
        }
        let title = format!("{count} changes are accepted");
        shared.notify(NoticeKind::Done, title, detail);
    }
}
