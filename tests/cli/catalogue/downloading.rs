//! A model on its way: whole, cut off, wrong, slow, redirected, endless.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use canopy::catalogue::{CatalogueModel, Download, Progress, download, downloaded_bytes};
use canopy::errors::translate::{BaseError, Error, Result};
use canopy::inference::InstalledModel;
use tempfile::TempDir;

use crate::catalogue::models::{argos, left, only, sha256, translate_locally, zip};
use crate::catalogue::server::{Reply, Server};

const PATH: &str = "/model.argosmodel";

fn library() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn got(model: &CatalogueModel, library: &Path) -> Result<Option<InstalledModel>> {
    got_while(model, library, &mut |_| ControlFlow::Continue(()))
}

fn got_while(
    model: &CatalogueModel,
    library: &Path,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Option<InstalledModel>> {
    let order = Download {
        model,
        library,
        replaces: false,
    };
    download(order, progress)
}

#[track_caller]
fn refused(model: &CatalogueModel, library: &Path, words: &[&str]) {
    let error = got(model, library).expect_err("refused").to_string();
    for word in words {
        assert!(error.contains(word), "{word:?} is not in: {error}");
    }
    assert_eq!(left(library), [] as [std::path::PathBuf; 0], "{error}");
}

/// A server with the zip file at one path, and the model of Argos' list that names it.
fn served(reply: Reply) -> (Server, CatalogueModel) {
    let server = Server::start();
    server.put(PATH, reply);
    let model = only(&server, &argos(&server.url(PATH)));
    (server, model)
}

#[test]
fn a_whole_file_is_installed_with_progress_and_the_languages_of_the_list() {
    let (server, model) = served(Reply::File(zip()));
    let library = library();
    let mut reports = Vec::new();
    let installed = got_while(&model, library.path(), &mut |progress| {
        reports.push(progress);
        ControlFlow::Continue(())
    });
    let installed = installed.expect("got").expect("not cancelled");
    assert_eq!(installed.name, "translate-en_fr");
    let download = installed.download.expect("noted");
    assert_eq!(
        (download.catalogue.as_str(), download.release.as_str()),
        ("ours", "1.9")
    );
    let size = zip().len() as u64;
    assert!(
        reports
            .iter()
            .any(|it| it.done == size && it.total == Some(size)),
        "{reports:?}"
    );
    assert!(reports.last().expect("told").is_checking);
    assert_eq!(left(library.path()), [installed.folder]);
    assert!(matches!(
        got(&model, library.path()),
        Err(Error::Base(BaseError::Exists { .. }))
    ));
    assert_eq!(server.requests().len(), 2, "list and file, each once");
}

#[test]
fn a_broken_connection_goes_on_where_it_broke() {
    let file = zip();
    let after = file.len() / 3;
    let (server, model) = served(Reply::CutOff {
        file,
        after,
        times: 2,
    });
    let library = library();
    got(&model, library.path()).expect("got").expect("whole");
    let froms: Vec<Option<usize>> = server.requests()[1..].iter().map(|it| it.from).collect();
    assert_eq!(froms, [None, Some(after), Some(2 * after)]);
}

#[test]
fn a_download_that_is_cancelled_is_kept_and_goes_on_later() {
    let file = zip();
    let (server, model) = served(Reply::File(file.clone()));
    let library = library();
    let cancelled = got_while(&model, library.path(), &mut |progress| {
        if progress.done > 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert!(cancelled.expect("no error").is_none());
    let arrived = downloaded_bytes(library.path(), &model);
    assert!(arrived > 0 && arrived < file.len() as u64, "{arrived}");
    got(&model, library.path()).expect("got").expect("whole");
    let last = server.requests().last().expect("asked").from;
    assert_eq!(last, usize::try_from(arrived).ok());
    assert_eq!(left(library.path()).len(), 1);
}

#[test]
fn a_host_that_breaks_for_good_is_reported_and_what_came_stays() {
    let file = zip();
    let (server, model) = served(Reply::CutOff {
        file: file.clone(),
        after: 1000,
        times: 1,
    });
    let library = library();
    let cut = got_while(&model, library.path(), &mut |progress| {
        if progress.done >= 1000 {
            server.put(PATH, Reply::Status(503));
        }
        ControlFlow::Continue(())
    });
    let error = cut.expect_err("broken").to_string();
    for word in ["503", "kept", "continues"] {
        assert!(error.contains(word), "{error}");
    }
    assert_eq!(downloaded_bytes(library.path(), &model), 1000);
    // A part of another file is none of this one.
    server.put(PATH, Reply::Whole(file));
    got(&model, library.path()).expect("got").expect("whole");
}

#[test]
fn a_part_of_an_older_file_does_not_spoil_the_new_one() {
    let file = zip();
    let server = Server::start();
    let mut older = file.clone();
    older[500] ^= 1;
    server.put(
        PATH,
        Reply::CutOff {
            file: older,
            after: 4000,
            times: 1,
        },
    );
    let list = translate_locally(&server.url(PATH), &sha256(&file));
    let model = only(&server, &list);
    let library = library();
    let cut = got_while(&model, library.path(), &mut |progress| {
        if progress.done >= 4000 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert!(cut.expect("cancelled").is_none());
    // Its tag is that of the older one: only the hash shows it.
    server.put(PATH, Reply::File(file));
    got(&model, library.path()).expect("got").expect("whole");
}

#[test]
fn another_hash_is_refused() {
    let server = Server::start();
    server.put(PATH, Reply::File(zip()));
    let wrong = "0".repeat(64);
    let model = only(&server, &translate_locally(&server.url(PATH), &wrong));
    let found = sha256(&zip());
    refused(&model, library().path(), &["SHA-256", &found, &wrong]);
}

#[test]
fn missing_and_gated_models_are_reported() {
    for (status, word) in [(404, "nothing is there"), (403, "everybody")] {
        let (_server, model) = served(Reply::Status(status));
        refused(&model, library().path(), &[word, &status.to_string(), PATH]);
    }
}

#[test]
fn a_slow_host_is_waited_for() {
    let file = zip();
    let (_server, model) = served(Reply::Slow {
        step: file.len() / 8,
        file,
        pause: Duration::from_millis(300),
    });
    let library = library();
    let mut speeds = Vec::new();
    let installed = got_while(&model, library.path(), &mut |progress| {
        speeds.push((progress.speed, progress.seconds_left()));
        ControlFlow::Continue(())
    });
    installed.expect("got").expect("whole");
    assert!(
        speeds
            .iter()
            .any(|(speed, left)| *speed > 0.0 && left.is_some()),
        "{speeds:?}"
    );
}

#[test]
fn redirects_are_followed_but_not_for_ever() {
    let (server, model) = served(Reply::Redirect("/elsewhere/model.zip".to_owned()));
    server.put("/elsewhere/model.zip", Reply::File(zip()));
    got(&model, library().path()).expect("got").expect("whole");
    server.put(PATH, Reply::Redirect(PATH.to_owned()));
    refused(&model, library().path(), &["redirected more than"]);
}

#[test]
fn sizes_that_lie_are_refused() {
    let file = zip();
    let (_server, model) = served(Reply::Lying {
        says: 1 << 50,
        file: file.clone(),
    });
    refused(
        &model,
        library().path(),
        &[&(1_u64 << 50).to_string(), "more than any file"],
    );
    // A list that says less than there is.
    let server = Server::start();
    server.put("/api/models/o/n?blobs=true", Reply::File(br#"{"siblings": [
        {"rfilename": "config.json", "size": 10}, {"rfilename": "model.safetensors", "size": 20}]}"#.to_vec()));
    server.put("/o/n/resolve/main/model.safetensors", Reply::File(file));
    let host = canopy::catalogue::Catalogue::named(&server.address).expect("an address");
    let model = canopy::catalogue::repository("o/n", Some(&host)).expect("listed");
    refused(
        &model,
        library().path(),
        &["the list says that it has 20 bytes"],
    );
}

#[test]
fn an_endless_body_ends() {
    let server = Server::start();
    server.put(PATH, Reply::Endless);
    server.put("/api/models/o/n?blobs=true", Reply::File(br#"{"siblings": [
        {"rfilename": "config.json", "size": 10}, {"rfilename": "model.safetensors", "size": 100000}]}"#.to_vec()));
    server.put("/o/n/resolve/main/model.safetensors", Reply::Endless);
    let host = canopy::catalogue::Catalogue::named(&server.address).expect("an address");
    let model = canopy::catalogue::repository("o/n", Some(&host)).expect("listed");
    refused(&model, library().path(), &["sends more than 100000 bytes"]);
    // Nor is a list read for ever.
    let list = canopy::catalogue::Catalogue::named(&server.url(PATH)).expect("an address");
    let found = canopy::catalogue::look(&[list]);
    assert!(
        found.failed[0].1.to_string().contains("more than"),
        "{:?}",
        found.failed
    );
}

#[test]
fn what_is_no_model_is_refused_and_gone() {
    let mut other = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    other.start_file("../../evil.txt", options).expect("begun");
    let other = other.finish().expect("finished").into_inner();
    for bytes in [b"<html>Not found</html>".to_vec(), other] {
        let (_server, model) = served(Reply::File(bytes));
        refused(
            &model,
            library().path(),
            &["translate-en_fr is not installed", "download is not"],
        );
    }
}

#[test]
fn a_file_larger_than_the_disk_is_not_begun() {
    let server = Server::start();
    server.put("/api/models/o/n?blobs=true", Reply::File(br#"{"siblings": [
        {"rfilename": "config.json", "size": 10}, {"rfilename": "model.safetensors", "size": 900000000000000}]}"#.to_vec()));
    let host = canopy::catalogue::Catalogue::named(&server.address).expect("an address");
    let model = canopy::catalogue::repository("o/n", Some(&host)).expect("listed");
    refused(&model, library().path(), &["the disk has", "1800000068 MB"]);
    assert_eq!(server.requests().len(), 1, "no file was requested");
}
