//! Commands of the page of models.

use std::path::PathBuf;

use super::{Models, ModelsCommand};
use crate::ask::DialogRequest;
use crate::command::Page;
use crate::jobs::ModelRequest;
use crate::open_work::OpenWork;
use crate::shared::Shared;
use canopy_translate::inference::{forget_default, pair_key};

impl Models {
    pub(crate) fn execute(&mut self, work: &mut OpenWork<'_>, command: ModelsCommand) {
        use ModelsCommand as C;
        match command {
            C::Select(folder) => {
                self.selected = Some(folder);
                self.getting.is_open = false;
            }
            C::Get(command) => self.getting.execute(work.shared, &self.library, command),
            C::AskFolder => work.shared.asks.push(DialogRequest::AddModel),
            C::AskFile => work.shared.asks.push(DialogRequest::AddModelFile),
            C::Inspect(path) => self.inspect(work.shared, path, false),
            C::Bring(path) => self.inspect(work.shared, path, true),
            C::Add { path, languages } => self.installing.add(work.shared, path, languages),
            C::State { folder, languages } => {
                let job = work.shared.next_job();
                self.installing.requests.push(ModelRequest::State {
                    job,
                    folder,
                    languages,
                });
            }
            C::CancelAdding => {
                if let Some(adding) = &self.installing.adding {
                    adding.control.cancel();
                }
            }
            C::DismissFound => self.installing.found = None,
            C::AskRemove(folder) => self.installing.removing = Some(folder),
            C::Keep => self.installing.removing = None,
            C::Remove(folder) => {
                self.installing.removing = None;
                let job = work.shared.next_job();
                let request = ModelRequest::Remove { job, folder };
                self.installing.requests.push(request);
            }
            C::Use(folder) => {
                self.open_model(work, folder);
                self.installing.found = None;
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
            C::Choose => work.shared.asks.push(DialogRequest::ModelFolder {
                folder: work.shared.model_folder(),
            }),
            C::Open(folder) => self.open_model(work, folder),
            C::ChooseMemory => work.shared.asks.push(DialogRequest::Memory),
            C::ChooseMemoryFolder => work.shared.asks.push(DialogRequest::MemoryFolder),
            C::UseMemory(memory) => self.use_memory(work, memory),
            C::UseFurtherMemory(path, penalty) => self.use_further_memory(work, &path, penalty),
            C::LearnFromMemory(learns) => self.learn_from_memory(work, learns),
            C::SetDevice(device) => self.set_device(work, device),
        }
    }

    /// Reads a model that may be added.
    fn inspect(&mut self, shared: &mut Shared, path: PathBuf, is_wanted: bool) {
        self.getting.is_open = false;
        self.installing.inspect(shared, path, is_wanted);
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
