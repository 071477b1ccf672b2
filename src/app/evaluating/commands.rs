//! Commands of the page of evaluations.

use std::path::PathBuf;

use super::tracing::TracedUnit;
use super::{Evaluate, EvaluateCommand, Evaluating, OpenJudgement, TestSplit};
use crate::ask::DialogRequest;
use crate::command::Page;
use crate::jobs::{EvaluationJob, EvaluationRequest, FileRequest, JobControl, JobId};
use crate::models::Models;
use crate::notices::NoticeKind;
use crate::settings::Device;
use crate::shared::Shared;
use crate::state::AppState;
use crate::training::Training;
use canopy_corpus::Split;
use canopy_metrics::judgement::{Criterion, Vote};

impl AppState {
    pub(crate) fn execute_evaluate(&mut self, command: EvaluateCommand) {
        let unit = self
            .evaluate
            .execute(&mut self.shared, &mut self.training, command);
        if let Some(unit) = unit {
            self.trace_unit(unit);
        }
    }
}

impl Evaluate {
    /// Carries a command out; returns the unit whose trace it asks for.
    fn execute(
        &mut self,
        shared: &mut Shared,
        training: &mut Training,
        command: EvaluateCommand,
    ) -> Option<TracedUnit> {
        use EvaluateCommand as C;
        match command {
            C::ToggleModel(folder) => self.toggle(folder),
            C::AskModel => shared.asks.push(DialogRequest::EvaluatedModel {
                folder: shared.model_folder(),
            }),
            C::AddModel(folder) => {
                if !self.added.contains(&folder) {
                    self.added.push(folder.clone());
                }
                if !self.models.contains(&folder) {
                    self.models.push(folder);
                }
            }
            C::AskCorpus => shared.asks.push(DialogRequest::TestCorpus),
            C::UseCorpus(folder) => {
                self.corpus = Some(folder.clone());
                training.corpora.look_at(shared, &folder);
            }
            C::UseSplit(split) => self.split = TestSplit(split),
            C::CutSentences(cut) => self.cut_sentences = cut,
            C::Start => self.evaluate_models(shared),
            C::Cancel => self.cancel(),
            C::ShowEvaluation(number) => self.show_evaluation(number),
            C::Show(view) => self.view = view,
            C::Select(system) => self.selected = system,
            C::Trace(segment) => return self.traced_segment(shared, segment),
            C::AskSave(extension) => {
                let name = format!("scores.{extension}");
                shared.asks.push(DialogRequest::Scores { name });
            }
            C::Save(path) => self.save_evaluation(shared, path),
            C::Judge => self.begin_judgement(shared),
            C::AskJudgement => shared.asks.push(DialogRequest::OpenJudgement),
            C::OpenJudgement(path) => self.open_judgement(shared, path),
            C::Vote(criterion, vote) => self.vote(shared, criterion, vote),
            C::GoTo(document) => {
                if let Some(open) = &mut self.judgement
                    && document < open.judgement.documents.len()
                {
                    open.current = document;
                }
            }
            C::Reveal => {
                if let Some(open) = &mut self.judgement {
                    open.revealed = true;
                }
                self.keep_judgement(shared);
            }
            C::AskExportVotes => {
                let is_blind = self.judgement.as_ref().is_some_and(|open| !open.revealed);
                let ending = if is_blind { "json" } else { "csv" };
                let name = format!("judgement.{ending}");
                shared.asks.push(DialogRequest::Votes { name });
            }
            C::ExportVotes(path) => self.export_votes(shared, path),
            C::CloseJudgement => self.judgement = None,
            C::Contrast(command) => return self.execute_contrast(shared, command),
        }
        None
    }

    /// All models that can be chosen, each once: none that is known to translate between others than the languages of the
    /// corpus.
    pub fn testable_models(
        &self,
        shared: &Shared,
        models: &Models,
        training: &Training,
    ) -> Vec<PathBuf> {
        let mut testable = models.library.known_models(shared);
        for folder in &self.added {
            if !testable.contains(folder) {
                testable.push(folder.clone());
            }
        }
        if let Some(corpus) = &self.corpus {
            testable.retain(|model| training.corpora.fits(models, model, corpus) != Some(false));
        }
        testable
    }

    /// All corpora that can be chosen.
    pub fn known_corpora(&self, shared: &Shared, training: &Training) -> Vec<PathBuf> {
        let mut known = training.corpora.known.clone();
        let all = shared.settings.recent_corpora.iter().chain(&self.corpus);
        for folder in all {
            if !known.contains(folder) {
                known.push(folder.clone());
            }
        }
        known
    }

