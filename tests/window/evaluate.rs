//! The page of evaluations: models are chosen and tested, and documents judged without names.

use canopy::app::{EvaluateCommand, EvaluateView, Page};
use canopy::contrastive::{
    Accuracies, Contrast, ContrastiveSet, Item, SetDocument, SetScores, SetSentence, TargetContext,
};
use canopy::corpus::Split;
use canopy::error::Error;
use canopy::evaluation::Evaluation;
use canopy::jobs::{ContrastResult, ContrastedModel, EvaluationProgress, EvaluationRequest};
use canopy::judgement::{Criterion, Judgement, Vote};
use canopy::metrics::comparison::{
    ComparedSegment, ComparedSystem, ComparedTest, ComparisonOptions, compare,
};

use super::*;

fn evaluation() -> Evaluation {
    let segments: Vec<ComparedSegment> = (0..12)
        .map(|number| ComparedSegment {
            source: format!("Open the file number {number}"),
            reference: format!("Öffnen Sie die Datei Nummer {number}"),
            document: number / 4,
            position: number % 4,
            rarest: None,
        })
        .collect();
    let system = |name: &str, text: fn(&ComparedSegment) -> String| ComparedSystem {
        name: name.to_owned(),
        hypotheses: segments.iter().map(text).collect(),
    };
    let test = ComparedTest {
        documents: ["one", "two", "three"].map(str::to_owned).into(),
        systems: vec![
            system("plain", |segment| {
                segment.reference.replace("Datei", "Akte")
            }),
            system("context", |segment| segment.reference.clone()),
        ],
        segments: segments.clone(),
    };
    let options = ComparisonOptions {
        samples: 50,
        trials: 200,
        ..ComparisonOptions::default()
    };
    Evaluation {
        test: "letters, test".to_owned(),
        words_per_second: vec![100.0, 80.0],
        beam_size: 4,
        comparison: compare(&test, &options),
    }
}

/// The page with two models and a corpus below `home`.
pub(super) fn page(home: &std::path::Path) -> Window {
    let shipped = ["plain", "context"].map(|name| home.join(name));
    for folder in &shipped {
        std::fs::create_dir(folder).expect("a folder");
    }
    let folders = Folders {
        data: Some(home.join("data")),
        config: None,
    };
    let shipped = Shipped {
        models: shipped.into(),
        ..Shipped::default()
    };
    let mut window = Window {
        state: AppState::new(folders, Settings::default(), shipped),
        ..Window::default()
    };
    window.state.apply(Command::ShowPage(Page::Evaluate));
    let corpus = home.join("letters");
    let command = EvaluateCommand::UseCorpus(corpus);
    window.state.apply(Command::Evaluate(command));
    window
}

/// With a finished evaluation.
pub(super) fn evaluated(home: &std::path::Path) -> Harness<'static, Window> {
    let mut harness = page(home).harness();
    harness.run();
    for name in ["plain", "context"] {
        harness.get_by_label(name).click();
        harness.run();
    }
    evaluate(&mut harness);
    harness
}

/// Evaluates what is chosen.
fn evaluate(harness: &mut Harness<'static, Window>) {
    harness
        .get_all_by_label("Evaluate")
        .last()
        .expect("a button")
        .click();
    harness.run();
    let state = &mut harness.state_mut().state;
    let Some(EvaluationRequest::Evaluate(job)) = state.evaluate.requests.pop() else {
        panic!("an evaluation is requested");
    };
    assert_eq!(job.models.len(), 2);
    assert_eq!(job.split, Split::Test);
    assert!(!job.cut_sentences);
    let job = job.job;
    let progress = EvaluationProgress {
        model: 1,
        num_models: 2,
        done: 6,
        num: 12,
    };
    state.receive(Event::Evaluating { job, progress });
    harness.run();
    harness.get_by_label("Model 2 of 2: 6 of 12 sentences");
    let state = &mut harness.state_mut().state;
    let evaluation = Arc::new(evaluation());
    state.receive(Event::Evaluated {
        job,
        evaluation,
        expected: None,
    });
    harness.run();
}

#[test]
fn scores_documents_and_sentences_of_two_models_are_shown() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = evaluated(home.path());
    assert!(harness.query_all_by_label("100.00").next().is_some());
    assert_eq!(
        harness.query_all_by_label("baseline").count(),
        3,
        "the form, two metrics"
    );
    for (view, label) in [
        ("Documents", "three"),
        ("Where", "By source words"),
        ("Sentences", "Largest wins of context over plain"),
    ] {
        harness
            .get_all_by_label(view)
            .last()
            .expect("a tab")
            .click();
        harness.run();
        assert!(harness.query_all_by_label(label).next().is_some(), "{view}");
    }
    assert_eq!(harness.state().state.evaluate.view, EvaluateView::Sentences);
}

