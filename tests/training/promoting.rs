//! The model of a run among those that the program offers.

use std::sync::mpsc::channel;
use std::time::Duration;

use canopy::app::{ModelsEvent, RunEvent};
use canopy::jobs::{Event, JobId, Pool, RunFolders, RunRequest};
use canopy::weights::ModelFolder;

use super::*;

#[test]
fn a_promoted_model_replaces_an_earlier_one_of_its_own_run_alone() {
    let home = tempfile::tempdir().expect("a folder");
    let runs = ["one/seed-1", "other/seed-1"].map(|run| home.path().join(run));
    for run in &runs {
        let model = tiny::model_folder();
        let checkpoints = run.join("checkpoints");
        fs::create_dir_all(&checkpoints).expect("a folder");
        fs::rename(model.keep(), checkpoints.join("best")).expect("moves");
    }
    let models = home.path().join("models");
    let (sender, events) = channel();
    let mut followed =
        RunFolders::follow(&Pool::new("test", sender, || ()).expect("a thread"), None);
    let promote = |run: &Path| {
        followed.send(RunRequest::Promote {
            job: JobId(1),
            folder: run.to_owned(),
            to: models.join("seed-1"),
        });
        loop {
            match events.recv_timeout(Duration::from_mins(2)) {
                Ok(Event::Models(ModelsEvent::Exported { to, .. })) => return to,
                Ok(Event::Training(RunEvent::Seen { .. })) => {}
                other => panic!("{other:?}"),
            }
        }
    };
    let [first, second] = ["seed-1", "seed-1 2"].map(|name| models.join(name));
    assert_eq!(promote(&runs[0]), first);
    assert_eq!(promote(&runs[1]), second);
    assert_eq!(promote(&runs[0]), first);
    assert_eq!(promote(&runs[1]), second);
    followed.finish();
    for (folder, name) in [(first, "seed-1"), (second, "seed-1 2")] {
        assert_eq!(ModelFolder::open(&folder).expect("a model").name, name);
    }
    let left = fs::read_dir(&models).expect("a folder");
    assert_eq!(left.count(), 2, "a temporary folder was left behind");
}
