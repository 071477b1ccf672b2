//! Answers that are kept, and what makes them void.

use super::*;
use crate::contrastive::Item;

#[test]
fn a_set_is_answered_until_it_is_made_anew() {
    let set = |right: &str| ContrastiveSet {
        name: "talks".to_owned(),
        items: vec![
            Item {
                correct: right.to_owned(),
                ..Item::default()
            };
            3
        ],
        ..ContrastiveSet::default()
    };
    let (old, new) = (set("er"), set("sie"));
    let answered = |items, digest: Option<String>| {
        let name = || "talks".to_owned();
        let right = CorrectCount { right: 1, items };
        RunResults {
            contrasts: BTreeMap::from([(name(), right)]),
            sets: digest.into_iter().map(|digest| (name(), digest)).collect(),
            ..RunResults::default()
        }
    };
    assert!(!RunResults::default().answers(&old));
    assert!(answered(3, None).answers(&old) && !answered(2, None).answers(&old));
    let mut known = answered(2, Some(old.digest()));
    assert!(known.answers(&old), "one is too long for the model");
    assert!(!known.answers(&new));
    known.forget_older(&old);
    assert!(known.answers(&old));
    known.forget_older(&new);
    assert_eq!(known, RunResults::default());
}

#[test]
fn the_known_origin_of_a_run_that_is_not_here_is_compared() {
    let own = |parts: &[(&str, &str)]| RunResults {
        origin: parts
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        ..RunResults::default()
    };
    let now = |parts: &[(&'static str, Option<&str>)]| -> Origin {
        let parts = parts.iter();
        parts
            .map(|(name, value)| (*name, value.map(str::to_owned)))
            .collect()
    };
    let own_origin = own(&[("model", "a1"), ("preset", "sentence"), ("memory", "b2")]);
    let same = now(&[("preset", Some("sentence")), ("memory", Some("b2"))]);
    assert_eq!(own_origin.other_origin(&same), None);
    let not_here = now(&[("preset", Some("sentence")), ("memory", None)]);
    assert_eq!(own_origin.other_origin(&not_here), None);
    for (value, parts) in [
        (
            "memory",
            &[("preset", Some("sentence")), ("memory", Some("b3"))][..],
        ),
        ("memory", &[("preset", Some("sentence"))]),
        (
            "channel",
            &[
                ("preset", Some("sentence")),
                ("memory", Some("b2")),
                ("channel", Some("c3")),
            ],
        ),
    ] {
        assert_eq!(own_origin.other_origin(&now(parts)).as_deref(), Some(value));
    }
    assert_eq!(own(&[]).other_origin(&same), None, "of an older program");
}
