//! Models of catalogues: what is listed, between which languages it is shown, and what is being downloaded.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{LanguageNote, Library, Models};
use crate::command::Page;
use crate::error::{BaseError, Error};
use crate::jobs::{CatalogueRequest, JobControl, JobId, ModelRequest};
use crate::language;
use crate::notices::NoticeKind;
use crate::open_work::OpenWork;
use crate::shared::Shared;
use canopy_base::error::find;
use canopy_translate::catalogue::{
    Catalogue, CatalogueModel, DEFAULT_CATALOGUES, Installation, Look, Progress,
};
use canopy_translate::error::Error as TranslateError;
use canopy_translate::inference::{InstalledModel, set_where_none};

/// A command of the page of catalogues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GettingCommand {
    /// Shows the models between these languages, or between those shown last, and reads the lists if that was not done.
    Open {
        /// Code of the source language.
        from: Option<String>,
        /// Code of the target language.
        to: Option<String>,
    },
    /// Closes the page.
    Close,
    /// Shows those from this language; none shows all.
    From(Option<String>),
    /// Shows those to this language; none shows all.
    To(Option<String>),
    /// Reads the lists again.
    Look,
    /// Downloads the model of this catalogue and name.
    Get {
        /// Name of the catalogue.
        catalogue: String,
        /// Name of the model in it.
        name: String,
    },
    /// Ends the download under way.
    Cancel,
    /// Adds a catalogue: an address, a file or a folder.
    Add(String),
    /// Forgets one of a person's own.
    Remove(String),
    /// Switches a known one on or off.
    Switch {
        /// Name of the catalogue.
        name: String,
        /// Whether its models are listed.
        on: bool,
    },
    /// Hides the message of a download that failed.
    DismissFailure,
}

/// Whether the lists are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lists {
    /// They were not read.
    #[default]
    NotRead,
    /// They are being read.
    Reading(JobId),
    /// They are read.
    Read,
}

/// A model on its way.
#[derive(Debug, Clone)]
pub struct Downloading {
    /// The model.
    pub model: CatalogueModel,
    job: JobId,
    /// The handle that cancels the job.
    pub control: JobControl,
    /// Bytes that have come, and their total.
    pub progress: Progress,
}

/// The page of catalogues.
#[derive(Debug, Default)]
pub struct Getting {
    /// Whether it is shown in place of the selected model.
    pub is_open: bool,
    /// Codes of the languages between which models are shown; none shows all.
    pub from: Option<String>,
    /// Code of the language that is translated to; none shows all.
    pub to: Option<String>,
    /// Whether the lists are read.
    pub lists: Lists,
    /// The answers of the catalogues.
    pub look: Arc<Look>,
    /// The model on its way.
    pub downloading: Option<Downloading>,
    /// The model that was not downloaded, and why.
    pub failure: Option<(String, String)>,
    /// Bytes of downloads that were broken off, by catalogue and name.
    arrived: BTreeMap<(String, String), u64>,
    /// For its lanes; the window sends and empties it.
    pub requests: Vec<CatalogueRequest>,
}

impl Getting {
    /// The models that are shown.
    pub fn shown(&self) -> Vec<&CatalogueModel> {
        self.look.between(self.from.as_deref(), self.to.as_deref())
    }

    /// Codes and names of all languages that listed models translate from, or to, by name.
    pub fn languages(&self, is_source: bool) -> Vec<(String, String)> {
        let mut named: Vec<(String, String)> = Vec::new();
        for model in &self.look.models {
            let codes = if is_source {
                &model.sources
            } else {
                &model.targets
            };
            for code in codes {
                if !named.iter().any(|(known, _)| known == code) {
                    named.push((code.clone(), language::name(code)));
                }
            }
        }
        named.sort_by(|a, b| a.1.cmp(&b.1));
        named
    }

    /// Bytes of a model that an earlier download has brought.
    pub fn arrived(&self, model: &CatalogueModel) -> u64 {
        let key = (model.catalogue.clone(), model.name.clone());
        self.arrived.get(&key).copied().unwrap_or_default()
    }

    pub(crate) fn read(
        &mut self,
        job: JobId,
        look: Look,
        arrived: BTreeMap<(String, String), u64>,
    ) {
        if self.lists == Lists::Reading(job) {
            self.lists = Lists::Read;
            self.look = Arc::new(look);
            self.arrived = arrived;
        }
    }

    pub(crate) fn progress(&mut self, job: JobId, progress: Progress) {
        let downloading = self.downloading.as_mut();
        if let Some(downloading) = downloading.filter(|it| it.job == job) {
            downloading.progress = progress;
        }
    }

    pub(crate) fn cancelled(&mut self, job: JobId, arrived: u64) {
        if let Some(ended) = self.downloading.take_if(|it| it.job == job) {
            let key = (ended.model.catalogue, ended.model.name);
            self.arrived.insert(key, arrived);
        }
    }