    /// Why an evaluation cannot start.
    pub fn why_no_evaluation(&self) -> Option<&'static str> {
        let lacks_corpus = self.corpus.is_none();
        self.why_not()
            .or(lacks_corpus.then_some("Choose a corpus with test documents."))
    }

    fn evaluate_models(&mut self, shared: &mut Shared) {
        if self.why_no_evaluation().is_some() {
            return;
        }
        let Some(corpus) = self.corpus.clone() else {
            return;
        };
        shared.settings.remember_corpus(&corpus);
        shared.save_settings();
        let (models, split, cut) = (self.models.clone(), self.split.0, self.cut_sentences);
        let device = shared.settings.device;
        self.start_evaluation(shared, models, corpus, split, cut, device);
    }

    /// The document of a segment, a paragraph a segment, with the model that is looked at.
    fn traced_segment(&self, shared: &Shared, segment: usize) -> Option<TracedUnit> {
        let (done, data) = (self.done.get(self.shown)?, shared.folders.data.as_ref()?);
        let evaluation = &done.evaluation;
        let segments = &evaluation.comparison.segments;
        let (found, model) = (segments.get(segment)?, done.models.get(self.selected)?);
        let document = found.segment.document;
        let of_document = segments.iter().filter(|it| it.segment.document == document);
        let paragraphs: Vec<&str> = of_document.map(|it| it.segment.source.as_str()).collect();
        let name = evaluation
            .comparison
            .documents
            .iter()
            .find(|it| it.document == document)
            .map_or_else(String::new, |it| file_name_of(&it.name));
        Some(TracedUnit {
            path: data.join("evaluated").join(format!("{name}.txt")),
            bytes: (paragraphs.join("\n\n") + "\n").into_bytes(),
            paragraph: found.segment.position,
            model: model.clone(),
            wanted: None,
        })
    }

    fn save_evaluation(&mut self, shared: &mut Shared, path: PathBuf) {
        let job = shared.next_job();
        let Some(done) = self.done.get(self.shown) else {
            return;
        };
        let evaluation = done.evaluation.clone();
        self.saving = Some((job, evaluation.clone()));
        self.requests.push(EvaluationRequest::Save {
            job,
            evaluation,
            path,
        });
    }

    fn begin_judgement(&mut self, shared: &mut Shared) {
        let Some(evaluation) = self.evaluation() else {
            return;
        };
        // Another order each time; the program's clock need not be secret.
        let seed = shared.now_secs.to_bits() ^ u64::from(std::process::id());
        let judgement = evaluation.judgement([0, self.selected], seed);
        if judgement.documents.is_empty() {
            let detail = "The two systems translate every document the same, or the documents are too short.";
            shared.notify(NoticeKind::Hint, "Nothing to judge", detail);
            return;
        }
        let path = shared.folders.data.as_ref().map(|data| {
            let [one, other] = &judgement.systems;
            let name = file_name_of(&format!("{one} vs {other}"));
            data.join("judgements")
                .join(format!("{name} {seed:016x}.json"))
        });
        self.judgement = Some(OpenJudgement {
            judgement,
            path,
            current: 0,
            revealed: false,
        });
        self.keep_judgement(shared);
    }

    fn open_judgement(&mut self, shared: &mut Shared, path: PathBuf) {
        // A few hundred kilobytes.
        match OpenJudgement::open(path) {
            Ok(open) => {
                shared.page = Page::Evaluate;
                self.judgement = Some(open);
            }
            Err(error) => shared.show_error("The judgement could not be opened", &error),
        }
    }

    fn vote(&mut self, shared: &mut Shared, criterion: Criterion, vote: Vote) {
        let Some(open) = &mut self.judgement else {
            return;
        };
        // Who knows whose they are judges no more.
        if open.revealed {
            return;
        }
        let document = &mut open.judgement.documents[open.current];
        document.set_vote(criterion, vote);
        if document.adequacy.is_some()
            && document.fluency.is_some()
            && let Some(next) = open.judgement.next_open()
        {
            open.current = next;
        }
        self.keep_judgement(shared);
    }

    /// After every vote, so that nothing is lost.
    pub(crate) fn keep_judgement(&mut self, shared: &mut Shared) {
        let job = shared.new_save_job();
        let Some(open) = &self.judgement else {
            return;
        };
        let Some(path) = open.path.clone() else {
            return;
        };
        let bytes = open.to_bytes();
        shared
            .file_requests
            .push(FileRequest::Write { job, path, bytes });
    }

    fn export_votes(&mut self, shared: &mut Shared, path: PathBuf) {
        let job = shared.next_job();
        let Some(open) = &self.judgement else {
            return;
        };
        let is_json = path
            .extension()
            .is_some_and(|extension| extension == "json");
        if !is_json && !open.revealed {
            let detail = "A table names the preferred systems: save as .json, or reveal first.";
            shared.notify(NoticeKind::Hint, "The judgement is still blind", detail);
            return;
        }
        let bytes = if is_json {
            open.to_bytes()
        } else {
            open.judgement.csv().into_bytes()
        };
        self.exporting = Some(job);
        shared
            .file_requests
            .push(FileRequest::Export { job, path, bytes });
    }
}

impl Evaluate {
    /// Has these models translate these documents.
    pub(crate) fn start_evaluation(
        &mut self,
        shared: &mut Shared,
        models: Vec<PathBuf>,
        corpus: PathBuf,
        split: Split,
        cut_sentences: bool,
        device: Device,
    ) -> JobId {
        let job = shared.next_job();
        let control = JobControl::default();
        let request = EvaluationJob {
            job,
            models: models.clone(),
            corpus,
            split,
            cut_sentences,
            beam_size: shared.settings.beam_size,
            device: device.into(),
            control: control.clone(),
        };
        self.running = Some(Evaluating {
            job,
            models,
            unit: "sentences",
            control,
            progress: None,
            started_secs: shared.now_secs,
            latest_secs: shared.now_secs,
        });
        let request = EvaluationRequest::Evaluate(Box::new(request));
        self.requests.push(request);
        job
    }
}

/// A name that every file system takes, of a hundred bytes at most.
fn file_name_of(name: &str) -> String {
    let is_safe = |letter: char| letter.is_alphanumeric() || " .-".contains(letter);
    name[..name.floor_char_boundary(100)]
        .chars()
        .map(|letter| if is_safe(letter) { letter } else { '_' })
        .collect()
}

impl Evaluate {
    fn toggle(&mut self, folder: PathBuf) {
        match self.models.iter().position(|chosen| *chosen == folder) {
            Some(place) => {
                self.models.remove(place);
            }
            None => self.models.push(folder),
        }
    }
}
