//! The sample run: one click begins it, both models are compared, and one click leads to what decided a noun.

use std::path::{Path, PathBuf};

use canopy::app::training::{SampleStage, TrainingCommand};
use canopy::app::{
    EvaluateCommand, EvaluateEvent, ModelsCommand, ModelsEvent, Page, RunEvent, WindowCommand,
};
use canopy::error::Error;
use canopy::evaluation::Evaluation;
use canopy::inference::DeviceChoice;
use canopy::jobs::{
    CorpusImport, EvaluationRequest, JobId, RunRequest, TrainingJob, TrainingRequest,
};
use canopy::metrics::comparison::{
    ComparedSegment, ComparedSystem, ComparedTest, ComparisonOptions, compare,
};
use canopy::training::{EndReason, Order, TrainingEvent};

use super::training::page;
use super::*;

const TRY: Command = Command::Training(TrainingCommand::TrySample);

/// The page after a click on the button, and the job that writes the tales.
fn begun(home: &Path) -> (Harness<'static, Window>, JobId) {
    let mut harness = page(home).harness();
    harness.run();
    harness.get_by_label("Try a sample run").click();
    harness.run_steps(4);
    assert_eq!(harness.state().commands, [TRY]);
    let requests = &mut harness.state_mut().state.shared.run_requests;
    let Some(RunRequest::MakeCorpus { job, import, .. }) = requests.pop() else {
        panic!("the tales are written");
    };
    let corpora = home.join("corpora");
    assert!(matches!(*import, CorpusImport::Tales { corpora: below } if below == corpora));
    (harness, job)
}

/// Both runs wait.
pub(super) fn learning(home: &Path) -> (Harness<'static, Window>, Vec<TrainingJob>) {
    let (mut harness, job) = begun(home);
    harness.get_by_label_contains("a language that Canopy made up");
    let state = &mut harness.state_mut().state;
    let folder = home.join("corpora/sample tales");
    let pairs = 9;
    state.receive(RunEvent::CorpusMade { job, folder, pairs });
    let requests = state.training.runs.requests.drain(..);
    let jobs: Vec<TrainingJob> = requests
        .map(|request| match request {
            TrainingRequest::Start(job) => *job,
            order @ TrainingRequest::Order { .. } => panic!("{order:?}"),
        })
        .collect();
    assert_eq!(jobs.len(), 2);
    assert!(
        state.shared.notices.is_empty(),
        "{:?}",
        state.shared.notices
    );
    harness.run_steps(4);
    (harness, jobs)
}

/// Saves the models of both runs.
fn save_models(jobs: &[TrainingJob]) -> Vec<PathBuf> {
    let best = jobs.iter().map(|job| job.run.join("checkpoints/best"));
    let best: Vec<PathBuf> = best.collect();
    for folder in &best {
        std::fs::create_dir_all(folder).expect("a folder");
        std::fs::write(folder.join("model.toml"), "").expect("a file");
    }
    best
}

/// Three tales with two nouns each; the first model has one of three right.
fn evaluation() -> Evaluation {
    let nouns = ["erina", "sciuro", "testudi"];
    let segments = (0..6).map(|number| ComparedSegment {
        source: format!("Now the animal {number} sings."),
        reference: format!("Bamo {} nalak.", nouns[number % 3]),
        document: number / 2,
        position: number % 2,
        rarest: None,
    });
    let segments: Vec<ComparedSegment> = segments.collect();
    let system = |name: &str, alone: bool| ComparedSystem {
        name: name.to_owned(),
        hypotheses: segments
            .iter()
            .map(|segment| {
                if !alone {
                    return segment.reference.clone();
                }
                let other = segment.reference.replace("sciuro", "sciura");
                other.replace("testudi", "testuda")
            })
            .collect(),
    };
    let test = ComparedTest {
        documents: ["one", "two", "three"].map(str::to_owned).into(),
        systems: vec![system("plain", true), system("tree", false)],
        segments: segments.clone(),
    };
    let options = ComparisonOptions {
        samples: 50,
        trials: 200,
        ..ComparisonOptions::default()
    };
    Evaluation {
        test: "sample tales, test".to_owned(),
        words_per_second: vec![100.0, 80.0],
        beam_size: 4,
        comparison: compare(&test, &options),
    }
}

