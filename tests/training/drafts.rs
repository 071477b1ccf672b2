//! Trainings in which others' translations are read as the first stage writes them.

use std::fs;

use canopy::training::TrainingConfig;
use canopy::training::error::{BaseError, Error};

use super::{Place, assert_same_state, state, stopped_after, trained};

#[test]
fn drafts_are_read_in_place_of_human_translations_and_kept_beside_the_corpus() {
    let place = Place::new();
    trained(&place.config(2), &place.run("base"), false).expect("trains");
    for preset in ["selective-decoder-small", "previous-translations-small"] {
        let config = |share: f32| TrainingConfig {
            preset: preset.to_owned(),
            from: place.run("base").join("checkpoints/last"),
            draft_share: share,
            ..place.config(4)
        };
        let run = |name: &str, share: f32| {
            let run = place.run(&format!("{preset}-{name}"));
            trained(&config(share), &run, false).expect("trains");
            state(&run).0
        };
        let human = run("human", 0.0);
        let drafts = place.corpus().join("drafts");
        let own = run("own", 1.0);
        assert!(human != own, "{preset} reads the same with drafts");
        let files = fs::read_dir(&drafts).expect("drafts").count();
        assert_eq!(files, 1, "drafts of one model");
        // Another run finds them, and one that goes on reads the same ones.
        let file = fs::read_dir(&drafts).expect("drafts").next();
        let file = file.expect("a file").expect("readable").path();
        let written = fs::metadata(&file)
            .and_then(|it| it.modified())
            .expect("a time");
        let half = config(0.5);
        let whole = place.run(&format!("{preset}-whole"));
        trained(&half, &whole, false).expect("trains");
        let stopped = place.run(&format!("{preset}-stopped"));
        stopped_after(2, &half, &stopped);
        trained(&half, &stopped, true).expect("goes on");
        assert_same_state(&whole, &stopped);
        let found = fs::metadata(&file)
            .and_then(|it| it.modified())
            .expect("a time");
        assert_eq!(found, written, "they are written once");
    }
    let refused = TrainingConfig {
        preset: "han-encoder-small".to_owned(),
        from: place.run("base").join("checkpoints/last"),
        draft_share: 0.5,
        ..place.config(1)
    };
    let refused = trained(&refused, &place.run("refused"), false);
    let field = "draft_share";
    assert!(
        matches!(refused, Err(Error::Base(BaseError::Config { field: it, .. })) if it == field),
        "{refused:?}"
    );
}