#[test]
fn units_are_cut_into_sentences_on_request() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = page(home.path()).harness();
    harness.run();
    for name in ["plain", "Cut into sentences"] {
        harness.get_by_label(name).click();
        harness.run();
    }
    let job = {
        let buttons = harness.get_all_by_label("Evaluate");
        buttons.last().expect("a button").click();
        harness.run();
        match harness.state_mut().state.evaluate.requests.pop() {
            Some(EvaluationRequest::Evaluate(job)) => job,
            other => panic!("{other:?}"),
        }
    };
    assert!(job.cut_sentences);
}

#[test]
fn documents_are_judged_without_names_and_every_vote_is_kept() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = evaluated(home.path());
    harness.get_by_label("Judge blindly…").click();
    harness.run();
    assert!(
        harness.query_by_label("context").is_some(),
        "only in the form"
    );
    for _ in 0..3 {
        let state = &harness.state().state;
        let open = state.evaluate.judgement.as_ref().expect("a judgement");
        let document = &open.judgement.documents[open.current];
        let left = document.sides()[0][0].contains("Datei");
        let better = if left { "Left" } else { "Right" };
        for place in 0..2 {
            // The column has the same name, and comes last.
            let vote = harness.get_all_by_label(better).nth(place);
            vote.expect("a vote").click();
            harness.run();
        }
    }
    let writes = harness.state_mut().state.shared.file_requests.drain(..);
    let kept = writes.filter(|request| matches!(request, FileRequest::Write { path, .. } if path.starts_with(home.path().join("data/judgements"))));
    assert_eq!(kept.count(), 1 + 6, "at the beginning and after every vote");
    harness.get_by_label("Reveal").click();
    harness.run();
    let tally =
        "adequacy: plain 0, context 3, ties 0 · two-sided sign test, ties split: p = 0.2500";
    harness.get_by_label(tally);

    let state = &mut harness.state_mut().state;
    let Some(FileRequest::Write { job, bytes, .. }) = state.shared.file_requests.pop() else {
        panic!("it is recorded that names were revealed");
    };
    let error = Error::NoModel.into();
    state.receive(Event::Failed { job, error });
    let notice = state.shared.notices.last().expect("a notice");
    assert_eq!(notice.title, "Your work could not be saved");
    let [kept, votes] = ["kept.json", "votes.csv"].map(|name| home.path().join(name));
    std::fs::write(&kept, bytes).expect("a file");
    for command in [
        EvaluateCommand::CloseJudgement,
        EvaluateCommand::OpenJudgement(kept),
        EvaluateCommand::Vote(Criterion::Adequacy, Vote::Tie),
        EvaluateCommand::ExportVotes(votes.clone()),
    ] {
        state.apply(Command::Evaluate(command));
    }
    let open = state.evaluate.judgement.as_ref().expect("a judgement");
    assert!(open.revealed);
    assert_eq!(open.judgement.tally(Criterion::Adequacy).second, 3);
    let Some(FileRequest::Export { job, path, bytes }) = state.shared.file_requests.pop() else {
        panic!("they are exported");
    };
    assert_eq!(path, votes);
    let error = Error::NoModel.into();
    state.receive(Event::Failed { job, error });
    let notice = state.shared.notices.last().expect("a notice");
    assert_eq!(notice.title, "The votes could not be saved");
    let votes = String::from_utf8(bytes).expect("a table");
    assert_eq!(votes.matches("\"context\"").count(), 6, "{votes}");
}

#[test]
fn scores_that_were_not_saved_are_not_lost_without_a_question() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = evaluated(home.path());
    let state = &mut harness.state_mut().state;
    let lost = Some("The scores of an evaluation are not saved");
    assert_eq!(state.lost_by_closing(), lost);
    let path = home.path().join("scores.csv");
    let save = |state: &mut AppState| {
        let save = EvaluateCommand::Save(path.clone());
        state.apply(Command::Evaluate(save));
        match state.evaluate.requests.pop() {
            Some(EvaluationRequest::Save { job, .. }) => job,
            other => panic!("{other:?}"),
        }
    };
    let (job, error) = (save(state), Error::NoModel.into());
    state.receive(Event::Failed { job, error });
    assert_eq!(state.lost_by_closing(), lost);
    let job = save(state);
    assert_eq!(state.lost_by_closing(), lost);
    state.receive(Event::EvaluationSaved { job, path });
    assert_eq!(state.lost_by_closing(), None);
}

