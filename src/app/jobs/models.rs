//! The thread that looks after installed models: lists, adds and removes them.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::project_folder::memories_at;
use super::{Event, JobControl, JobId, UserMemory};
use crate::error::{BaseError, Error, Result};
use canopy_base::error::caught;
use canopy_models::error::Error as ModelsError;
use canopy_models::interchange::{Archive, Encoder};
use canopy_models::weights::Precision;
use canopy_translate::inference::{
    KnownOfModel, described_model, install_known_model, installed_models, remove_model,
    state_languages, stated_language,
};

/// Work for the thread.
#[derive(Debug)]
pub enum ModelRequest {
    /// Lists all models again.
    List,
    /// Reads a possible model, and reports what it is.
    Inspect { job: JobId, path: PathBuf },
    /// Copies a model into the library; a break in `control` ends that without one.
    Add {
        job: JobId,
        path: PathBuf,
        /// Languages that it translates between, if its files do not say them.
        languages: Option<[String; 2]>,
        control: JobControl,
    },
    /// Keeps the languages that a person states of a model of the library.
    State {
        job: JobId,
        folder: PathBuf,
        languages: [String; 2],
    },
    /// Reads a translation memory for a pair of languages that no model translates between.
    ReadMemory {
        job: JobId,
        memory: UserMemory,
        languages: [String; 2],
    },
    /// Imports a sentence encoder from another program's files, into a folder next to the library.
    ImportEncoder { job: JobId, path: PathBuf },
    /// Deletes a model of the library.
    Remove { job: JobId, folder: PathBuf },
}

/// The window's end of the thread.
#[derive(Debug)]
pub struct ModelsThread {
    requests: Sender<ModelRequest>,
    thread: JoinHandle<()>,
}

impl ModelsThread {
    /// Starts the thread and has it list the models of `library` and those that were `shipped`; `wake` is called after every
    /// event.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(
        library: Option<PathBuf>,
        shipped: Vec<PathBuf>,
        events: Sender<Event>,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        let (requests, inbox) = channel();
        let thread = std::thread::Builder::new()
            .name("canopy-models".to_owned())
            .spawn(move || {
                let emit = |event| {
                    // The window may already be gone; then the event is not needed.
                    let _ = events.send(event);
                    wake();
                };
                Loop {
                    library,
                    shipped,
                    emit,
                }
                .run(&inbox);
            })
            .map_err(|cause| Error::Base(BaseError::Thread { cause }))?;
        Ok(Self { requests, thread })
    }

    /// Queues a request; `false` if the thread has ended.
    pub fn send(&self, request: ModelRequest) -> bool {
        self.requests.send(request).is_ok()
    }

    /// Waits until everything queued is done; what is being copied is to be cancelled before.
    pub fn finish(self) {
        drop(self.requests);
        // A panic in it has been reported already.
        let _ = self.thread.join();
    }
}

