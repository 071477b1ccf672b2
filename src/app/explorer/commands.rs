//! Commands of the explorer.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::present::Present;
use super::section::UNASKED_BYTES;
use super::{Awaited, ExploreCommand, Explorer, Inquiry, Origin};
use crate::ask::DialogRequest;
use crate::command::Page;
use crate::document::DocumentPage;
use crate::jobs::{Answer, ExplainRequest, JobControl, JobId, Request};
use crate::models::{ModelState, Models};
use crate::open_work::OpenWork;
use crate::shared::Shared;
use canopy_explain::{ContextEdit, Explanation, Heads, ModelView, Question, ViewKind};

impl Explorer {
    /// Whether the command would do something now.
    pub(crate) fn is_enabled(&self, command: &ExploreCommand) -> bool {
        !matches!(command, ExploreCommand::Back) || self.inquiry.can_go_back()
    }

    pub(crate) fn execute(
        &mut self,
        work: &mut OpenWork<'_>,
        models: &mut Models,
        command: ExploreCommand,
    ) {
        use ExploreCommand as C;
        let present = Present::new(work.document, models, work.projects);
        let mut question = self.inquiry.question;
        match command {
            C::View(view) => {
                question.view = view;
                if view == ViewKind::Tree {
                    question.query = self.inquiry.for_tree(question.query);
                }
                self.look_at(work.shared, present, Some(question));
            }
            C::Side(side) => {
                (question.query.side, question.query.word) = (side, None);
                self.look_at(work.shared, present, Some(question));
            }
            C::Layer(layer) => {
                question.query.layer = Some(layer);
                self.look_at(work.shared, present, Some(question));
            }
            C::EachHead => {
                question.each_head = true;
                self.look_at(work.shared, present, Some(question));
            }
            C::Heads(heads) => {
                (question.query.heads, question.each_head) = (heads, false);
                if heads == Heads::Usual {
                    question.query.layer = None;
                }
                self.look_at(work.shared, present, Some(question));
            }
            C::Order(order) => {
                question.order = order;
                self.look_at(work.shared, present, Some(question));
            }
            C::Select(spot) => self.look_at(work.shared, present, Some(self.inquiry.about(spot))),
            C::SelectWholeSentence => {
                question.query.word = None;
                self.look_at(work.shared, present, Some(question));
            }
            C::NextWord => self.look_at(work.shared, present, self.inquiry.stepped_word(1)),
            C::PreviousWord => self.look_at(work.shared, present, self.inquiry.stepped_word(-1)),
            C::NextSentence => self.look_at(work.shared, present, self.inquiry.stepped_sentence(1)),
            C::PreviousSentence => {
                self.look_at(work.shared, present, self.inquiry.stepped_sentence(-1));
            }
            C::Back => {
                if self.inquiry.go_back() {
                    self.request_trace(work.shared, present);
                }
            }
            C::Trace(top_t) => self.trace_document(work, models, None, top_t),
            C::TraceWith(folder) => {
                let folder = std::path::absolute(&folder).unwrap_or(folder);
                self.next_model = Some(folder.clone());
                models.open_model(work, folder);
            }
            C::TraceSection(sentence) => {
                let part = present.traced_section(sentence);
                self.trace_document(work, models, part, None);
            }
            C::AskOpenTrace => work.shared.asks.push(DialogRequest::OpenTrace {
                folder: work.document.editing.document_folder(work.shared),
            }),
            C::OpenTrace(path) => self.open_trace(work.shared, path, false),
            C::AskCompare => work.shared.asks.push(DialogRequest::CompareTrace {
                folder: work.document.editing.document_folder(work.shared),
            }),
            C::CompareWith(path) => self.open_trace(work.shared, path, true),
            C::StopComparing => {
                if self.compared.take().is_some() {
                    self.request_trace(work.shared, present);
                }
            }
            C::AskEncoder => work.shared.asks.push(DialogRequest::Encoder),
            C::AskEncoderToImport(is_folder) => work.shared.asks.push(if is_folder {
                DialogRequest::EncoderFolder
            } else {
                DialogRequest::EncoderFile
            }),
            C::ImportEncoder(path) => self.similarity.import(work.shared, models, path),
            C::UseEncoder(folder) => self.use_encoder(work.shared, present, folder),
            C::Measure(measure) => {
                self.similarity.measure = measure;
                self.request_trace(work.shared, present);
            }
            C::StopEncoding => self.similarity.stop(),
            C::EditContext(edit) => self.edit_context(work.shared, present, edit),
            C::Cancel => self.cancel_explanation(),
            C::Retry => self.request_trace(work.shared, present),
            C::AskSaveFigure(extension) => self.ask_save_explanation(work.shared, extension),
            C::SaveFigure(path) => self.save_figure(work.shared, path),
            C::AskSaveTrace => self.ask_save_explanation(work.shared, "trace"),
            C::SaveTrace(path) => self.save_trace(work.shared, path),
            C::ShowInDocument(sentence) => {
                self.show_in_document(work.shared, work.document, sentence);
            }
        }
    }