/// Both have learned, and their scores are there.
pub(super) fn compared(home: &Path) -> (Harness<'static, Window>, Vec<PathBuf>) {
    let (mut harness, jobs) = learning(home);
    let models = save_models(&jobs);
    harness.get_by_label_contains("This model reads one sentence at a time");
    let state = &mut harness.state_mut().state;
    assert_eq!(state.training.runs.selected.as_deref(), Some(&*jobs[0].run));
    state.receive(Event::Finished { job: jobs[0].job });
    assert_eq!(state.training.runs.selected.as_deref(), Some(&*jobs[1].run));
    harness.run_steps(4);
    harness.get_by_label_contains("This model reads the whole tale");
    let state = &mut harness.state_mut().state;
    state.receive(Event::Finished { job: jobs[1].job });
    let Some(EvaluationRequest::Evaluate(job)) = state.evaluate.requests.pop() else {
        panic!("both are compared");
    };
    assert_eq!(job.models, models);
    assert_eq!(job.corpus, home.join("corpora/sample tales"));
    harness.run_steps(4);
    harness.get_by_label_contains("Both translate 50 tales");
    let state = &mut harness.state_mut().state;
    let evaluation = Arc::new(evaluation());
    state.receive(EvaluateEvent::Evaluated {
        job: job.job,
        evaluation,
        expected: None,
    });
    harness.run_steps(4);
    (harness, models)
}

#[test]
fn one_click_writes_the_tales_and_trains_both_models_on_the_cpu() {
    let home = tempfile::tempdir().expect("a folder");
    let (harness, jobs) = learning(home.path());
    let runs = home.path().join("runs");
    for (job, (name, preset)) in jobs.iter().zip([
        ("sample sentence by sentence", "transformer-tiny"),
        ("sample whole document", "hierarchical-conditional-tiny"),
    ]) {
        assert_eq!(job.run, runs.join(name));
        assert_eq!(job.config.preset, preset);
        assert_eq!(job.device, DeviceChoice::Cpu);
        assert!(
            harness
                .state()
                .state
                .training
                .runs
                .compared
                .contains(&job.run)
        );
    }
    assert!(
        !home.path().join("corpora").exists(),
        "that is the thread's"
    );
}

#[test]
fn a_second_sample_run_leaves_the_first_one_alone() {
    let home = tempfile::tempdir().expect("a folder");
    for name in ["sample sentence by sentence", "sample whole document"] {
        std::fs::create_dir_all(home.path().join("runs").join(name)).expect("a folder");
    }
    let (_, jobs) = learning(home.path());
    let names = jobs.iter().map(|job| job.run.file_name().expect("a name"));
    let expected = ["sample sentence by sentence 2", "sample whole document 2"];
    assert_eq!(names.collect::<Vec<_>>(), expected);
}

#[test]
fn both_models_stand_side_by_side_and_lead_to_what_decided_a_noun() {
    let home = tempfile::tempdir().expect("a folder");
    let (mut harness, models) = compared(home.path());
    harness.get_by_label_contains("33 % sentence by sentence, 100 % with the whole document");
    assert_eq!(harness.state().state.lost_by_closing(), None);
    harness.get_by_label("See both side by side").click();
    harness.run_steps(4);
    assert_eq!(harness.state().state.shared.page, Page::Evaluate);
    for number in ["33 %", "100 %"] {
        harness.get_by_label(number);
    }
    assert!(harness.query_all_by_label("BLEU").next().is_some());
    harness.state_mut().commands.clear();
    harness.get_by_label("See what it read").click();
    harness.run_steps(4);
    let [Command::Evaluate(EvaluateCommand::Trace(segment))] = harness.state().commands[..] else {
        panic!("{:?}", harness.state().commands);
    };
    assert!(
        [1, 2, 4, 5].contains(&segment),
        "where the first one is wrong"
    );
    let state = &mut harness.state_mut().state;
    let opened = state
        .shared
        .requests
        .iter()
        .find_map(|request| match request {
            Request::OpenModel { folder, .. } => Some(folder.clone()),
            _ => None,
        });
    assert_eq!(opened.as_ref(), Some(&models[1]), "the one that read it");
}

#[test]
fn the_model_of_a_language_that_does_not_exist_is_not_the_next_one_to_begin_with() {
    let home = tempfile::tempdir().expect("a folder");
    let mut window = page(home.path());
    for (language, is_remembered) in [("qaa", false), ("de", true)] {
        let state = &mut window.state;
        state.apply(ModelsCommand::Open("model".into()));
        let Some(Request::OpenModel { job, folder, .. }) = state.shared.requests.pop() else {
            panic!("it is opened");
        };
        let info = ModelInfo {
            target_language: language.to_owned(),
            ..info(folder)
        };
        state.receive(ModelsEvent::Opened {
            job,
            info,
            device_name: "CPU".to_owned(),
            memory: None,
        });
        assert_eq!(
            !state.shared.settings.recent_models.is_empty(),
            is_remembered
        );
    }
}

