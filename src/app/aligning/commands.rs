//! Commands and events of alignments.

use std::path::PathBuf;

use super::{AlignCommand, AlignEvent, Aligning};
use crate::ask::DialogRequest;
use crate::command::Page;
use crate::document::DocumentPage;
use crate::error::Result;
use crate::jobs::{AlignRequest, Alignment, AlignmentFormat, FileRequest, JobId, WrittenAlignment};
use crate::notices::NoticeKind;
use crate::shared::{AUTOSAVE_SECS, Shared};
use canopy_corpus::{AlignmentEdit, Column, RowState};

impl Aligning {
    pub(crate) fn execute(
        &mut self,
        shared: &mut Shared,
        document: &DocumentPage,
        command: AlignCommand,
    ) {
        use AlignCommand as C;
        let column = self.selected.1;
        match command {
            C::Show => shared.page = Page::Align,
            C::Choose(column) => shared.asks.push(DialogRequest::AlignedDocument {
                column,
                folder: self.aligned_folder(shared, document, column),
            }),
            C::Use(column, path) => self.use_aligned(shared, column, path),
            C::SetLanguage(column, code) => self.set_aligned_language(shared, column, code),
            C::Select(row, column) => self.selected = (row, column),
            C::SelectColumn(column) => self.selected.1 = column,
            C::SelectNext => self.look_at_row(self.selected.0.saturating_add(1)),
            C::SelectPrevious => self.look_at_row(self.selected.0.saturating_sub(1)),
            C::SelectNextOpen => self.look_at_next_open(shared),
            C::Join => self.edit_rows(shared, AlignmentEdit::Join),
            C::Split => self.edit_rows(shared, AlignmentEdit::Split),
            C::MoveUp => self.edit_rows(shared, AlignmentEdit::MoveUp(column)),
            C::MoveDown => self.edit_rows(shared, AlignmentEdit::MoveDown(column)),
            C::PushDown => self.edit_rows(shared, AlignmentEdit::PushDown(column)),
            C::PullUp => self.edit_rows(shared, AlignmentEdit::PullUp(column)),
            C::AlignAgain => self.edit_rows(shared, AlignmentEdit::AlignAgain),
            C::ToggleRight => {
                if self.toggle_row(shared, RowState::Right) == Some(RowState::Right) {
                    self.look_at_next_open(shared);
                }
            }
            C::ToggleLeftOut => {
                self.toggle_row(shared, RowState::LeftOut);
            }
            C::Undo => self.change_rows(shared, |open| open.table.undo()),
            C::Redo => self.change_rows(shared, |open| open.table.redo()),
            C::KeepDoubtful(keeps) => self.keeps_doubtful = keeps,
            C::SaveAs => self.ask_where_to_save_pairs(shared),
            C::SaveTo(path) => self.save_pairs(shared, path),
            C::Close => {
                self.save(shared);
                *self = Aligning::default();
            }
        }
    }

    /// Whether the command would do something to the selected row.
    pub(crate) fn can_align(&self, command: &AlignCommand) -> bool {
        use AlignCommand as C;
        let (Some(open), Some(row)) = (&self.open, self.row()) else {
            return matches!(command, C::Show | C::Choose(_) | C::Use(..) | C::Close);
        };
        let is_empty = row.cell(self.selected.1).is_empty();
        match command {
            C::Join => self.selected.0 + 1 < open.table.rows().len(),
            C::Split => row.source.len().max(row.target.len()) > 1,
            C::MoveUp | C::MoveDown | C::PushDown => !is_empty,
            C::PullUp => is_empty,
            C::Undo => open.table.can_undo(),
            C::Redo => open.table.can_redo(),
            _ => true,
        }
    }

    /// The path of the other document.
    fn aligned_folder(
        &self,
        shared: &Shared,
        document: &DocumentPage,
        column: Column,
    ) -> Option<PathBuf> {
        let other = match column {
            Column::Source => &self.target,
            Column::Target => &self.source,
        };
        let folder = other.as_ref().and_then(|path| path.parent());
        folder.map_or_else(
            || document.editing.document_folder(shared),
            |it| Some(it.to_owned()),
        )
    }

    fn use_aligned(&mut self, shared: &mut Shared, column: Column, path: PathBuf) {
        shared.page = Page::Align;
        self.save(shared);
        self.open = None;
        match column {
            Column::Source => self.source = Some(path),
            Column::Target => self.target = Some(path),
        }
        let (Some(source), Some(target)) = (&self.source, &self.target) else {
            return;
        };
        let (source, target) = (source.clone(), target.clone());
        let job = shared.next_job();
        self.job = Some(job);
        self.requests.push(AlignRequest {
            job,
            source,
            target,
            kept: shared.folders.alignments(),
        });
    }

    /// Takes documents that were dropped on the page: the first that is missing first.
    pub(crate) fn align_dropped(
        &mut self,
        shared: &mut Shared,
        document: &DocumentPage,
        paths: &[PathBuf],
    ) {
        for path in paths {
            let column = match (&self.source, &self.target) {
                (Some(_), None) => Column::Target,
                (Some(_), Some(_)) => {
                    self.execute(shared, document, AlignCommand::Close);
                    Column::Source
                }
                (None, _) => Column::Source,
            };
            self.use_aligned(shared, column, path.clone());
        }
    }