#[test]
fn an_earlier_evaluation_is_shown_again_and_not_lost() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = evaluated(home.path());
    let first = "1. letters, test, 2 models";
    assert!(harness.query_by_label(first).is_none(), "there is only one");
    evaluate(&mut harness);
    assert_eq!(harness.state().state.evaluate.shown, 1);
    harness.get_by_label("Sentences").click();
    harness.run();
    harness.get_by_label(first).click();
    harness.run();
    let page = &mut harness.state_mut().state.evaluate;
    assert_eq!((page.shown, page.view), (0, EvaluateView::Scores));
    let state = &mut harness.state_mut().state;
    for shown in [0, 1] {
        assert!(state.lost_by_closing().is_some());
        let save = EvaluateCommand::Save(home.path().join("scores.csv"));
        for command in [EvaluateCommand::ShowEvaluation(shown), save] {
            state.apply(Command::Evaluate(command));
        }
        let Some(EvaluationRequest::Save { job, path, .. }) = state.evaluate.requests.pop() else {
            panic!("it is saved");
        };
        state.receive(Event::EvaluationSaved { job, path });
    }
    assert_eq!(state.lost_by_closing(), None);
}

#[test]
fn votes_do_not_reveal_the_systems_while_the_judgement_is_blind() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = evaluated(home.path());
    harness.get_by_label("Judge blindly…").click();
    harness.run();
    let state = &mut harness.state_mut().state;
    let [table, kept] = ["votes.csv", "votes.json"].map(|name| home.path().join(name));
    for path in [&table, &kept] {
        let export = EvaluateCommand::ExportVotes(path.clone());
        state.apply(Command::Evaluate(export));
    }
    let exported = state
        .shared
        .file_requests
        .drain(..)
        .filter_map(|request| match request {
            FileRequest::Export { path, .. } => Some(path),
            _ => None,
        });
    assert_eq!(exported.collect::<Vec<_>>(), [kept]);
}

#[test]
fn a_judgement_without_documents_can_be_closed() {
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("empty.json");
    let systems = ["plain", "context"].map(str::to_owned);
    let judgement = Judgement::new(systems, Vec::new(), 1);
    judgement.save(&path, false).expect("a file");
    let mut window = page(home.path());
    let command = EvaluateCommand::OpenJudgement(path);
    window.state.apply(Command::Evaluate(command));
    let mut harness = window.harness();
    harness.run();
    harness.get_by_label("Close").click();
    harness.run();
    assert!(harness.state().state.evaluate.judgement.is_none());
}

/// The page after a trace was requested.
fn tracing(home: &std::path::Path) -> Harness<'static, Window> {
    let mut harness = evaluated(home);
    harness
        .get_all_by_label("Sentences")
        .last()
        .expect("a tab")
        .click();
    harness.run();
    let button = harness.get_all_by_label("Show its trace").next();
    button.expect("a button").click();
    harness.run_steps(3);
    harness
}

/// Opens the document that was written for a trace.
fn open_written(state: &mut AppState) {
    let mut requests = state.shared.file_requests.drain(..);
    let text = requests.find_map(|request| match request {
        FileRequest::Write { bytes, .. } => String::from_utf8(bytes).ok(),
        _ => None,
    });
    let opens = requests.find_map(|request| match request {
        FileRequest::OpenDocument { job, path, .. } => Some((job, path)),
        _ => None,
    });
    drop(requests);
    let ((job, path), text) = (opens.expect("it is opened"), text.expect("it is written"));
    let document = Document::parse("one.txt", Format::Text, text).expect("a document");
    assert_eq!(document.paragraphs.len(), 4);
    state.receive(Event::DocumentOpened {
        job,
        path,
        document: Arc::new(document),
        project: None,
        project_error: None,
    });
}

#[test]
fn nothing_is_traced_without_its_model() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = tracing(home.path());
    let state = &mut harness.state_mut().state;
    let Some(Request::OpenModel { job, .. }) = state.shared.requests.pop() else {
        panic!("its model is opened");
    };
    let error = Error::NoModel.into();
    state.receive(Event::Failed { job, error });
    open_written(state);
    let [notice] = &state.shared.notices[..] else {
        panic!("{:?}", state.shared.notices);
    };
    assert_eq!(notice.title, "The model could not be opened");
}

#[test]
fn a_sentence_leads_to_its_trace() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = tracing(home.path());
    let state = &mut harness.state_mut().state;
    let Some(Request::OpenModel { job, folder, .. }) = state.shared.requests.pop() else {
        panic!("its model is opened");
    };
    assert!(folder.ends_with("context"));
    state.receive(Event::ModelOpened {
        job,
        info: info(folder),
        device_name: "CPU".to_owned(),
        memory: None,
    });
    open_written(state);
    let Some(Request::Translate { job, .. }) = state.shared.requests.pop() else {
        panic!("it is translated");
    };
    let translation = Translation::written("Öffnen".to_owned());
    state.receive(Event::SentenceTranslated {
        job,
        index: 0,
        translation,
    });
    state.receive(Event::Finished { job });
    assert_eq!(state.shared.page, Page::Explore);
    assert!(matches!(
        state.shared.requests.pop(),
        Some(Request::Trace { .. })
    ));
}

