//! State that the pages of the window share: settings, messages, numbers of jobs, and requests to the worker and the disk.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::ask::DialogRequest;
use super::closing::LastWrites;
use super::command::{Command, Page};
use super::notices::{Notice, NoticeKind, in_words};
use super::settings::{Folders, Settings, Shipped};
use crate::error::Error;
use crate::jobs::{FileRequest, JobId, Request, RunRequest};
use canopy_translate::inference::SearchOptions;

/// After the last change.
pub(crate) const AUTOSAVE_SECS: f64 = 1.0;
/// While changes keep coming, as they do during a translation.
pub(crate) const AUTOSAVE_AT_LEAST_SECS: f64 = 8.0;
/// How long a message that needs no answer stays.
const NOTICE_SECS: f64 = 10.0;
/// Jobs that keep work, whose failures are distinguished.
const KEEPING: usize = 32;

/// Settings, messages and requests, which every page may use.
#[derive(Debug, Default)]
pub struct Shared {
    /// Choices of the person.
    pub settings: Settings,
    /// Models and samples that come with the program.
    pub shipped: Shipped,
    /// The page that is shown.
    pub page: Page,
    /// Messages that are shown.
    pub notices: Vec<Notice>,
    /// Questions for the window itself, which sends and empties them.
    pub asks: Vec<DialogRequest>,
    /// For the worker, likewise.
    pub requests: Vec<Request>,
    /// For the lane of files, likewise.
    pub file_requests: Vec<FileRequest>,
    /// For what follows run folders and corpora, likewise.
    pub run_requests: Vec<RunRequest>,
    pub(crate) folders: Folders,
    pub(crate) now_secs: f64,
    /// The last jobs that write work and settings.
    pub(crate) keeping: VecDeque<JobId>,
    /// The last attempt to keep work has failed.
    pub(crate) save_failed: bool,
    pub(crate) closing: LastWrites,
    num_jobs: u64,
    num_notices: u64,
}

impl Shared {
    pub(crate) fn new(folders: Folders, settings: Settings, shipped: Shipped) -> Self {
        Self {
            settings,
            shipped,
            folders,
            ..Self::default()
        }
    }

    /// Whether the last writes are under way.
    pub fn is_writing_last(&self) -> bool {
        self.closing.job.is_some()
    }

    /// Failures of the last writes, for those who would lose work.
    pub fn last_failures(&self) -> &[String] {
        &self.closing.failures
    }

    pub(crate) fn flushed(&mut self, job: JobId) {
        self.closing.job.take_if(|flushing| *flushing == job);
    }

    /// Keeps the failure of a file in mind until the window closes.
    pub(crate) fn failed_to_write(&mut self, error: &Error) {
        if self.is_writing_last() {
            self.closing.failures.push(error.to_string());
        }
    }

    /// The settings of searches.
    pub fn search_options(&self) -> SearchOptions {
        SearchOptions {
            beam_size: self.settings.beam_size,
            ..SearchOptions::default()
        }
    }

    pub(crate) fn next_job(&mut self) -> JobId {
        self.num_jobs += 1;
        JobId(self.num_jobs)
    }

    /// A job without which work or settings would be lost.
    pub(crate) fn new_save_job(&mut self) -> JobId {
        let job = self.next_job();
        if self.keeping.len() == KEEPING {
            self.keeping.pop_front();
        }
        self.keeping.push_back(job);
        job
    }

    pub(crate) fn notify(
        &mut self,
        kind: NoticeKind,
        title: impl Into<String>,
        detail: impl Into<String>,
    ) {
        self.num_notices += 1;
        let until_secs = (kind != NoticeKind::Error).then_some(self.now_secs + NOTICE_SECS);
        let (title, detail) = (title.into(), detail.into());
        // The same message twice says no more than once.
        self.notices
            .retain(|notice| notice.title != title || notice.detail != detail);
        self.notices.push(Notice {
            id: self.num_notices,
            kind,
            title,
            detail,
            until_secs,
            ends_with_undo: false,
            button: None,
        });
    }

    /// Reports a change, until it is undone.
    pub(crate) fn notify_of_change(&mut self, title: impl Into<String>, detail: impl Into<String>) {
        self.notify(NoticeKind::Done, title, detail);
        if let Some(notice) = self.notices.last_mut() {
            notice.ends_with_undo = true;
        }
    }

    /// Gives the last message a button.
    pub(crate) fn with_button(&mut self, label: &'static str, command: Command) {
        if let Some(notice) = self.notices.last_mut() {
            notice.button = Some((label, command));
        }
    }

    /// Reports a failure, until it is dismissed.
    pub fn show_error(&mut self, title: &str, error: &(impl std::error::Error + 'static)) {
        let detail = in_words(error);
        let mut characters = detail.chars();
        let detail = characters.next().map_or_else(String::new, |first| {
            first.to_uppercase().chain(characters).collect()
        });
        self.notify(NoticeKind::Error, title, detail);
    }

    pub(crate) fn save_settings(&mut self) {
        let Some(path) = self.folders.settings_file() else {
            return;
        };
        let job = self.new_save_job();
        self.file_requests.push(FileRequest::Write {
            job,
            path,
            bytes: self.settings.to_bytes(),
        });
    }

    /// The folder of the user's work, models and runs.
    pub fn data_folder(&self) -> Option<&Path> {
        self.folders.data.as_deref()
    }

    /// The folder of the settings.
    pub fn config_folder(&self) -> Option<&Path> {
        self.folders.config.as_deref()
    }

    pub(crate) fn set(&mut self, change: impl FnOnce(&mut Settings)) {
        let before = self.settings.clone();
        change(&mut self.settings);
        if before != self.settings {
            self.save_settings();
        }
    }

    pub(crate) fn scale(&mut self, larger: bool) {
        self.set(|settings| settings.scale = settings.stepped_scale(larger));
    }

    pub(crate) fn model_folder(&self) -> Option<PathBuf> {
        let recent = self
            .settings
            .recent_models
            .first()
            .or(self.shipped.models.first());
        recent
            .and_then(|folder| folder.parent())
            .map(Path::to_owned)
    }

    /// The folder of this window's runs.
    pub fn runs_folder(&self) -> PathBuf {
        self.home().join("runs")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folders.data.clone().unwrap_or_default()
    }
}
