//! Commands of the page of models.

use std::path::PathBuf;

use super::{Adding, Found, ModelsCommand};
use crate::ask::Ask;
use crate::command::Page;
use crate::jobs::{JobControl, ModelRequest};
use crate::notices::NoticeKind;
use crate::state::AppState;
use canopy_translate::inference::{forget_default, pair_key};

impl AppState {
    pub(crate) fn apply_models(&mut self, command: ModelsCommand) {
        use ModelsCommand as C;
        let models = &mut self.models;
        match command {
            C::Select(folder) => {
                models.selected = Some(folder);
                models.getting.is_open = false;
            }
            C::Get(command) => self.apply_getting(command),
            C::AskFolder => self.shared.asks.push(Ask::AddModel),
            C::AskFile => self.shared.asks.push(Ask::AddModelFile),
            C::Inspect(path) => self.inspect_model(path, false),
            C::Bring(path) => self.inspect_model(path, true),
            C::Add { path, languages } => self.add_model(path, languages),
            C::State { folder, languages } => {
                let job = self.shared.next_job();
                self.models.requests.push(ModelRequest::State {
                    job,
                    folder,
                    languages,
                });
            }
            C::CancelAdding => {
                if let Some(adding) = &models.adding {
                    adding.control.cancel();
                }
            }
            C::DismissFound => models.found = None,
            C::AskRemove(folder) => models.removing = Some(folder),
            C::Keep => models.removing = None,
            C::Remove(folder) => {
                models.removing = None;
                let job = self.shared.next_job();
                let request = ModelRequest::Remove { job, folder };
                self.models.requests.push(request);
            }
            C::Use(folder) => {
                self.open_model(folder);
                self.models.found = None;
                if self.document.open.is_some() {
                    self.shared.page = Page::Document;
                }
            }
            C::MakeDefault {
                folder,
                source,
                target,
            } => self.make_default(folder, &source, &target),
            C::ForgetDefault(pair) => self.shared.set(|settings| {
                settings.default_models.remove(&pair);
            }),
            C::TranslateFrom(source) => self.translate_from(&source),
            C::TranslateTo(target) => self.translate_to(&target),
        }
    }

    fn inspect_model(&mut self, path: PathBuf, is_wanted: bool) {
        self.shared.page = Page::Models;
        self.models.getting.is_open = false;
        let job = self.shared.next_job();
        self.models.found = Some(Found {
            path: path.clone(),
            job,
            is_wanted,
            model: None,
        });
        let request = ModelRequest::Inspect { job, path };
        self.models.requests.push(request);
    }

    pub(super) fn add_model(&mut self, path: PathBuf, languages: Option<[String; 2]>) {
        self.shared.page = Page::Models;
        if let Some(adding) = &self.models.adding {
            let detail = format!("{} is being added.", super::events::name_of(&adding.path));
            self.shared
                .notify(NoticeKind::Hint, "One model at a time", detail);
            return;
        }
        let job = self.shared.next_job();
        let control = JobControl::default();
        let models = &mut self.models;
        models.found = None;
        models.adding = Some(Adding {
            path: path.clone(),
            job,
            control: control.clone(),
            done: 0,
            total: 0,
        });
        models.requests.push(ModelRequest::Add {
            job,
            path,
            languages,
            control,
        });
    }

    fn make_default(&mut self, folder: PathBuf, source: &str, target: &str) {
        let key = pair_key(source, target);
        self.shared.set(|settings| {
            settings.default_models.insert(key, folder.clone());
            // The program begins with the one used last; a document takes that of its languages.
            settings.default_model.take_if(|first| *first != folder);
        });
        let current = self.document.languages(&self.models);
        let is_current = current.is_some_and(|(from, to)| from == source && to == target);
        if is_current && !self.document.is_busy() {
            self.open_between(source, Some(target));
        }
    }

    /// Forgets a model that is gone.
    pub(super) fn forget_model(&mut self, folder: &PathBuf) {
        self.shared.set(|settings| {
            forget_default(&mut settings.default_models, folder);
            settings.default_model.take_if(|first| first == folder);
            settings.recent_models.retain(|recent| recent != folder);
        });
    }
}
