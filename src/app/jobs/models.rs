//! Installed models: they are listed, added and removed.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::pool::{Answerer, EventSender, Lane, Pool};
use super::project_folder::memories_at;
use super::{Event, JobControl, JobId, UserMemory};
use crate::error::{BaseError, Error, Result};
use crate::{ExploreEvent, ModelsEvent};
use canopy_base::error::caught;
use canopy_models::error::Error as ModelsError;
use canopy_models::interchange::{Archive, Encoder};
use canopy_models::weights::Precision;
use canopy_translate::inference::{
    KnownOfModel, described_model, install_known_model, installed_models, remove_model,
    state_languages, stated_language,
};

/// Work on installed models.
#[derive(Debug)]
pub enum ModelRequest {
    /// Lists all models again.
    List,
    /// Reads a possible model, and reports what it is.
    Inspect {
        /// Number of the job.
        job: JobId,
        /// Where the model may be.
        path: PathBuf,
    },
    /// Copies a model into the library; a break in `control` ends that without one.
    Add {
        /// Number of the job.
        job: JobId,
        /// The model.
        path: PathBuf,
        /// Languages that it translates between, if its files do not say them.
        languages: Option<[String; 2]>,
        /// The handle that cancels the job.
        control: JobControl,
    },
    /// Keeps the languages that a person states of a model of the library.
    State {
        /// Number of the job.
        job: JobId,
        /// Folder of the model.
        folder: PathBuf,
        /// Codes of the source and the target language.
        languages: [String; 2],
    },
    /// Reads a translation memory for a pair of languages that no model translates between.
    ReadMemory {
        /// Number of the job.
        job: JobId,
        /// The memory.
        memory: UserMemory,
        /// Codes of the source and the target language.
        languages: [String; 2],
    },
    /// Imports a sentence encoder from another program's files, into a folder next to the library.
    ImportEncoder {
        /// Number of the job.
        job: JobId,
        /// The file or folder of the other program.
        path: PathBuf,
    },
    /// Deletes a model of the library.
    Remove {
        /// Number of the job.
        job: JobId,
        /// Folder of the model.
        folder: PathBuf,
    },
}

/// The lane of [`ModelRequest`]s.
pub type ModelLane = Lane<ModelRequest>;

impl ModelLane {
    /// Lists the models of `library` and those that were `shipped` first.
    pub fn new(pool: &Pool, library: Option<PathBuf>, shipped: Vec<PathBuf>) -> Self {
        let lane = pool.lane(ModelFolders {
            library,
            shipped,
            events: pool.events().clone(),
        });
        lane.send(ModelRequest::List);
        lane
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

struct ModelFolders {
    library: Option<PathBuf>,
    shipped: Vec<PathBuf>,
    events: EventSender,
}

impl Answerer for ModelFolders {
    type Request = ModelRequest;

    fn answer(&mut self, request: ModelRequest) {
        match request {
            ModelRequest::List => self.list(),
            ModelRequest::Inspect { job, path } => {
                // What is wrong with it is the answer.
                let model = caught(|| Ok(Box::new(described_model(&path)?)));
                self.events
                    .send(ModelsEvent::Inspected { job, path, model });
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
                    Ok(Event::Models(ModelsEvent::Stated {
                        job,
                        folder: model.folder,
                    }))
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
                        self.events.send(ModelsEvent::MemoryLeftOut { job, error });
                    }
                    Arc::new(memory)
                });
                self.events.send(ModelsEvent::MemoryRead { job, memory });
            }
            ModelRequest::ImportEncoder { job, path } => {
                let done = caught(|| {
                    let folder = import_encoder(&path, self.library()?)?;
                    Ok(Event::Explore(ExploreEvent::EncoderImported {
                        job,
                        folder,
                    }))
                });
                self.events
                    .send(done.unwrap_or_else(|error| Event::Failed { job, error }));
            }
            ModelRequest::Remove { job, folder } => {
                let done = caught(|| {
                    remove_model(&folder, self.library()?)?;
                    Ok(Event::Models(ModelsEvent::Removed { job, folder }))
                });
                self.finish(job, done);
            }
        }
    }
}

impl ModelFolders {
    fn list(&self) {
        let listed = || Ok(installed_models(self.library.as_deref(), &self.shipped));
        let models: Result<_> = caught(listed);
        // Without a list those that the settings name can still be opened.
        let models = models.unwrap_or_default();
        self.events.send(ModelsEvent::Listed { models });
    }

    /// Lists the models first, so that a new one is in the list when it is announced.
    fn finish(&self, job: JobId, done: Result<Event>) {
        self.list();
        self.events
            .send(done.unwrap_or_else(|error| Event::Failed { job, error }));
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
            self.events.send(ModelsEvent::Copied { job, done, total });
            if control.is_cancelled() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        Ok(match added {
            Some(model) => Event::Models(ModelsEvent::Added {
                job,
                model: Box::new(model),
            }),
            None => Event::Cancelled { job },
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    use super::*;
    use canopy_translate::inference::starter_model_for;

    fn started(library: &Path) -> (ModelLane, Receiver<Event>) {
        let (sender, events) = channel();
        let pool = Pool::new("test", sender, || ()).expect("a thread");
        (
            ModelLane::new(&pool, Some(library.to_owned()), Vec::new()),
            events,
        )
    }

    fn next(events: &Receiver<Event>) -> Event {
        events
            .recv_timeout(Duration::from_mins(2))
            .expect("an event")
    }

    fn listed(event: Event) -> Vec<String> {
        let Event::Models(ModelsEvent::Listed { models }) = event else {
            panic!("{event:?}")
        };
        models.into_iter().map(|model| model.name).collect()
    }

    #[test]
    fn a_model_is_copied_reported_and_removed() {
        let home = tempfile::tempdir().expect("a folder");
        let library = home.path().join("models");
        let (lane, events) = started(&library);
        assert!(listed(next(&events)).is_empty());
        let path = starter_model_for(Some("de"), Some("en")).expect("in the repository");
        let add = |job, control: &JobControl| {
            lane.send(ModelRequest::Add {
                job: JobId(job),
                path: path.clone(),
                languages: None,
                control: control.clone(),
            });
        };
        let cancelled = JobControl::default();
        cancelled.cancel();
        add(1, &cancelled);
        assert!(matches!(
            next(&events),
            Event::Models(ModelsEvent::Copied { done: 0, .. })
        ));
        assert!(listed(next(&events)).is_empty());
        assert!(matches!(next(&events), Event::Cancelled { job: JobId(1) }));
        let left = std::fs::read_dir(&library).expect("a folder").count();
        assert_eq!(left, 0, "a copy that was broken off is gone");

        add(2, &JobControl::default());
        let (mut copied, mut names) = (Vec::new(), Vec::new());
        let model = loop {
            match next(&events) {
                Event::Models(ModelsEvent::Copied { done, total, .. }) => {
                    copied.push((done, total));
                }
                Event::Models(ModelsEvent::Added { model, .. }) => break model,
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
        lane.send(ModelRequest::Remove {
            job: JobId(4),
            folder,
        });
        assert!(listed(next(&events)).is_empty());
        assert!(matches!(
            next(&events),
            Event::Models(ModelsEvent::Removed { .. })
        ));
        assert!(path.is_dir(), "the original stays");
        lane.send(ModelRequest::Remove {
            job: JobId(5),
            folder: path.clone(),
        });
        next(&events);
        assert!(matches!(next(&events), Event::Failed { .. }));
        assert!(path.is_dir(), "what is not in the library is not deleted");
        lane.finish();
    }
}
