//! Commands of the explorer.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::section::UNASKED_BYTES;
use super::{Awaited, ExploreCommand, Explorer, Origin};
use crate::ask::Ask;
use crate::command::Page;
use crate::jobs::{Answer, ExplainRequest, JobControl, JobId, Request};
use crate::models::ModelState;
use crate::state::AppState;
use canopy_explain::{ContextEdit, Explanation, Heads, ModelView, Question, ViewKind};
use canopy_translate::inference::{InstalledModel, Reads};

impl AppState {
    pub(crate) fn apply_explore(&mut self, command: ExploreCommand) {
        use ExploreCommand as C;
        let explorer = &self.explorer;
        let mut question = explorer.question;
        match command {
            C::View(view) => {
                question.view = view;
                if view == ViewKind::Tree {
                    question.query = explorer.for_tree(question.query);
                }
                self.turn_to(Some(question));
            }
            C::Side(side) => {
                (question.query.side, question.query.word) = (side, None);
                self.turn_to(Some(question));
            }
            C::Layer(layer) => {
                question.query.layer = Some(layer);
                self.turn_to(Some(question));
            }
            C::EachHead => {
                question.each_head = true;
                self.turn_to(Some(question));
            }
            C::Heads(heads) => {
                (question.query.heads, question.each_head) = (heads, false);
                if heads == Heads::Usual {
                    question.query.layer = None;
                }
                self.turn_to(Some(question));
            }
            C::Order(order) => {
                question.order = order;
                self.turn_to(Some(question));
            }
            C::Select(spot) => self.turn_to(Some(explorer.about(spot))),
            C::SelectWholeSentence => {
                question.query.word = None;
                self.turn_to(Some(question));
            }
            C::NextWord => self.turn_to(explorer.stepped_word(1)),
            C::PreviousWord => self.turn_to(explorer.stepped_word(-1)),
            C::NextSentence => self.turn_to(explorer.stepped_sentence(1)),
            C::PreviousSentence => self.turn_to(explorer.stepped_sentence(-1)),
            C::Back => {
                if let Some(question) = self.explorer.back.pop() {
                    self.explorer.question = self.explorer.fitted(question);
                    self.request_trace();
                }
            }
            C::Trace(top_t) => self.trace_document(None, top_t),
            C::TraceWith(folder) => {
                let folder = std::path::absolute(&folder).unwrap_or(folder);
                self.explorer.next_model = Some(folder.clone());
                self.models.open_model(
                    &mut self.shared,
                    &mut self.document,
                    &self.projects,
                    folder,
                );
            }
            C::TraceSection(sentence) => {
                let part = self.traced_section(sentence);
                self.trace_document(part, None);
            }
            C::AskOpenTrace => self.shared.asks.push(Ask::OpenTrace {
                folder: self.document.document_folder(&self.shared),
            }),
            C::OpenTrace(path) => self.open_trace(path, false),
            C::AskCompare => self.shared.asks.push(Ask::CompareTrace {
                folder: self.document.document_folder(&self.shared),
            }),
            C::CompareWith(path) => self.open_trace(path, true),
            C::StopComparing => {
                if self.explorer.compared.take().is_some() {
                    self.request_trace();
                }
            }
            C::AskEncoder => self.shared.asks.push(Ask::Encoder),
            C::AskEncoderToImport(is_folder) => self.shared.asks.push(if is_folder {
                Ask::EncoderFolder
            } else {
                Ask::EncoderFile
            }),
            C::ImportEncoder(path) => self.import_encoder(path),
            C::UseEncoder(folder) => self.use_encoder(folder),
            C::Measure(measure) => self.use_measure(measure),
            C::StopEncoding => self.stop_comparing_sentences(),
            C::EditContext(edit) => self.edit_context(edit),
            C::Cancel => self.cancel_explanation(),
            C::Retry => self.request_trace(),
            C::AskSaveFigure(extension) => self.ask_save_explanation(extension),
            C::SaveFigure(path) => self.save_figure(path),
            C::AskSaveTrace => self.ask_save_explanation("trace"),
            C::SaveTrace(path) => self.save_trace(path),
            C::ShowInDocument(sentence) => self.show_in_document(sentence),
        }
    }

    fn turn_to(&mut self, question: Option<Question>) {
        if question.is_some_and(|question| self.explorer.turn_to(question)) && !self.has_answer() {
            self.request_trace();
        }
    }

    /// Whether the model's answer about another word of the sentence answers this question too.
    fn has_answer(&mut self) -> bool {
        let (is_present, question) = (self.shows_present(), self.explorer.question);
        let explorer = &mut self.explorer;
        let Some(Ok(answer)) = &explorer.answer else {
            return false;
        };
        let selected = (question.view, question.query.sentence);
        let is_answered = answer.explanation.of_sentence() == Some(selected);
        if explorer.pending.is_some() || !is_present || !is_answered {
            return false;
        }
        let mut same = Answer::clone(answer);
        same.question = question;
        same.explanation.select(question.query.word);
        explorer.revision += 1;
        explorer.answer = Some(Ok(Arc::new(same)));
        true
    }

