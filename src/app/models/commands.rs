//! Commands of the page of models.

use std::path::PathBuf;

use super::{Adding, Found, Models, ModelsCommand};
use crate::ask::Ask;
use crate::command::Page;
use crate::jobs::{JobControl, ModelRequest};
use crate::notices::NoticeKind;
use crate::open_work::OpenWork;
use crate::shared::Shared;
use canopy_translate::inference::{forget_default, pair_key};

impl Models {
    pub(crate) fn apply(&mut self, work: &mut OpenWork<'_>, command: ModelsCommand) {
        use ModelsCommand as C;
        match command {
            C::Select(folder) => {
                self.selected = Some(folder);
                self.getting.is_open = false;
            }
            C::Get(command) => self.apply_getting(work.shared, command),
            C::AskFolder => work.shared.asks.push(Ask::AddModel),
            C::AskFile => work.shared.asks.push(Ask::AddModelFile),
            C::Inspect(path) => self.inspect_model(work.shared, path, false),
            C::Bring(path) => self.inspect_model(work.shared, path, true),
            C::Add { path, languages } => self.add_model(work.shared, path, languages),
            C::State { folder, languages } => {
                let job = work.shared.next_job();
                self.requests.push(ModelRequest::State {
                    job,
                    folder,
                    languages,
                });
            }
            C::CancelAdding => {
                if let Some(adding) = &self.adding {
                    adding.control.cancel();
                }
            }
            C::DismissFound => self.found = None,
            C::AskRemove(folder) => self.removing = Some(folder),
            C::Keep => self.removing = None,
            C::Remove(folder) => {
                self.removing = None;
                let job = work.shared.next_job();
                let request = ModelRequest::Remove { job, folder };
                self.requests.push(request);
            }
            C::Use(folder) => {
                self.open_model(work, folder);
                self.found = None;
                if work.document.editing.open.is_some() {
                    work.shared.page = Page::Document;
                }
            }
            C::MakeDefault {
                folder,
                source,
                target,
            } => self.make_default(work, folder, &source, &target),
            C::ForgetDefault(pair) => work.shared.set(|settings| {
                settings.default_models.remove(&pair);
            }),
            C::TranslateFrom(source) => self.translate_from(work, &source),
            C::TranslateTo(target) => self.translate_to(work, &target),
        }
    }

    fn inspect_model(&mut self, shared: &mut Shared, path: PathBuf, is_wanted: bool) {
        shared.page = Page::Models;
        self.getting.is_open = false;
        let job = shared.next_job();
        self.found = Some(Found {
            path: path.clone(),
            job,
            is_wanted,
            model: None,
        });
        let request = ModelRequest::Inspect { job, path };
        self.requests.push(request);
    }

    pub(super) fn add_model(
        &mut self,
        shared: &mut Shared,
        path: PathBuf,
        languages: Option<[String; 2]>,
    ) {
        shared.page = Page::Models;
        if let Some(adding) = &self.adding {
            let detail = format!("{} is being added.", super::events::name_of(&adding.path));
            shared.notify(NoticeKind::Hint, "One model at a time", detail);
            return;
        }
        let job = shared.next_job();
        let control = JobControl::default();
        self.found = None;
        self.adding = Some(Adding {
            path: path.clone(),
            job,
            control: control.clone(),
            done: 0,
            total: 0,
        });
        self.requests.push(ModelRequest::Add {
            job,
            path,
            languages,
            control,
        });
    }

    fn make_default(
        &mut self,
        work: &mut OpenWork<'_>,
        folder: PathBuf,
        source: &str,
        target: &str,
    ) {
        let key = pair_key(source, target);
        work.shared.set(|settings| {
            settings.default_models.insert(key, folder.clone());
            // The program begins with the one used last; a document takes that of its languages.
            settings.default_model.take_if(|first| *first != folder);
        });
        let current = work.document.languages(self);
        let is_current = current.is_some_and(|(from, to)| from == source && to == target);
        if is_current && !work.document.translations.is_busy() {
            self.open_between(work, source, Some(target));
        }
    }
}

/// Forgets a model that is gone.
pub(super) fn forget_model(shared: &mut Shared, folder: &PathBuf) {
    shared.set(|settings| {
        forget_default(&mut settings.default_models, folder);
        settings.default_model.take_if(|first| first == folder);
        settings.recent_models.retain(|recent| recent != folder);
    });
}