/// A set of two items in a document, on which the first model is wrong once and the second one never.
fn contrasted(home: &std::path::Path) -> ContrastResult {
    let sentence = |source: &str, place: usize| SetSentence {
        source: source.to_owned(),
        reference: None,
        place: (0, place),
    };
    let item = |number: usize, right: &str, wrong: &str, distance: usize| Item {
        id: format!("item-{number}"),
        sentence: number,
        correct: right.to_owned(),
        contrasts: vec![Contrast {
            text: wrong.to_owned(),
            ..Contrast::default()
        }],
        category: Some("it".to_owned()),
        distance: Some(distance),
        ..Item::default()
    };
    let set = ContrastiveSet {
        name: "pronouns".to_owned(),
        documents: vec![SetDocument {
            id: "one".to_owned(),
            sentences: vec![
                sentence("The cat sleeps.", 0),
                sentence("It is black.", 1),
                sentence("It purrs.", 2),
            ],
        }],
        items: vec![
            item(1, "Sie ist schwarz.", "Er ist schwarz.", 1),
            item(2, "Dann schnurrt sie.", "Dann schnurrt er.", 2),
        ],
        ..ContrastiveSet::default()
    };
    let model = |name: &str, scores: [[f64; 2]; 2]| {
        let items: Vec<Option<Vec<f64>>> = scores.iter().map(|it| Some(it.to_vec())).collect();
        ContrastedModel {
            name: name.to_owned(),
            folder: home.join(name),
            accuracies: Accuracies::from_scores(&set, &items),
            scores: SetScores {
                items,
                target_context: TargetContext::None,
            },
        }
    };
    let models = vec![
        model("plain", [[-4.0, -3.0], [-5.0, -5.5]]),
        model("context", [[-2.0, -6.0], [-3.0, -8.0]]),
    ];
    ContrastResult { set, models }
}

/// With the result of a contrastive set.
pub(super) fn contrast(home: &std::path::Path) -> Harness<'static, Window> {
    let mut window = page(home);
    let contrast = &mut window.state.evaluate.contrast;
    contrast.result = Some(Arc::new(contrasted(home)));
    contrast.is_shown = true;
    contrast.items = vec![0, 1];
    window.harness()
}

#[test]
fn models_choose_in_a_contrastive_set_and_an_item_leads_to_what_was_read() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = page(home.path()).harness();
    harness.run();
    for name in ["plain", "context"] {
        harness.get_by_label(name).click();
        harness.run();
    }
    harness.get_by_label("Choose a set…").click();
    harness.run();
    let state = &mut harness.state_mut().state;
    let ask = state.shared.asks.pop().expect("a question");
    state.apply(ask.answer(home.path().join("pronouns.json"), false));
    harness.run();
    harness.get_by_label("Score").click();
    harness.run_steps(4);
    let state = &mut harness.state_mut().state;
    let Some(EvaluationRequest::Contrast(contrast)) = state.evaluate.requests.pop() else {
        panic!("{:?}", state.evaluate.requests)
    };
    assert_eq!(contrast.models.len(), 2);
    let job = contrast.job;
    let progress = EvaluationProgress {
        model: 0,
        num_models: 2,
        done: 3,
        num: 4,
    };
    state.receive(Event::Evaluating { job, progress });
    harness.run();
    harness.get_by_label("Model 1 of 2: 3 of 4 translations");
    let state = &mut harness.state_mut().state;
    let result = Arc::new(contrasted(home.path()));
    state.receive(Event::Contrasted { job, result });
    harness.run();
    harness.get_by_label("pronouns");
    harness.get_by_label("By category");
    harness.get_all_by_label("1 of 2").next().expect("of plain");
    harness
        .get_all_by_label("2 of 2")
        .next()
        .expect("of context");
    // Only what the model that is looked at chose wrongly.
    harness.get_by_label("Wrong choices").click();
    harness.run();
    assert!(harness.query_by_label("It purrs.").is_none());
    harness.get_by_label("It is black.").click();
    harness.run_steps(4);
    let state = &mut harness.state_mut().state;
    let written = state
        .shared
        .file_requests
        .iter()
        .find_map(|request| match request {
            FileRequest::Write { path, bytes, .. } => Some((path, bytes)),
            _ => None,
        });
    let (path, bytes) = written.expect("its document");
    assert!(path.starts_with(home.path().join("data/evaluated")));
    let text = String::from_utf8(bytes.clone()).expect("text");
    assert_eq!(text, "The cat sleeps.\n\nIt is black.\n\nIt purrs.\n");
    let opens = state.shared.requests.iter().any(
        |request| matches!(request, Request::OpenModel { folder, .. } if *folder == home.path().join("plain")),
    );
    assert!(opens, "{:?}", state.shared.requests);
}
