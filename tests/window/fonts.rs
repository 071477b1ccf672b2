//! Fonts of the system, for what our own lacks.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use canopy::jobs::{FontFinder, Pool};
use canopy::typesetting::{FontKey, Outlines, covers};

const INTER: &[u8] = include_bytes!("../../assets/fonts/Inter-Regular.otf");

#[test]
#[cfg_attr(not(has_arabic_font), ignore = "needs a font for Arabic and fc-list")]
fn a_font_of_the_system_is_found_for_a_character() {
    let key = FontKey {
        character: 'ع',
        weight: 400,
        han: None,
    };
    let (sender, woken) = channel();
    let wake = move || sender.send(()).unwrap_or_default();
    let pool = Pool::new("test", channel().0, wake).expect("a thread");
    let finder = FontFinder::new(&pool);
    assert!(finder.font(key).is_none(), "it is looked for elsewhere");
    woken.recv_timeout(Duration::from_secs(30)).expect("found");
    assert_eq!(finder.revision(), 1);
    let started = Instant::now();
    let font = finder.font(key).expect("here");
    assert!(covers(&font.data, font.index, 'ع'));
    assert!(started.elapsed() < Duration::from_secs(5));
    let other = FontKey {
        character: 'ب',
        ..key
    };
    assert_eq!(finder.font(other).expect("the same").name, font.name);
}

#[test]
#[cfg_attr(not(has_arabic_font), ignore = "needs a font for Arabic and fc-list")]
fn letters_of_the_system_are_joined() {
    let curves = |text: &str| Outlines::new(text, INTER, 400, 20.0).curves;
    assert!(!covers(INTER, 0, 'ع'));
    let (joined, alone) = (curves("ععع"), curves("ع"));
    // From left to right: the last letter has another shape than one without neighbours.
    assert!(joined.len() > alone.len() && !alone.is_empty());
    assert!(!joined.starts_with(&alone));
}