    /// Puts the present question to the trace.
    pub(super) fn request_trace(&mut self) {
        let job = self.shared.next_job();
        if self.explorer.question.view.of_model().is_none() {
            self.explorer.cancel_pending();
        }
        if self.explorer.question.view == ViewKind::Similarity {
            self.request_similarity(job);
            return;
        }
        self.stop_comparing_sentences();
        let Explorer {
            trace: Some(trace),
            question,
            ..
        } = &self.explorer
        else {
            return;
        };
        if let Some(view) = question.view.of_model()
            && self.shows_present()
        {
            let sentence = question.query.sentence;
            if view == ModelView::LeaveOneOut {
                // It takes long, and helps no other sentence.
                self.explorer.cancel_pending();
            }
            self.request_explanation(job, (view, sentence), None);
            return;
        }
        let request = ExplainRequest::Answer {
            job,
            source: trace.source.clone(),
            compared: self.explorer.compared.clone(),
            question: *question,
        };
        self.explorer.pending = Some(job);
        self.explorer.requests.push(request);
    }

    /// Scores the translation that is shown with an edited sentence in its context.
    fn edit_context(&mut self, edit: ContextEdit) {
        let sentence = match &self.explorer.answer {
            Some(Ok(answer)) => match &answer.explanation {
                Explanation::LeaveOneOut(view) => view.sentence,
                _ => return,
            },
            _ => return,
        };
        if self.explorer.is_behind() || !self.shows_present() {
            return;
        }
        let job = self.shared.next_job();
        self.request_explanation(job, (ModelView::LeaveOneOut, sentence), Some(edit));
    }

    fn cancel_explanation(&mut self) {
        let explorer = &mut self.explorer;
        if explorer.is_behind() {
            explorer.cancel_pending();
            explorer.revision += 1;
            explorer.answer = Some(Err("It was stopped.".to_owned()));
        }
    }

    /// The model itself answers.
    fn request_explanation(
        &mut self,
        job: JobId,
        (view, sentence): (ModelView, usize),
        edit: Option<ContextEdit>,
    ) {
        let Some(document) = &self.document.open else {
            return;
        };
        // What the model has begun to adapt to for one sentence, it needs for the next one too.
        let control = self.explorer.pending_control.clone();
        let request = Request::Explain {
            job,
            view,
            document: document.document.clone(),
            targets: document.target_texts(),
            sentence,
            edit,
            options: self.shared.search_options(),
            control,
        };
        self.explorer.pending = Some(job);
        self.shared.requests.push(request);
    }

    /// Shows the page; what it can show by itself it does.
    pub(crate) fn show_explorer(&mut self) {
        self.shared.page = Page::Explore;
        if self.why_no_trace().is_none() && !self.is_traced() {
            self.trace_unasked();
            return;
        }
        let is_empty = self.explorer.trace.is_none() && self.explorer.awaited.is_none();
        if let Some(example) = self.shared.shipped.traces.first().cloned()
            && is_empty
            && self.document.open.is_none()
        {
            self.open_trace(example, false);
            return;
        }
        // Where the reader was in the document.
        let Some(sentence) = self.document.selected().filter(|_| self.is_traced()) else {
            return;
        };
        if self.explorer.question.query.sentence != sentence {
            let mut question = self.explorer.question;
            question.query.sentence = sentence;
            question.query.word = None;
            self.turn_to(Some(question));
        }
    }

    /// Starts the trace when its last requirement arrives while the page is shown.
    pub(crate) fn trace_if_shown(&mut self) {
        if self.shared.page == Page::Explore && self.explorer.trace.is_none() {
            self.trace_unasked();
        }
    }

    /// The open document with its targets and the open model.
    pub(super) fn traceable(&self) -> Option<Origin> {
        let ModelState::Open { info, .. } = &self.models.current else {
            return None;
        };
        let document = self.document.open.as_ref()?;
        Some(Origin::Document {
            path: document.path.clone(),
            document: document.document.clone(),
            revision: document.total_revision(),
            model: info.folder.clone(),
            memory: self
                .models
                .user_memory(&self.shared, &self.document, &self.projects),
        })
    }

    /// Whether the trace that is shown is of the document as it is now.
    fn shows_present(&self) -> bool {
        let shown = self.explorer.trace.as_ref().map(|trace| &trace.origin);
        let now = self.traceable();
        now.is_some() && now.as_ref() == shown
    }

    /// Whether the trace that is shown, or made, is of the document as it is now.
    pub fn is_traced(&self) -> bool {
        let explorer = &self.explorer;
        let awaited = explorer.awaited.as_ref().and_then(Awaited::origin);
        let shown = explorer.trace.as_ref().map(|trace| &trace.origin);
        let now = self.traceable();
        now.is_some() && now.as_ref() == awaited.or(shown)
    }