/// Reads a Sentence-BERT, else a Universal Sentence Encoder; writes it next to the folder of models.
fn import_encoder(path: &Path, library: &Path) -> Result<PathBuf> {
    let read =
        |make: fn(&mut Archive) -> Result<Encoder, ModelsError>| -> Result<(Encoder, Archive)> {
            let mut archive = Archive::open(path)?;
            Ok((make(&mut archive)?, archive))
        };
    let (encoder, archive) = match read(Encoder::sbert) {
        Ok(found) => found,
        // The first reason is that of the commoner kind.
        Err(error) => read(Encoder::universal).map_err(|_no_universal| error)?,
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let folders = library.with_file_name("encoders");
    let numbered = (2..).map(|number| format!("{name} {number}"));
    let mut names = std::iter::once(name.clone().into_owned()).chain(numbered);
    let folder = names
        .find_map(|name| Some(folders.join(name)).filter(|folder| !folder.exists()))
        .expect("there is no end of numbers");
    std::fs::create_dir_all(&folders).map_err(Error::write(&folders))?;
    encoder.save(&folder, &archive, None, Precision::Half)?;
    Ok(folder)
}

struct Loop<S> {
    library: Option<PathBuf>,
    shipped: Vec<PathBuf>,
    emit: S,
}

impl<S: Fn(Event)> Loop<S> {
    fn run(self, inbox: &Receiver<ModelRequest>) {
        self.list();
        while let Ok(request) = inbox.recv() {
            match request {
                ModelRequest::List => self.list(),
                ModelRequest::Inspect { job, path } => {
                    // What is wrong with it is the answer.
                    let model = caught(|| Ok(Box::new(described_model(&path)?)));
                    (self.emit)(Event::ModelInspected { job, path, model });
                }
                ModelRequest::Add {
                    job,
                    path,
                    languages,
                    control,
                } => {
                    let done = caught(|| self.add(job, &path, languages.as_ref(), &control));
                    self.finish(job, done);
                }
                ModelRequest::State {
                    job,
                    folder,
                    languages,
                } => {
                    let done = caught(|| {
                        let model = state_languages(&folder, languages.each_ref().map(|it| &**it))?;
                        Ok(Event::ModelStated {
                            job,
                            folder: model.folder,
                        })
                    });
                    self.finish(job, done);
                }
                ModelRequest::ReadMemory {
                    job,
                    memory: UserMemory { path, further, .. },
                    languages: [from, to],
                } => {
                    let read = caught(|| Ok(memories_at(&path, &further, &from, &to)?));
                    let memory = read.map(|(memory, left_out)| {
                        for error in left_out.into_iter().map(Error::from) {
                            (self.emit)(Event::MemoryLeftOut { job, error });
                        }
                        Arc::new(memory)
                    });
                    (self.emit)(Event::MemoryRead { job, memory });
                }
                ModelRequest::ImportEncoder { job, path } => {
                    let done = caught(|| {
                        let folder = import_encoder(&path, self.library()?)?;
                        Ok(Event::EncoderImported { job, folder })
                    });
                    (self.emit)(done.unwrap_or_else(|error| Event::Failed { job, error }));
                }
                ModelRequest::Remove { job, folder } => {
                    let done = caught(|| {
                        remove_model(&folder, self.library()?)?;
                        Ok(Event::ModelRemoved { job, folder })
                    });
                    self.finish(job, done);
                }
            }
        }
    }

    fn list(&self) {
        let listed = || Ok(installed_models(self.library.as_deref(), &self.shipped));
        let models: Result<_> = caught(listed);
        // Without a list those that the settings name can still be opened.
        let models = models.unwrap_or_default();
        (self.emit)(Event::ModelsListed { models });
    }

    /// Lists the models first, so that a new one is in the list when it is announced.
    fn finish(&self, job: JobId, done: Result<Event>) {
        self.list();
        (self.emit)(done.unwrap_or_else(|error| Event::Failed { job, error }));
    }

    fn library(&self) -> Result<&Path> {
        self.library.as_deref().ok_or_else(|| {
            Error::Base(BaseError::Config {
                field: "HOME",
                found: "not set".to_owned(),
                allowed: "the folder of a user, below which models are kept".to_owned(),
            })
        })
    }

    fn add(
        &self,
        job: JobId,
        path: &Path,
        languages: Option<&[String; 2]>,
        control: &JobControl,
    ) -> Result<Event> {
        let known = match languages {
            Some([source, target]) => KnownOfModel {
                sources: vec![stated_language("source", source)?],
                targets: vec![stated_language("target", target)?],
                is_stated: true,
                ..KnownOfModel::default()
            },
            None => KnownOfModel::default(),
        };
        let added = install_known_model(path, self.library()?, &known, &mut |done, total| {
            (self.emit)(Event::ModelCopied { job, done, total });
            if control.is_cancelled() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        Ok(match added {
            Some(model) => Event::ModelAdded {
                job,
                model: Box::new(model),
            },
            None => Event::Cancelled { job },
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use canopy_translate::inference::starter_model_for;

    fn started(library: &Path) -> (ModelsThread, Receiver<Event>) {
        let (sender, events) = channel();
        let thread = ModelsThread::spawn(Some(library.to_owned()), Vec::new(), sender, || ());
        (thread.expect("a thread"), events)
    }

    fn next(events: &Receiver<Event>) -> Event {
        events
            .recv_timeout(Duration::from_mins(2))
            .expect("an event")
    }

    fn listed(event: Event) -> Vec<String> {
        let Event::ModelsListed { models } = event else {
            panic!("{event:?}")
        };
        models.into_iter().map(|model| model.name).collect()
    }

    #[test]
    fn a_model_is_copied_reported_and_removed() {
        let home = tempfile::tempdir().expect("a folder");
        let library = home.path().join("models");
        let (thread, events) = started(&library);
        assert!(listed(next(&events)).is_empty());
        let path = starter_model_for(Some("de"), Some("en")).expect("in the repository");
        let add = |job, control: &JobControl| {
            thread.send(ModelRequest::Add {
                job: JobId(job),
                path: path.clone(),
                languages: None,
                control: control.clone(),
            });
        };
        let cancelled = JobControl::default();
        cancelled.cancel();
        add(1, &cancelled);
        assert!(matches!(next(&events), Event::ModelCopied { done: 0, .. }));
        assert!(listed(next(&events)).is_empty());
        assert!(matches!(next(&events), Event::Cancelled { job: JobId(1) }));
        let left = std::fs::read_dir(&library).expect("a folder").count();
        assert_eq!(left, 0, "a copy that was broken off is gone");

        add(2, &JobControl::default());
        let (mut copied, mut names) = (Vec::new(), Vec::new());
        let model = loop {
            match next(&events) {
                Event::ModelCopied { done, total, .. } => copied.push((done, total)),
                Event::ModelAdded { model, .. } => break model,
                event => names = listed(event),
            }
        };
        assert_eq!(names, std::slice::from_ref(&model.name));
        assert_eq!(copied.last(), Some(&(model.num_bytes, model.num_bytes)));
        // Never over an existing one.
        add(3, &JobControl::default());
        assert_eq!(listed(next(&events)).len(), 1);
        let again = next(&events);
        assert!(
            matches!(
                again,
                Event::Failed {
                    error: Error::Base(BaseError::Exists { .. }),
                    ..
                }
            ),
            "{again:?}"
        );

        let folder = model.folder.clone();
        thread.send(ModelRequest::Remove {
            job: JobId(4),
            folder,
        });
        assert!(listed(next(&events)).is_empty());
        assert!(matches!(next(&events), Event::ModelRemoved { .. }));
        assert!(path.is_dir(), "the original stays");
        thread.send(ModelRequest::Remove {
            job: JobId(5),
            folder: path.clone(),
        });
        next(&events);
        assert!(matches!(next(&events), Event::Failed { .. }));
        assert!(path.is_dir(), "what is not in the library is not deleted");
        thread.finish();
    }
}
