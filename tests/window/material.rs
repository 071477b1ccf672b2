//! Material that is dropped on the training page is surveyed, shown, and then becomes a corpus.

use std::path::{Path, PathBuf};

use canopy::app::training::{SurveyState, TrainingCommand};
use canopy::app::{Page, RunEvent, WindowCommand};
use canopy::corpus::survey::{Material, Survey, survey};
use canopy::error::Error;
use canopy::jobs::{CorpusImport, JobId, RunRequest};

use super::training::page;
use super::*;

/// A table with a good pair, one of very different length, and one that reads the same.
pub(super) fn table(home: &Path) -> PathBuf {
    let file = home.join("mine.en-de.tsv");
    let good = (1..=9).map(|n| format!("Open file {n} now.\tÖffnen Sie jetzt Datei {n}.\n"));
    let bad = "No\tDas sollten Sie auf gar keinen Fall tun, niemals\nOpenGL\tOpenGL\n";
    std::fs::write(&file, good.collect::<String>() + bad).expect("a file");
    file
}

fn found(material: &Material, languages: Option<&(String, String)>) -> Survey {
    let found = survey(material, languages, |_| std::ops::ControlFlow::Continue(()));
    found.expect("reads").expect("not broken off")
}

/// The requested survey.
fn survey_request(state: &mut AppState) -> (JobId, Material, Option<(String, String)>) {
    match state.shared.run_requests.pop() {
        Some(RunRequest::Survey {
            job,
            material,
            languages,
            ..
        }) => (job, material, languages),
        other => panic!("{other:?}"),
    }
}

/// The page with what was dropped on it, looked at.
pub(super) fn dropped(home: &Path, paths: Vec<PathBuf>) -> Harness<'static, Window> {
    let mut harness = page(home).harness();
    harness.run();
    let state = &mut harness.state_mut().state;
    state.apply(WindowCommand::Drop(paths));
    let (job, material, languages) = survey_request(state);
    state.receive(RunEvent::CorpusRead { job, share: 0.4 });
    harness.run_steps(4);
    harness.get_by_label("Checking its content");
    let survey = Box::new(found(&material, languages.as_ref()));
    let state = &mut harness.state_mut().state;
    state.receive(RunEvent::Surveyed { job, survey });
    harness.run_steps(4);
    harness
}

#[test]
fn a_dropped_table_is_described_before_it_is_made_a_corpus() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = dropped(home.path(), vec![table(home.path())]);
    for text in [
        "11  ·  9 for training and scoring",
        "1 pair with one side several times as long as the other: context only",
        "1 pair with the same text in both languages: context only",
    ] {
        harness.get_by_label(text);
    }
    harness
        .get_by_label_contains("or another script too")
        .click();
    harness.run_steps(4);
    harness.get_by_label_contains("several times as long as the other: learned from");
    harness
        .get_by_label_contains("or another script too")
        .click();
    harness.run_steps(4);
    harness.get_by_label("Make the corpus").click();
    harness.run_steps(4);
    let state = &mut harness.state_mut().state;
    let Some(RunRequest::MakeCorpus { job, import, .. }) = state.shared.run_requests.pop() else {
        panic!("it is made");
    };
    let CorpusImport::Table(import) = *import else {
        panic!("{import:?}");
    };
    let languages = (
        import.source_language.as_str(),
        import.target_language.as_str(),
    );
    assert_eq!(languages, ("en", "de"), "the name of the file tells them");
    assert_eq!(import.output, home.path().join("corpora/mine.en-de"));
    assert!(import.filter.is_some());
    let folder = import.output;
    let pairs = 11;
    state.receive(RunEvent::CorpusMade {
        job,
        folder: folder.clone(),
        pairs,
    });
    let form = state.training.form.as_ref().expect("a run can begin");
    assert_eq!(form.config.corpus, folder);
}