    /// Why the open document cannot be traced now.
    pub fn why_no_trace(&self) -> Option<&'static str> {
        let Some(document) = &self.document.open else {
            return Some("No document is open.");
        };
        match &self.models.current {
            ModelState::None => Some("No model is open."),
            ModelState::Opening { .. } => Some("The model is being opened."),
            ModelState::Open { .. } if self.document.running.is_some() => {
                Some("The document is being translated.")
            }
            ModelState::Open { .. } => {
                let counts = document.counts();
                (counts.untranslated == counts.total())
                    .then_some("Nothing of the document is translated yet.")
            }
        }
    }

    /// An installed model that reads documents in the languages of the open one, if that reads each sentence by itself.
    pub fn model_of_documents(&self) -> Option<&InstalledModel> {
        let ModelState::Open { info, .. } = &self.models.current else {
            return None;
        };
        if !matches!(info.reads, Reads::Nothing | Reads::Confirmed) {
            return None;
        }
        let is_one = |codes: &[String], code: &str| matches!(codes, [only] if only == code);
        self.models.all.iter().find(|model| {
            model.reads_documents
                && is_one(&model.sources, &info.source_language)
                && is_one(&model.targets, &info.target_language)
                && self.models.problem(model).is_none()
        })
    }

    /// Traces the document with the model that was opened for that, and shows its tree.
    pub(crate) fn trace_with_next_model(&mut self) {
        let Some(folder) = self.explorer.next_model.take() else {
            return;
        };
        if matches!(&self.models.current, ModelState::Open { info, .. } if info.folder == folder) {
            self.explorer.question.view = ViewKind::Tree;
            self.explorer.question.query = self.explorer.for_tree(self.explorer.question.query);
            self.trace_unasked();
        }
    }

    /// Traces the document if that costs little; else the page shows the cost and asks.
    fn trace_unasked(&mut self) {
        if self
            .trace_bytes(None)
            .is_some_and(|bytes| bytes <= UNASKED_BYTES)
        {
            self.trace_document(None, None);
        }
    }

    fn trace_document(&mut self, part: Option<Range<usize>>, top_t: Option<usize>) {
        self.document.keep_edit_if_valid(&self.shared);
        if self.why_no_trace().is_some() {
            return;
        }
        let (Some(origin), Some(document)) = (self.traceable(), &self.document.open) else {
            return;
        };
        let (targets, document) = (document.target_texts(), document.document.clone());
        let job = self.shared.next_job();
        self.explorer.awaited = Some(Awaited::Trace { job, origin });
        self.shared.requests.push(Request::Trace {
            job,
            document,
            targets,
            part,
            top_t,
        });
    }

    fn open_trace(&mut self, path: PathBuf, compared: bool) {
        let job = self.shared.next_job();
        let request = ExplainRequest::Open {
            job,
            path: path.clone(),
        };
        self.shared.page = Page::Explore;
        self.explorer.awaited = Some(Awaited::File {
            job,
            path,
            compared,
        });
        self.explorer.requests.push(request);
    }

    fn ask_save_explanation(&mut self, extension: &'static str) {
        let Some(source) = self.explorer.source() else {
            return;
        };
        let document = &source.overview().document;
        let stem = document
            .rsplit_once('.')
            .map_or(document.as_str(), |parts| parts.0);
        let name = format!("{stem}.{extension}");
        self.shared.asks.push(if extension == "trace" {
            Ask::Trace { name }
        } else {
            Ask::Explanation { name }
        });
    }

    fn save_figure(&mut self, path: PathBuf) {
        let job = self.shared.next_job();
        let Some(Ok(answer)) = &self.explorer.answer else {
            return;
        };
        let request = ExplainRequest::SaveFigure {
            job,
            answer: answer.clone(),
            theme: self.explorer.theme,
            path,
        };
        self.explorer.saving = Some(job);
        self.explorer.requests.push(request);
    }

    fn save_trace(&mut self, path: PathBuf) {
        let job = self.shared.next_job();
        let Some(trace) = &self.explorer.trace else {
            return;
        };
        let request = ExplainRequest::SaveTrace {
            job,
            source: trace.source.clone(),
            path,
        };
        self.explorer.saving = Some(job);
        self.explorer.requests.push(request);
    }
}

impl Explorer {
    /// Nobody waits for the model's answer any more.
    pub(crate) fn cancel_pending(&mut self) {
        self.pending = None;
        self.pending_control.cancel();
        self.pending_control = JobControl::default();
        self.taking_in = None;
    }
}

impl Awaited {
    fn origin(&self) -> Option<&Origin> {
        match self {
            Self::Trace { origin, .. } => Some(origin),
            Self::File { .. } => None,
        }
    }
}