    pub(crate) fn handle(&mut self, shared: &mut Shared, event: AlignEvent) {
        let AlignEvent::Aligned { job, alignment } = event;
        self.aligned(shared, job, alignment);
    }

    fn aligned(&mut self, shared: &mut Shared, job: JobId, alignment: Result<Box<Alignment>>) {
        if self.job.take_if(|own| *own == job).is_none() {
            return;
        }
        match alignment {
            Ok(alignment) => {
                if alignment.is_restored {
                    let detail =
                        "These documents were aligned before; your corrections are restored.";
                    shared.notify(NoticeKind::Hint, "Restored", detail);
                }
                let first = alignment.table.rows().first();
                let is_open = first.is_some_and(canopy_corpus::AlignmentRow::is_open);
                let row = if is_open {
                    None
                } else {
                    alignment.table.next_open(0)
                };
                self.open = Some(*alignment);
                self.revision += 1;
                self.selected = (row.unwrap_or(0), Column::Source);
                self.scroll_to.set(row.unwrap_or(0));
            }
            Err(error) => shared.show_error("The documents could not be aligned", &error),
        }
    }

    fn set_aligned_language(&mut self, shared: &Shared, column: Column, code: String) {
        let Some(open) = &mut self.open else {
            return;
        };
        match column {
            Column::Source => open.languages.source = code,
            Column::Target => open.languages.target = code,
        }
        self.touch_alignment(shared);
    }

    fn look_at_row(&mut self, row: usize) {
        let count = self.open.as_ref().map_or(0, |open| open.table.rows().len());
        self.selected.0 = row.min(count.saturating_sub(1));
        self.scroll_to.set(self.selected.0);
    }

    fn look_at_next_open(&mut self, shared: &mut Shared) {
        let row = self.selected.0;
        let open = self.open.as_ref();
        match open.and_then(|open| open.table.next_open(row)) {
            Some(row) => self.look_at_row(row),
            None if open.is_some() => {
                let title = "Every row is reviewed or certain";
                shared.notify(NoticeKind::Done, title, "Save the pairs when you are done.");
            }
            None => {}
        }
    }

    fn edit_rows(&mut self, shared: &Shared, edit: AlignmentEdit) {
        let row = self.selected.0;
        self.change_rows(shared, |open| open.table.edit(row, edit));
    }

    /// Gives the row this state, or takes that back; returns its state then.
    fn toggle_row(&mut self, shared: &Shared, state: RowState) -> Option<RowState> {
        let has = self.row()?.state;
        let wanted = if has == state {
            RowState::Likely
        } else {
            state
        };
        self.edit_rows(shared, AlignmentEdit::SetState(wanted));
        Some(wanted)
    }

    fn change_rows(
        &mut self,
        shared: &Shared,
        change: impl FnOnce(&mut Alignment) -> Option<usize>,
    ) {
        let Some(row) = self.open.as_mut().and_then(change) else {
            return;
        };
        self.revision += 1;
        self.look_at_row(row);
        self.touch_alignment(shared);
    }

    fn touch_alignment(&mut self, shared: &Shared) {
        self.dirty_since_secs = Some(shared.now_secs);
    }

    /// Saves what is due; returns when the next saving is.
    pub(crate) fn tick(&mut self, shared: &mut Shared) -> Option<f64> {
        let due = self.dirty_since_secs? + AUTOSAVE_SECS;
        if due > shared.now_secs {
            return Some(due);
        }
        self.save(shared);
        None
    }

    /// Keeps the rows, so that the same documents have them again.
    pub(crate) fn save(&mut self, shared: &mut Shared) {
        let is_dirty = self.dirty_since_secs.take().is_some();
        let Some(open) = self.open.as_ref().filter(|_| is_dirty) else {
            return;
        };
        let Some(path) = open.file.clone() else {
            return;
        };
        let bytes = open.to_bytes();
        let job = shared.new_save_job();
        shared
            .file_requests
            .push(FileRequest::Write { job, path, bytes });
    }

    fn ask_where_to_save_pairs(&mut self, shared: &mut Shared) {
        let Some(open) = &self.open else {
            return;
        };
        if open.languages.source.trim().is_empty() || open.languages.target.trim().is_empty() {
            let detail = "Type the codes of both languages above the columns, such as en and de.";
            return shared.notify(NoticeKind::Error, "Which languages are they?", detail);
        }
        let stem = open.source.file_stem().unwrap_or_default();
        let name = format!("{}.tmx", stem.to_string_lossy());
        let folder = open.source.parent().map(std::path::Path::to_owned);
        shared
            .asks
            .push(DialogRequest::AlignedPairs { name, folder });
    }

    fn save_pairs(&mut self, shared: &mut Shared, path: PathBuf) {
        let Some(open) = &self.open else {
            return;
        };
        let format = match AlignmentFormat::from_path(&path) {
            Ok(format) => format,
            Err(error) => return shared.show_error("The pairs are not saved", &error),
        };
        let keeps = self.keeps_doubtful;
        let written = WrittenAlignment::from_table(&open.table, &open.languages, format, keeps);
        let job = shared.new_save_job();
        shared.file_requests.push(FileRequest::Export {
            job,
            path,
            bytes: written.text.into_bytes(),
        });
    }
}