    fn look_at(&mut self, shared: &mut Shared, present: Present<'_>, question: Option<Question>) {
        if question.is_some_and(|question| self.inquiry.turn_to(question))
            && !self.has_answer(shared, present)
        {
            self.request_trace(shared, present);
        }
    }

    /// Whether the model's answer about another word of the sentence answers this question too.
    fn has_answer(&mut self, shared: &Shared, present: Present<'_>) -> bool {
        let (is_present, question) = (
            self.inquiry.is_present(shared, present),
            self.inquiry.question,
        );
        let Some(Ok(answer)) = &self.answer else {
            return false;
        };
        let selected = (question.view, question.query.sentence);
        let is_answered = answer.explanation.sentence_view() == Some(selected);
        if self.pending.is_some() || !is_present || !is_answered {
            return false;
        }
        let mut same = Answer::clone(answer);
        same.question = question;
        same.explanation.select(question.query.word);
        self.revision += 1;
        self.answer = Some(Ok(Arc::new(same)));
        true
    }

    /// Puts the present question to the trace.
    pub(super) fn request_trace(&mut self, shared: &mut Shared, present: Present<'_>) {
        let job = shared.next_job();
        if self.inquiry.question.view.model_view().is_none() {
            self.cancel_pending();
        }
        if self.inquiry.question.view == ViewKind::Similarity {
            self.request_similarity(shared, job);
            return;
        }
        self.similarity.stop();
        let Inquiry {
            trace: Some(trace),
            question,
            ..
        } = &self.inquiry
        else {
            return;
        };
        if let Some(view) = question.view.model_view()
            && self.inquiry.is_present(shared, present)
        {
            let sentence = question.query.sentence;
            if view == ModelView::LeaveOneOut {
                // It takes long, and helps no other sentence.
                self.cancel_pending();
            }
            self.request_explanation(shared, present.document, job, (view, sentence), None);
            return;
        }
        let request = ExplainRequest::Answer {
            job,
            source: trace.source.clone(),
            compared: self.compared.clone(),
            question: *question,
        };
        self.pending = Some(job);
        self.requests.push(request);
    }

    /// Scores the translation that is shown with an edited sentence in its context.
    fn edit_context(&mut self, shared: &mut Shared, present: Present<'_>, edit: ContextEdit) {
        let sentence = match &self.answer {
            Some(Ok(answer)) => match &answer.explanation {
                Explanation::LeaveOneOut(view) => view.sentence,
                _ => return,
            },
            _ => return,
        };
        if self.is_behind() || !self.inquiry.is_present(shared, present) {
            return;
        }
        let job = shared.next_job();
        self.request_explanation(
            shared,
            present.document,
            job,
            (ModelView::LeaveOneOut, sentence),
            Some(edit),
        );
    }

    fn cancel_explanation(&mut self) {
        if self.is_behind() {
            self.cancel_pending();
            self.revision += 1;
            self.answer = Some(Err("It was stopped.".to_owned()));
        }
    }

    /// The model itself answers.
    fn request_explanation(
        &mut self,
        shared: &mut Shared,
        document: &DocumentPage,
        job: JobId,
        (view, sentence): (ModelView, usize),
        edit: Option<ContextEdit>,
    ) {
        let Some(document) = &document.editing.open else {
            return;
        };
        // What the model has begun to adapt to for one sentence, it needs for the next one too.
        let control = self.pending_control.clone();
        let request = Request::Explain {
            job,
            view,
            document: document.document.clone(),
            targets: document.targets.texts(),
            sentence,
            edit,
            options: shared.search_options(),
            control,
        };
        self.pending = Some(job);
        shared.requests.push(request);
    }

