//! Commands of the page of evaluations.

use std::path::PathBuf;

use super::tracing::TracedUnit;
use super::{Evaluate, EvaluateCommand, Evaluating, OpenJudgement, TestSplit};
use crate::ask::Ask;
use crate::command::Page;
use crate::jobs::{EvaluationJob, EvaluationRequest, FileRequest, JobControl, JobId};
use crate::notices::NoticeKind;
use crate::settings::Device;
use crate::shared::Shared;
use crate::state::AppState;
use canopy_corpus::Split;
use canopy_metrics::judgement::{Criterion, Vote};

impl AppState {
    /// Carries a command out; returns the unit whose trace it asks for.
    pub(crate) fn apply_evaluate(&mut self, command: EvaluateCommand) -> Option<TracedUnit> {
        use EvaluateCommand as C;
        let page = &mut self.evaluate;
        match command {
            C::ToggleModel(folder) => page.toggle(folder),
            C::AskModel => self.shared.asks.push(Ask::EvaluatedModel {
                folder: self.shared.model_folder(),
            }),
            C::AddModel(folder) => {
                if !page.added.contains(&folder) {
                    page.added.push(folder.clone());
                }
                if !page.models.contains(&folder) {
                    page.models.push(folder);
                }
            }
            C::AskCorpus => self.shared.asks.push(Ask::TestCorpus),
            C::UseCorpus(folder) => {
                page.corpus = Some(folder.clone());
                self.training.look_at_corpus(&folder);
            }
            C::UseSplit(split) => page.split = TestSplit(split),
            C::CutSentences(cut) => page.cut_sentences = cut,
            C::Start => self.evaluate_models(),
            C::Cancel => page.cancel(),
            C::ShowEvaluation(number) => page.show_evaluation(number),
            C::Show(view) => page.view = view,
            C::Select(system) => page.selected = system,
            C::Trace(segment) => return self.traced_segment(segment),
            C::AskSave(extension) => {
                let name = format!("scores.{extension}");
                self.shared.asks.push(Ask::Scores { name });
            }
            C::Save(path) => self.save_evaluation(path),
            C::Judge => self.begin_judgement(),
            C::AskJudgement => self.shared.asks.push(Ask::OpenJudgement),
            C::OpenJudgement(path) => self.open_judgement(path),
            C::Vote(criterion, vote) => self.vote(criterion, vote),
            C::GoTo(document) => {
                if let Some(open) = &mut page.judgement
                    && document < open.judgement.documents.len()
                {
                    open.current = document;
                }
            }
            C::Reveal => {
                if let Some(open) = &mut page.judgement {
                    open.revealed = true;
                }
                self.keep_judgement();
            }
            C::AskExportVotes => {
                let is_blind = page.judgement.as_ref().is_some_and(|open| !open.revealed);
                let ending = if is_blind { "json" } else { "csv" };
                let name = format!("judgement.{ending}");
                self.shared.asks.push(Ask::Votes { name });
            }
            C::ExportVotes(path) => self.export_votes(path),
            C::CloseJudgement => page.judgement = None,
            C::Contrast(command) => return self.apply_contrast(command),
        }
        None
    }

    /// All models that can be chosen, each once: none that is known to translate between others than the languages of the
    /// corpus.
    pub fn testable_models(&self) -> Vec<PathBuf> {
        let mut models = self.models.known_models(&self.shared);
        for folder in &self.evaluate.added {
            if !models.contains(folder) {
                models.push(folder.clone());
            }
        }
        if let Some(corpus) = &self.evaluate.corpus {
            models.retain(|model| self.training.fits(&self.models, model, corpus) != Some(false));
        }
        models
    }

    /// All corpora that can be chosen.
    pub fn known_corpora(&self) -> Vec<PathBuf> {
        let mut known = self.training.corpora.clone();
        let all = self
            .shared
            .settings
            .recent_corpora
            .iter()
            .chain(&self.evaluate.corpus);
        for folder in all {
            if !known.contains(folder) {
                known.push(folder.clone());
            }
        }
        known
    }

