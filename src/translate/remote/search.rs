//! Searches and traces of a model on another machine.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::client::{Client, Fault, go_on, patiently};
use super::files::Files;
use super::messages::{
    Begun, Found, ModelReference, Polled, RerankerReference, SearchRequest, SentText,
};
use crate::error::{Error, Result};
use canopy_nn::search::{InvalidScores, SearchEvent, SearchOptions, SourceText};

/// A model that is here, to be computed with there. Its files are as they were when it was opened.
#[derive(Debug, Clone)]
pub struct RemoteModel {
    client: Arc<Client>,
    folder: PathBuf,
    files: Arc<Files>,
    reranker: Option<(PathBuf, Arc<Files>, u32)>,
}

impl RemoteModel {
    /// # Errors
    /// If the model's files cannot be read.
    pub fn new(client: &Arc<Client>, folder: &Path) -> Result<Self> {
        Ok(Self {
            client: Arc::clone(client),
            folder: folder.to_owned(),
            files: Arc::new(Files::at(folder)?),
            reranker: None,
        })
    }

    /// The machine that searches.
    pub fn client(&self) -> &Arc<Client> {
        &self.client
    }

    /// Names the model that chooses among the translations.
    ///
    /// # Errors
    /// If its files cannot be read.
    pub fn choose_by(&mut self, folder: &Path, weight: f32) -> Result<()> {
        let files = Arc::new(Files::at(folder)?);
        self.reranker = Some((folder.to_owned(), files, weight.to_bits()));
        Ok(())
    }

    /// Sends what the server lacks of it.
    fn reference(&self, languages: [String; 2], int8: bool) -> Result<ModelReference> {
        let reranker = self.reranker.as_ref().map(|(folder, files, weight)| {
            let files = self.client.upload(files, folder)?;
            Ok::<_, Error>(RerankerReference {
                files,
                weight: *weight,
            })
        });
        Ok(ModelReference {
            files: self.client.upload(&self.files, &self.folder)?,
            languages,
            int8,
            reranker: reranker.transpose()?,
        })
    }

    /// As [`search_documents`](canopy_nn::search::search_documents). What was found before a connection broke is not searched
    /// again; `found` gets `None` while there is nothing new, and may end the search then, too.
    ///
    /// # Errors
    /// If the connection stays broken, or the server cannot search.
    pub fn search(
        &self,
        (languages, int8): ([String; 2], bool),
        text: &SourceText,
        options: &SearchOptions,
        found: &mut dyn FnMut(Option<SearchEvent>) -> ControlFlow<()>,
    ) -> Result<Result<(), InvalidScores>> {
        let mut left = text.clone();
        while !left.wanted.is_empty() {
            let request = || {
                Ok(SearchRequest {
                    model: self.reference(languages.clone(), int8)?,
                    text: SentText::from_source(&left),
                    options: *options,
                })
            };
            let Some(begun) = self.begun("/searches", request, &mut || found(None))? else {
                return Ok(Ok(()));
            };
            let mut invalid = None;
            let mut take = |event| match event {
                None => found(None),
                Some(Found::Draft {
                    number,
                    hypothesis,
                    left: more,
                }) => {
                    let hypothesis: canopy_nn::search::Hypothesis = hypothesis.into();
                    left.known.insert(number, hypothesis.ids.clone());
                    found(Some(SearchEvent::Draft {
                        number,
                        hypothesis,
                        left: more,
                    }))
                }
                Some(Found::Translation { number, hypothesis }) => {
                    left.wanted.retain(|&wanted| wanted != number);
                    let hypothesis = hypothesis.into();
                    found(Some(SearchEvent::Translation { number, hypothesis }))
                }
                Some(Found::Invalid { number, found }) => {
                    invalid = Some(InvalidScores {
                        number,
                        found: f32::from_bits(found),
                    });
                    ControlFlow::Break(())
                }
                Some(Found::Failed { .. } | Found::Done) => ControlFlow::Continue(()),
            };
            let end = self.followed(&begun, &mut take)?;
            if let Some(invalid) = invalid {
                return Ok(Err(invalid));
            }
            match end {
                End::Cancelled | End::Done => return Ok(Ok(())),
                // It was begun anew; the rest is requested again.
                End::Forgotten => {}
            }
        }
        Ok(Ok(()))
    }

    /// Has the server do something whose result is a file, and writes that to `to`.
    ///
    /// # Errors
    /// As [`Self::search`].
    pub fn file_of<T: Serialize>(
        &self,
        path: &str,
        (languages, int8): ([String; 2], bool),
        request: impl Fn(ModelReference) -> T,
        to: &Path,
    ) -> Result<()> {
        loop {
            let request = || Ok(request(self.reference(languages.clone(), int8)?));
            let Some(begun) = self.begun(path, request, &mut go_on)? else {
                return Ok(());
            };
            let end = self.followed(&begun, &mut |_| ControlFlow::Continue(()))?;
            if matches!(end, End::Forgotten) {
                continue;
            }
            return self
                .client
                .download(&format!("/jobs/{}/result", begun.job), to);
        }
    }

    /// A job that the server has taken on; none if `idle` ended it.
    fn begun<T: Serialize>(
        &self,
        path: &str,
        request: impl Fn() -> Result<T>,
        idle: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<Begun>> {
        let (client, mut is_again) = (&self.client, false);
        loop {
            let body = serde_json::to_vec(&request()?).unwrap_or_default();
            match patiently(idle, || client.post(path, &body)) {
                Ok(begun) => return Ok(Some(begun)),
                Err(Fault::Cancelled) => return Ok(None),
                // Its store was emptied: what it lacks is sent again.
                Err(Fault::Gone(_)) if !is_again => {
                    client.forget_uploads();
                    is_again = true;
                }
                Err(fault) => return Err(client.error(fault)),
            }
        }
    }

    /// Takes what comes of a job until it ends; `None` while there is nothing new.
    fn followed(
        &self,
        Begun { job }: &Begun,
        take: &mut dyn FnMut(Option<Found>) -> ControlFlow<()>,
    ) -> Result<End> {
        let (client, mut seen) = (&self.client, 0);
        loop {
            let place = format!("/jobs/{job}/events?from={seen}");
            let polled: Polled = match patiently(&mut || take(None), || client.get(&place)) {
                Ok(polled) => polled,
                Err(Fault::Gone(_)) => return Ok(End::Forgotten),
                Err(Fault::Cancelled) => {
                    client.cancel(job);
                    return Ok(End::Cancelled);
                }
                Err(fault) => return Err(client.error(fault)),
            };
            seen += polled.events.len();
            let is_quiet = polled.events.is_empty();
            for event in polled.events {
                if let Found::Failed { message } = event {
                    return Err(client.refused(&message));
                }
                if take(Some(event)).is_break() {
                    client.cancel(job);
                    return Ok(End::Cancelled);
                }
            }
            if polled.ended {
                return Ok(End::Done);
            }
            if is_quiet && take(None).is_break() {
                client.cancel(job);
                return Ok(End::Cancelled);
            }
        }
    }
}

/// How a job ended.
enum End {
    Done,
    Cancelled,
    /// The server has begun anew, or has waited too long for this client.
    Forgotten,
}