#[test]
fn the_pairs_that_are_doubtful_are_shown() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = dropped(home.path(), vec![table(home.path())]);
    let text = "Das sollten Sie auf gar keinen Fall tun, niemals";
    assert!(harness.query_by_label(text).is_none());
    let line = "1 pair with one side several times as long as the other: context only";
    harness.get_by_label(line).click();
    harness.run();
    harness.get_by_label(text);
}

#[test]
fn other_languages_are_looked_for_again() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = dropped(home.path(), vec![table(home.path())]);
    harness.get_by_label("Swap").click();
    harness.run_steps(4);
    let (job, material, languages) = survey_request(&mut harness.state_mut().state);
    assert_eq!(languages, Some(("de".to_owned(), "en".to_owned())));
    let error = Error::NoModel.into();
    let survey = Box::new(found(&material, languages.as_ref()));
    let state = &mut harness.state_mut().state;
    state.receive(RunEvent::Surveyed { job, survey });
    let mut form = state.training.corpus_form.clone().expect("it is open");
    form.target_language = "fr".to_owned();
    let fill = TrainingCommand::FillCorpus(Box::new(form));
    state.apply(Command::Training(fill));
    assert!(state.shared.run_requests.is_empty(), "not at every letter");
    harness.run_steps(4);
    harness.get_by_label("Look again").click();
    harness.run_steps(4);
    let (job, ..) = survey_request(&mut harness.state_mut().state);
    let state = &mut harness.state_mut().state;
    state.receive(Event::Failed { job, error });
    assert!(state.shared.notices.is_empty(), "the form tells it");
    harness.run_steps(4);
    harness.get_by_label("Look again");
}

#[test]
fn two_folders_are_a_pair_and_one_waits_for_the_other() {
    let home = tempfile::tempdir().expect("a folder");
    let folders = ["de", "en"].map(|name| home.path().join("site").join(name));
    for (folder, text) in folders
        .iter()
        .zip(["Öffnen Sie die Datei.", "Open the file."])
    {
        std::fs::create_dir_all(folder).expect("a folder");
        std::fs::write(folder.join("page.md"), text).expect("a file");
    }
    let [de, en] = folders.clone();
    let harness = dropped(home.path(), folders.to_vec());
    harness.get_by_label("1  ·  1 for training and scoring");
    harness.get_by_label("No pair looks doubtful.");
    let form = harness.state().state.training.corpus_form.as_ref();
    let form = form.expect("it is open");
    assert_eq!((&form.source, &form.target), (&en, &de));
    assert_eq!(
        (form.source_language.as_str(), form.name.as_str()),
        ("en", "site")
    );

    let mut window = page(home.path());
    let state = &mut window.state;
    state.apply(WindowCommand::Drop(vec![de.clone()]));
    assert!(state.shared.run_requests.is_empty(), "one is missing");
    state.apply(WindowCommand::Drop(vec![en.clone()]));
    let (_, material, _) = survey_request(state);
    let both = Material::Folders {
        source: de,
        target: en,
    };
    assert_eq!(material, both, "in the order in which they came");
}

#[test]
fn a_look_can_be_skipped_and_what_is_dropped_elsewhere_is_opened() {
    let home = tempfile::tempdir().expect("a folder");
    let file = table(home.path());
    let mut window = page(home.path());
    let state = &mut window.state;
    state.apply(WindowCommand::Drop(vec![file.clone()]));
    let (job, ..) = survey_request(state);
    let mut harness = window.harness();
    harness.run_steps(4);
    harness.get_by_label("Skip").click();
    harness.run_steps(4);
    let state = &mut harness.state_mut().state;
    state.receive(Event::Cancelled { job });
    let form = state.training.corpus_form.as_ref().expect("it is open");
    assert_eq!(form.survey, SurveyState::None);
    state.apply(WindowCommand::ShowPage(Page::Document));
    state.apply(WindowCommand::Drop(vec![file.clone()]));
    assert_eq!(
        state.shared.settings.memory,
        Some(file),
        "as a translation memory"
    );
}