    /// Why an evaluation cannot start.
    pub fn why_no_evaluation(&self) -> Option<&'static str> {
        let page = &self.evaluate;
        let lacks_corpus = page.corpus.is_none();
        page.why_not()
            .or(lacks_corpus.then_some("Choose a corpus with test documents."))
    }

    fn evaluate_models(&mut self) {
        if self.why_no_evaluation().is_some() {
            return;
        }
        let Some(corpus) = self.evaluate.corpus.clone() else {
            return;
        };
        self.shared.settings.remember_corpus(&corpus);
        self.shared.save_settings();
        let page = &self.evaluate;
        let (models, split, cut) = (page.models.clone(), page.split.0, page.cut_sentences);
        let device = self.shared.settings.device;
        self.evaluate
            .start_evaluation(&mut self.shared, models, corpus, split, cut, device);
    }

    /// The document of a segment, a paragraph a segment, with the model that is looked at.
    fn traced_segment(&self, segment: usize) -> Option<TracedUnit> {
        let page = &self.evaluate;
        let (done, data) = (
            page.done.get(page.shown)?,
            self.shared.folders.data.as_ref()?,
        );
        let evaluation = &done.evaluation;
        let segments = &evaluation.comparison.segments;
        let (found, model) = (segments.get(segment)?, done.models.get(page.selected)?);
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

    fn save_evaluation(&mut self, path: PathBuf) {
        let job = self.shared.next_job();
        let Some(done) = self.evaluate.done.get(self.evaluate.shown) else {
            return;
        };
        let evaluation = done.evaluation.clone();
        self.evaluate.saving = Some((job, evaluation.clone()));
        self.evaluate.requests.push(EvaluationRequest::Save {
            job,
            evaluation,
            path,
        });
    }

    fn begin_judgement(&mut self) {
        let page = &self.evaluate;
        let Some(evaluation) = page.evaluation() else {
            return;
        };
        // Another order each time; the program's clock need not be secret.
        let seed = self.shared.now_secs.to_bits() ^ u64::from(std::process::id());
        let judgement = evaluation.judgement([0, page.selected], seed);
        if judgement.documents.is_empty() {
            let detail = "The two systems translate every document the same, or the documents are too short.";
            self.shared
                .notify(NoticeKind::Hint, "Nothing to judge", detail);
            return;
        }
        let path = self.shared.folders.data.as_ref().map(|data| {
            let [one, other] = &judgement.systems;
            let name = file_name_of(&format!("{one} vs {other}"));
            data.join("judgements")
                .join(format!("{name} {seed:016x}.json"))
        });
        self.evaluate.judgement = Some(OpenJudgement {
            judgement,
            path,
            current: 0,
            revealed: false,
        });
        self.keep_judgement();
    }

    fn open_judgement(&mut self, path: PathBuf) {
        // A few hundred kilobytes.
        match OpenJudgement::open(path) {
            Ok(open) => {
                self.shared.page = Page::Evaluate;
                self.evaluate.judgement = Some(open);
            }
            Err(error) => self
                .shared
                .show_error("The judgement could not be opened", &error),
        }
    }

    fn vote(&mut self, criterion: Criterion, vote: Vote) {
        let Some(open) = &mut self.evaluate.judgement else {
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
        self.keep_judgement();
    }

    /// After every vote, so that nothing is lost.
    pub(crate) fn keep_judgement(&mut self) {
        let job = self.shared.keeping_job();
        let Some(open) = &self.evaluate.judgement else {
            return;
        };
        let Some(path) = open.path.clone() else {
            return;
        };
        let bytes = open.to_bytes();
        self.shared
            .file_requests
            .push(FileRequest::Write { job, path, bytes });
    }

    fn export_votes(&mut self, path: PathBuf) {
        let job = self.shared.next_job();
        let Some(open) = &self.evaluate.judgement else {
            return;
        };
        let is_json = path
            .extension()
            .is_some_and(|extension| extension == "json");
        if !is_json && !open.revealed {
            let detail = "A table names the preferred systems: save as .json, or reveal first.";
            self.shared
                .notify(NoticeKind::Hint, "The judgement is still blind", detail);
            return;
        }
        let bytes = if is_json {
            open.to_bytes()
        } else {
            open.judgement.csv().into_bytes()
        };
        self.evaluate.exporting = Some(job);
        self.shared
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