    /// Shows the page; what it can show by itself it does.
    pub(crate) fn show_page(&mut self, work: &mut OpenWork<'_>, models: &Models) {
        let present = Present::new(work.document, models, work.projects);
        work.shared.page = Page::Explore;
        if present.why_no_trace().is_none() && !self.is_traced(work.shared, present) {
            self.trace_unasked(work, models);
            return;
        }
        let is_empty = self.inquiry.trace.is_none() && self.awaited.is_none();
        if let Some(example) = work.shared.shipped.traces.first().cloned()
            && is_empty
            && work.document.editing.open.is_none()
        {
            self.open_trace(work.shared, example, false);
            return;
        }
        // Where the reader was in the document.
        let Some(sentence) = work
            .document
            .editing
            .selected()
            .filter(|_| self.is_traced(work.shared, present))
        else {
            return;
        };
        if self.inquiry.question.query.sentence != sentence {
            let mut question = self.inquiry.question;
            question.query.sentence = sentence;
            question.query.word = None;
            self.look_at(work.shared, present, Some(question));
        }
    }

    /// Starts the trace when its last requirement arrives while the page is shown.
    pub(crate) fn trace_if_shown(&mut self, work: &mut OpenWork<'_>, models: &Models) {
        if work.shared.page == Page::Explore && self.inquiry.trace.is_none() {
            self.trace_unasked(work, models);
        }
    }

    /// Whether the trace that is shown, or made, is of the document as it is now.
    pub fn is_traced(&self, shared: &Shared, present: Present<'_>) -> bool {
        let awaited = self.awaited.as_ref().and_then(Awaited::origin);
        let shown = self.inquiry.trace.as_ref().map(|trace| &trace.origin);
        let now = present.origin(shared);
        now.is_some() && now.as_ref() == awaited.or(shown)
    }

    /// Traces the document with the model that was opened for that, and shows its tree.
    pub(crate) fn trace_with_next_model(&mut self, work: &mut OpenWork<'_>, models: &Models) {
        let Some(folder) = self.next_model.take() else {
            return;
        };
        if matches!(&models.in_use.current, ModelState::Open { info, .. } if info.folder == folder)
        {
            self.inquiry.question.view = ViewKind::Tree;
            self.inquiry.question.query = self.inquiry.for_tree(self.inquiry.question.query);
            self.trace_unasked(work, models);
        }
    }

    /// Traces the document if that costs little; else the page shows the cost and asks.
    fn trace_unasked(&mut self, work: &mut OpenWork<'_>, models: &Models) {
        let bytes = Present::new(work.document, models, work.projects).trace_bytes(None);
        if bytes.is_some_and(|bytes| bytes <= UNASKED_BYTES) {
            self.trace_document(work, models, None, None);
        }
    }

    fn trace_document(
        &mut self,
        work: &mut OpenWork<'_>,
        models: &Models,
        part: Option<Range<usize>>,
        top_t: Option<usize>,
    ) {
        work.document.editing.keep_edit_if_valid(work.shared);
        let present = Present::new(work.document, models, work.projects);
        if present.why_no_trace().is_some() {
            return;
        }
        let (Some(origin), Some(open)) = (present.origin(work.shared), &work.document.editing.open)
        else {
            return;
        };
        let (targets, traced) = (open.targets.texts(), open.document.clone());
        let job = work.shared.next_job();
        self.awaited = Some(Awaited::Trace { job, origin });
        work.shared.requests.push(Request::Trace {
            job,
            document: traced,
            targets,
            part,
            top_t,
        });
    }

    fn open_trace(&mut self, shared: &mut Shared, path: PathBuf, compared: bool) {
        let job = shared.next_job();
        let request = ExplainRequest::Open {
            job,
            path: path.clone(),
        };
        shared.page = Page::Explore;
        self.awaited = Some(Awaited::File {
            job,
            path,
            compared,
        });
        self.requests.push(request);
    }

    fn ask_save_explanation(&mut self, shared: &mut Shared, extension: &'static str) {
        let Some(source) = self.inquiry.source() else {
            return;
        };
        let document = &source.overview().document;
        let stem = document
            .rsplit_once('.')
            .map_or(document.as_str(), |parts| parts.0);
        let name = format!("{stem}.{extension}");
        shared.asks.push(if extension == "trace" {
            DialogRequest::Trace { name }
        } else {
            DialogRequest::Explanation { name }
        });
    }

    fn save_figure(&mut self, shared: &mut Shared, path: PathBuf) {
        let job = shared.next_job();
        let Some(Ok(answer)) = &self.answer else {
            return;
        };
        let request = ExplainRequest::SaveFigure {
            job,
            answer: answer.clone(),
            theme: self.theme,
            path,
        };
        self.saving = Some(job);
        self.requests.push(request);
    }

    fn save_trace(&mut self, shared: &mut Shared, path: PathBuf) {
        let job = shared.next_job();
        let Some(trace) = &self.inquiry.trace else {
            return;
        };
        let request = ExplainRequest::SaveTrace {
            job,
            source: trace.source.clone(),
            path,
        };
        self.saving = Some(job);
        self.requests.push(request);
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