#[test]
fn a_sample_run_can_be_stopped_at_any_time_and_tried_again() {
    let home = tempfile::tempdir().expect("a folder");
    let (mut harness, job) = begun(home.path());
    harness.get_by_label("Stop the sample").click();
    harness.run_steps(4);
    harness.state_mut().state.receive(Event::Cancelled { job });
    harness.run_steps(4);
    harness.get_by_label_contains("It was stopped");
    harness.get_by_label("Try again").click();
    harness.run_steps(4);
    harness.get_by_label("Stop the sample");

    let (mut harness, jobs) = learning(home.path());
    harness.get_by_label("Stop the sample").click();
    harness.run_steps(4);
    let state = &mut harness.state_mut().state;
    let stopped = state.training.runs.requests.drain(..);
    let stopped = stopped.map(|request| match request {
        TrainingRequest::Order { job, order } => (job, order),
        TrainingRequest::Start(job) => panic!("{job:?}"),
    });
    // The one that waits first, so that it does not begin.
    let expected = [jobs[1].job, jobs[0].job].map(|job| (job, Order::Abandon));
    assert_eq!(stopped.collect::<Vec<_>>(), expected);
    for job in expected.map(|(job, _)| job) {
        state.receive(Event::Cancelled { job });
    }
    assert!(!state.training.runs.is_busy());
    assert!(state.evaluate.requests.is_empty());
}

#[test]
fn stopping_one_run_stops_the_sample() {
    let home = tempfile::tempdir().expect("a folder");
    let (mut harness, jobs) = learning(home.path());
    let state = &mut harness.state_mut().state;
    let job = jobs[0].job;
    let (step, reason) = (3, EndReason::Stopped);
    let event = TrainingEvent::Finished { step, reason };
    state.receive(RunEvent::Progressed { job, event });
    state.receive(Event::Finished { job });
    let sample = state.training.sample.as_ref().expect("it is reported of");
    assert!(matches!(sample.stage, SampleStage::Stopped));
    let ended = TrainingRequest::Order {
        job: jobs[1].job,
        order: Order::Abandon,
    };
    assert!(state.training.runs.requests.contains(&ended));
}

#[test]
fn what_goes_wrong_is_reported_and_ends_the_sample() {
    let home = tempfile::tempdir().expect("a folder");
    let (mut harness, job) = begun(home.path());
    let state = &mut harness.state_mut().state;
    let error = Error::NoModel.into();
    state.receive(Event::Failed { job, error });
    assert_eq!(
        state.shared.notices[0].title,
        "The sample run could not begin"
    );

    let (mut harness, jobs) = learning(home.path());
    save_models(&jobs);
    let state = &mut harness.state_mut().state;
    for job in &jobs {
        state.receive(Event::Finished { job: job.job });
    }
    let Some(EvaluationRequest::Evaluate(job)) = state.evaluate.requests.pop() else {
        panic!("both are compared");
    };
    let (job, error) = (job.job, Error::NoModel.into());
    state.receive(Event::Failed { job, error });
    harness.run_steps(4);
    harness.get_by_label("Compare both").click();
    harness.run_steps(4);
    let requests = &harness.state().state.evaluate.requests;
    assert!(matches!(requests[..], [EvaluationRequest::Evaluate(_)]));
}

#[test]
fn the_sample_is_offered_on_its_page_and_where_there_is_nothing_to_evaluate() {
    let home = tempfile::tempdir().expect("a folder");
    let mut window = page(home.path());
    window.state.apply(WindowCommand::ShowPage(Page::Evaluate));
    let mut harness = window.harness();
    harness.run();
    harness.get_by_label("Try a sample run").click();
    harness.run_steps(4);
    assert_eq!(harness.state().state.shared.page, Page::Training);
    let mut harness = page(home.path()).harness();
    harness.run();
    harness.get_by_label("File").click();
    harness.run_steps(4);
    let offered = harness.query_all_by_label_contains("Try a sample run");
    assert_eq!(offered.count(), 1, "the page alone offers it");
}