    pub(super) fn execute(
        &mut self,
        shared: &mut Shared,
        library: &Library,
        command: GettingCommand,
    ) {
        use GettingCommand as C;
        match command {
            C::Open { from, to } => {
                shared.page = Page::Models;
                self.is_open = true;
                if from.is_some() {
                    (self.from, self.to) = (from, to);
                }
                if self.lists == Lists::NotRead {
                    self.read_catalogues(shared);
                }
            }
            C::Close => self.is_open = false,
            C::From(code) => self.from = code,
            C::To(code) => self.to = code,
            C::Look => self.read_catalogues(shared),
            C::Get { catalogue, name } => self.request(shared, library, &catalogue, &name),
            C::Cancel => {
                if let Some(downloading) = &self.downloading {
                    downloading.control.cancel();
                }
            }
            C::Add(text) => self.add_catalogue(shared, &text),
            C::Remove(text) => {
                shared.set(|settings| settings.catalogues.retain(|it| *it != text));
                self.read_catalogues(shared);
            }
            C::Switch { name, on } => {
                shared.set(|settings| {
                    settings.catalogues_off.retain(|it| *it != name);
                    if !on {
                        settings.catalogues_off.push(name);
                    }
                });
                self.read_catalogues(shared);
            }
            C::DismissFailure => self.failure = None,
        }
    }

    fn add_catalogue(&mut self, shared: &mut Shared, text: &str) {
        let text = text.trim().to_owned();
        if let Err(error) = Catalogue::named(&text) {
            shared.show_error("Not a catalogue", &error);
            return;
        }
        let known = DEFAULT_CATALOGUES
            .iter()
            .any(|known| known.address == text || known.name == text);
        shared.set(|settings| {
            if !known && !settings.catalogues.contains(&text) {
                settings.catalogues.push(text);
            }
        });
        self.read_catalogues(shared);
    }

    fn read_catalogues(&mut self, shared: &mut Shared) {
        let settings = &shared.settings;
        match Catalogue::chosen(&settings.catalogues, &settings.catalogues_off) {
            Ok(catalogues) => {
                let job = shared.next_job();
                self.lists = Lists::Reading(job);
                let request = CatalogueRequest::Look { job, catalogues };
                self.requests.push(request);
            }
            Err(error) => shared.show_error("One of your catalogues cannot be read", &error),
        }
    }

    fn request(&mut self, shared: &mut Shared, library: &Library, catalogue: &str, name: &str) {
        if let Some(downloading) = &self.downloading {
            let detail = format!("{} is being downloaded.", downloading.model.name);
            shared.notify(NoticeKind::Hint, "One model at a time", detail);
            return;
        }
        let look = Arc::clone(&self.look);
        let is_it = |model: &&CatalogueModel| model.catalogue == catalogue && model.name == name;
        let Some(model) = look.models.iter().find(is_it) else {
            return;
        };
        let replaces = model.installation(&library.all) == Installation::Update;
        let job = shared.next_job();
        let control = JobControl::default();
        self.failure = None;
        self.downloading = Some(Downloading {
            model: model.clone(),
            job,
            control: control.clone(),
            progress: Progress::default(),
        });
        self.requests.push(CatalogueRequest::Get {
            job,
            model: Box::new(model.clone()),
            replaces,
            control,
        });
    }

    /// Takes a failure in, if it is one of these jobs.
    pub(crate) fn failed(&mut self, shared: &mut Shared, job: JobId, error: &Error) -> bool {
        if self.lists == Lists::Reading(job) {
            self.lists = Lists::Read;
            shared.show_error("The catalogues cannot be read", error);
            return true;
        }
        let Some(ended) = self.downloading.take_if(|it| it.job == job) else {
            return false;
        };
        let reason = match (find(error), find(error)) {
            (Some(TranslateError::Download { reason, .. }), _) => reason.clone(),
            (_, Some(BaseError::Exists { path })) => format!(
                "a model of its name is installed already, in {}; remove that one first",
                path.display()
            ),
            _ => error.to_string(),
        };
        self.failure = Some((ended.model.name, reason));
        true
    }

    /// Ends the download of a model that is installed.
    fn downloaded(&mut self, job: JobId) {
        if let Some(ended) = self.downloading.take_if(|it| it.job == job) {
            let key = (ended.model.catalogue, ended.model.name);
            self.arrived.remove(&key);
        }
    }
}

impl Models {
    pub(crate) fn model_downloaded(
        &mut self,
        work: &mut OpenWork<'_>,
        job: JobId,
        model: &InstalledModel,
    ) {
        self.getting.downloaded(job);
        self.library.forget_failure(&model.folder);
        self.selected = Some(model.folder.clone());
        work.shared
            .set(|settings| set_where_none(&mut settings.default_models, model));
        let detail = match (model.sources.as_slice(), model.targets.as_slice()) {
            ([source], [target]) => {
                let [source, target] = [source, target].map(|code| language::name(code));
                format!("It translates from {source} to {target}.")
            }
            _ => format!("It translates {}.", model.pair()),
        };
        work.shared.notify(
            NoticeKind::Done,
            format!("{} is installed", model.name),
            detail,
        );
        let note = work.document.pair(self).note(work.shared);
        self.library.add(model.clone());
        match note {
            Some(LanguageNote::NoModel { code, target, .. }) => {
                self.open_for_document(work, model, &code, target.map(|(target, _)| target));
            }
            Some(LanguageNote::NoPair { source, target })
                if model.target(&source, Some(&target)).is_some() =>
            {
                self.open_for_document(work, model, &source, Some(target));
            }
            _ => {}
        }
        self.installing.requests.push(ModelRequest::List);
    }

    /// Opens a new model for a document that none fitted.
    fn open_for_document(
        &mut self,
        work: &mut OpenWork<'_>,
        model: &InstalledModel,
        source: &str,
        target: Option<String>,
    ) {
        let target = target.filter(|target| model.target(source, Some(target)).is_some());
        if model.translates_from(source) && work.document.translations.running.is_none() {
            self.open_between(work, source, target.as_deref());
        }
    }
}
