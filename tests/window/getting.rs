//! Get models: catalogues are read when the user looks, models are downloaded, resumed, and used for their languages.

use std::collections::BTreeMap;

use canopy::app::models::{GettingCommand, Lists};
use canopy::app::{ModelsCommand, ModelsEvent};
use canopy::catalogue::{CatalogueFile, CatalogueModel, Look, Progress, PublishedScore, Source};
use canopy::errors::translate::Error;
use canopy::inference::{DownloadedFrom, InstalledModel};
use canopy::jobs::{CatalogueRequest, JobId};

use super::models::{page, several};
use super::*;

fn model(name: &str, from: &str, to: &str) -> CatalogueModel {
    CatalogueModel {
        name: name.to_owned(),
        sources: vec![from.to_owned()],
        targets: vec![to.to_owned()],
        kind: "tiny".to_owned(),
        release: "1".to_owned(),
        num_bytes: Some(17_140_836),
        licence: "MPL-2.0".to_owned(),
        scores: vec![PublishedScore {
            test: "flores200-plus".to_owned(),
            metric: "bleu".to_owned(),
            value: 46.2,
        }],
        catalogue: "Mozilla (Firefox)".to_owned(),
        files: vec![CatalogueFile {
            name: "model.bin".to_owned(),
            source: Source::Web("https://models.example.org/model.bin.gz".to_owned()),
            is_gzip: true,
            num_bytes: None,
            sha256: None,
        }],
        ..CatalogueModel::default()
    }
}

fn offered() -> Look {
    Look {
        models: vec![
            model("en-fr-tiny", "en", "fr"),
            model("en-pt-tiny", "en", "pt"),
            CatalogueModel {
                problem: Some("the list names no address of it".to_owned()),
                ..model("translate-de_en", "de", "en")
            },
            CatalogueModel {
                doubt: Some("The list calls the language gl Arabic.".to_owned()),
                ..model("gl-en-tiny", "gl", "en")
            },
        ],
        failed: vec![(
            "Argos Translate".to_owned(),
            Error::Catalogue {
                reason: "its host is not found".to_owned(),
                place: "https://argos.example.org".to_owned(),
            },
        )],
        notes: Vec::new(),
    }
}

/// The page, and the job that reads the lists.
fn opened(harness: &mut Harness<'_, Window>) -> JobId {
    harness.run_steps(5);
    assert!(
        harness.state().state.models.getting.requests.is_empty(),
        "nothing is read unasked"
    );
    harness.get_by_label("Get models…").click();
    harness.run_steps(5);
    let requests = std::mem::take(&mut harness.state_mut().state.models.getting.requests);
    let [CatalogueRequest::Look { job, catalogues }] = requests.as_slice() else {
        panic!("{requests:?}")
    };
    assert_eq!(catalogues.len(), 5);
    *job
}

fn read(harness: &mut Harness<'_, Window>) {
    let job = opened(harness);
    harness
        .state_mut()
        .state
        .receive(ModelsEvent::CataloguesRead {
            job,
            look: Box::new(offered()),
            arrived: BTreeMap::new(),
        });
    harness.run_steps(5);
}

/// The job of the requested download.
fn get_request(harness: &mut Harness<'_, Window>) -> (JobId, bool) {
    match harness.state_mut().state.models.getting.requests.pop() {
        Some(CatalogueRequest::Get { job, replaces, .. }) => (job, replaces),
        other => panic!("{other:?}"),
    }
}

fn installed(release: &str) -> InstalledModel {
    InstalledModel {
        folder: "en-fr-tiny".into(),
        name: "en-fr-tiny".to_owned(),
        sources: vec!["en".to_owned()],
        targets: vec!["fr".to_owned()],
        download: Some(DownloadedFrom {
            catalogue: "Mozilla (Firefox)".to_owned(),
            name: "en-fr-tiny".to_owned(),
            release: release.to_owned(),
        }),
        ..InstalledModel::default()
    }
}

#[test]
fn catalogues_are_read_when_the_page_opens_and_their_models_are_shown() {
    let mut harness = page(several()).harness();
    read(&mut harness);
    for text in [
        "4 models",
        "en-pt-tiny",
        "English → Portuguese",
        "BLEU 46.2",
        "Cannot be downloaded: the list names no address of it",
        "The list calls the language gl Arabic.",
    ] {
        assert!(harness.query_all_by_label(text).next().is_some(), "{text}");
    }
    assert!(harness.query_by_label("Download translate-de_en").is_none());
    harness
        .query_by_label_contains("Argos Translate gave no list")
        .expect("said");
    let to = GettingCommand::To(Some("pt".to_owned()));
    harness
        .state_mut()
        .state
        .apply(Command::Models(ModelsCommand::Get(to)));
    harness.run_steps(5);
    harness.get_by_label("1 model");
    assert!(harness.query_by_label("en-fr-tiny").is_none());
    harness.get_by_label("Done").click();
    harness.run_steps(5);
    assert!(!harness.state().state.models.getting.is_open);
}

#[test]
fn a_model_is_downloaded_cancelled_and_resumed() {
    let mut harness = page(several()).harness();
    read(&mut harness);
    harness.get_by_label("Download en-fr-tiny").click();
    harness.run_steps(5);
    let (job, replaces) = get_request(&mut harness);
    assert!(!replaces);
    harness.state_mut().state.receive(ModelsEvent::Downloading {
        job,
        progress: Progress {
            done: 5_000_000,
            total: Some(20_000_000),
            speed: 2_500_000.0,
            is_checking: false,
        },
    });
    harness.run_steps(5);
    harness.get_by_label("5.0 of 20.0 MB  ·  2.5 MB/s  ·  6 s left");
    harness.get_by_label("Cancel").click();
    harness.run_steps(5);
    let downloading = harness.state().state.models.getting.downloading.as_ref();
    assert!(
        downloading
            .expect("until it has ended")
            .control
            .is_cancelled()
    );
    let cancelled = Event::Models(ModelsEvent::DownloadCancelled {
        job,
        arrived: 5_000_000,
    });
    harness.state_mut().state.receive(cancelled);
    harness.run_steps(5);
    harness.get_by_label("Resume en-fr-tiny").click();
    harness.run_steps(5);
    let (job, _) = get_request(&mut harness);
    harness.state_mut().state.receive(ModelsEvent::Downloaded {
        job,
        model: Box::new(installed("1")),
    });
    harness.run_steps(5);
    harness.get_by_label("Installed");
    let defaults = &harness.state().state.shared.settings.default_models;
    assert_eq!(defaults["en-fr"], std::path::PathBuf::from("en-fr-tiny"));
}

#[test]
fn what_went_wrong_stays_to_be_read_and_another_release_is_an_update() {
    let mut all = several();
    all.push(installed("0"));
    let mut harness = page(all).harness();
    read(&mut harness);
    harness.get_by_label("Update en-fr-tiny").click();
    harness.run_steps(5);
    let (job, replaces) = get_request(&mut harness);
    assert!(replaces);
    harness.state_mut().state.receive(Event::Failed {
        job,
        error: Error::Download {
            reason: "nothing is there (it answers 404)".to_owned(),
            name: "en-fr-tiny".to_owned(),
        }
        .into(),
    });
    harness.run_steps(5);
    harness.get_by_label("en-fr-tiny is not installed");
    harness.get_by_label("nothing is there (it answers 404)");
    harness.get_by_label("Close").click();
    harness.run_steps(5);
    assert!(harness.state().state.models.getting.failure.is_none());
}

#[test]
fn catalogues_are_added_and_switched_off() {
    let mut harness = page(several()).harness();
    read(&mut harness);
    harness.get_by_label("Catalogues…").click();
    harness.run_steps(5);
    harness.get_by_label("Argos Translate").click();
    harness.run_steps(5);
    let state = &mut harness.state_mut().state;
    assert_eq!(state.shared.settings.catalogues_off, ["argos"]);
    assert!(matches!(state.models.getting.lists, Lists::Reading(_)));
    let own = "https://models.example.org/list.json".to_owned();
    let add = GettingCommand::Add(own.clone());
    state.apply(Command::Models(ModelsCommand::Get(add)));
    assert_eq!(state.shared.settings.catalogues, [own]);
    let Some(CatalogueRequest::Look { catalogues, .. }) = state.models.getting.requests.last()
    else {
        panic!("nothing is read")
    };
    assert_eq!(catalogues.len(), 5);
}
