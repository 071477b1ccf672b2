use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::words::Words;
use super::*;
use canopy_document::placeholder::{CLOSE, Placeholder, open, point, stripped};

mod marks;

/// Words of both texts aligned as `pairs` say, by their numbers: target to source.
fn aligned(source: &str, target: &str, pairs: &[(usize, usize)]) -> Alignment {
    let [source, target] = [source, target].map(|text| Words::new(text, &[]).ranges);
    let mut weights = vec![vec![0.0; source.len()]; target.len()];
    for &(place, other) in pairs {
        weights[place][other] = 1.0;
    }
    Alignment {
        source,
        target,
        weights,
    }
}

fn shown(text: &str) -> String {
    let show = |c: char| match Placeholder::from_char(c) {
        None => c.to_string(),
        Some(Placeholder::Open(number)) => format!("<{number}>"),
        Some(Placeholder::Point(number)) => format!("<{number}/>"),
        Some(Placeholder::Close) => "</>".to_owned(),
    };
    text.chars().map(show).collect()
}

/// `<0>` opens, `</>` closes, `<1/>` is a point.
fn written(text: &str) -> String {
    let mut text = text.replace("</>", &CLOSE.to_string());
    for number in 0..6 {
        text = text.replace(&format!("<{number}>"), &open(number).to_string());
        text = text.replace(&format!("<{number}/>"), &point(number).to_string());
    }
    text
}

fn project(
    source: &str,
    points: &[&str],
    target: &str,
    pairs: &[(usize, usize)],
) -> (String, bool) {
    let points: Vec<String> = points.iter().map(ToString::to_string).collect();
    let source = StrippedSource::from_text(&written(source), &points);
    let projected = projected(&source, target, &aligned(&source.text, target, pairs), "de");
    (shown(&projected.text), projected.is_repaired)
}

#[test]
fn tags_go_where_their_words_went() {
    let done = |source, points: &[&str], target, pairs: &[(usize, usize)]| {
        project(source, points, target, pairs).0
    };
    assert_eq!(
        done(
            "Press <0>Save</> now.",
            &[],
            "Jetzt Speichern drücken.",
            &[(0, 2), (1, 1), (2, 0), (3, 3)]
        ),
        "Jetzt <0>Speichern</> drücken."
    );
    assert_eq!(
        done(
            "<0>red <1>wine</></> here",
            &[],
            "hier vin rouge",
            &[(0, 2), (1, 1), (2, 0)]
        ),
        "hier <0><1>vin</> rouge</>"
    );
    assert_eq!(
        done(
            "the <0>big house</>",
            &[],
            "das große alte Haus",
            &[(0, 0), (1, 1), (3, 2)]
        ),
        "das <0>große alte Haus</>",
        "a word between belongs to it"
    );
    assert_eq!(
        done(
            "See x<0>2</> here.",
            &[],
            "Siehe x2 hier.",
            &[(0, 0), (1, 1), (2, 2), (3, 3)]
        ),
        "Siehe x<0>2</> hier.",
        "the translation has the same word"
    );
}

#[test]
fn points_keep_their_spaces() {
    let done = |source, points: &[&str], target, pairs: &[(usize, usize)]| {
        project(source, points, target, pairs).0
    };
    let two = [(0, 0), (1, 1)];
    assert_eq!(
        done("one<0/> two", &[""], "eins zwei", &two),
        "eins<0/> zwei"
    );
    assert_eq!(
        done("one <0/>two", &[""], "eins zwei", &two),
        "eins <0/>zwei"
    );
    assert_eq!(
        done("one <0/> two", &[""], "eins zwei", &two),
        "eins <0/> zwei"
    );
    assert_eq!(
        done("one<0/>two", &[" "], "eins zwei", &two),
        "eins<0/>zwei"
    );
    assert_eq!(done("<0/> one", &[""], "eins", &[(0, 0)]), "<0/> eins");
    assert_eq!(
        done(
            "one two <0/>.",
            &[""],
            "eins zwei.",
            &[(0, 0), (1, 1), (2, 2)]
        ),
        "eins zwei <0/>."
    );
}

#[test]
fn code_survives_or_is_put_in() {
    let pairs = [(0, 0), (1, 1), (2, 2), (3, 3)];
    assert_eq!(
        project(
            "Run <0/> first",
            &["ls -l"],
            "Zuerst ls -l ausführen",
            &[(0, 4), (1, 1), (2, 2), (3, 3), (4, 0)]
        ),
        ("Zuerst <0/> ausführen".to_owned(), false)
    );
    assert_eq!(
        project(
            "Open <0/> now",
            &["foo"],
            "Foe jetzt öffnen",
            &[(0, 1), (1, 2), (2, 0)]
        ),
        ("<0/> jetzt öffnen".to_owned(), true)
    );
    let (_, is_repaired) = project("Open %s now", &[], "Jetzt öffnen", &[(0, 3), (1, 0)]);
    assert!(is_repaired, "it is put in where it was");
    let (text, _) = project("Hello {name}!", &[], "Hallo {Name}!", &pairs);
    assert_eq!(text, "Hallo {name}!");
}

#[test]
fn code_beside_code_keeps_its_space() {
    // The translation has one word for both: the other is put in beside it.
    let done = project("<0/> <1/>", &["a", "b"], "x", &[(0, 0), (0, 1)]).0;
    assert_eq!(done.matches(' ').count(), 1, "{done}");
}

#[test]
fn spaces_before_a_point_in_a_pair_are_written_once() {
    let done = project(
        "<0>one <1/></> two",
        &["", ""],
        "eins zwei",
        &[(0, 0), (1, 1)],
    )
    .0;
    assert_eq!(done, "<0>eins <1/></> zwei");
}

struct Random(ChaCha8Rng);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end)
    }

    fn words(&mut self, text: &mut String, num: usize) {
        let words = [
            "a", "Bb", "c.", "日本", "%s", "12", "{x}", "d-e", "é", "(f)", " ", "'",
        ];
        for _ in 0..num {
            text.push_str(words[self.below(words.len())]);
            if self.below(3) > 0 {
                text.push(' ');
            }
        }
    }

    fn tree(&mut self, text: &mut String, next: &mut usize, depth: usize) {
        for _ in 0..self.below(4) {
            let num = self.below(4);
            self.words(text, num);
            let number = *next;
            match self.below(3) {
                0 if depth < 4 => {
                    *next += 1;
                    text.push(open(number));
                    self.tree(text, next, depth + 1);
                    text.push(CLOSE);
                }
                1 => {
                    *next += 1;
                    text.push(point(number));
                }
                _ => {}
            }
        }
    }
}

fn placeholders(text: &str) -> Vec<char> {
    let mut found: Vec<char> = text
        .chars()
        .filter(|&c| Placeholder::from_char(c).is_some())
        .collect();
    found.sort_unstable();
    found
}

/// For each pair the numbers of what is in it, deep within too.
fn nesting(text: &str) -> Option<Vec<(usize, usize)>> {
    let (mut open, mut inside) = (Vec::new(), Vec::new());
    for c in text.chars() {
        match Placeholder::from_char(c) {
            Some(Placeholder::Close) => {
                open.pop()?;
            }
            Some(Placeholder::Open(number)) => {
                inside.extend(open.iter().map(|&outer| (outer, number)));
                open.push(number);
            }
            Some(Placeholder::Point(number)) => {
                inside.extend(open.iter().map(|&outer| (outer, number)));
            }
            None => {}
        }
    }
    inside.sort_unstable();
    open.is_empty().then_some(inside)
}

#[test]
fn nothing_is_lost_doubled_or_misnested_whatever_the_alignment() {
    for seed in 0..3000 {
        let mut random = Random(ChaCha8Rng::seed_from_u64(seed));
        let (mut text, mut next, mut target) = (String::new(), 0, String::new());
        random.tree(&mut text, &mut next, 0);
        let num = random.below(9);
        random.words(&mut target, num);
        let target = target.split_whitespace().collect::<Vec<_>>().join(" ");
        let shows = ["", " ", "ls -l", "12", "日本"];
        let points: Vec<String> = (0..next)
            .map(|_| shows[random.below(5)].to_owned())
            .collect();
        let source = StrippedSource::from_text(&text, &points);
        let [source_words, target_words] =
            [source.text.as_str(), &target].map(|text| Words::new(text, &[]).ranges);
        let mut weight = || match random.below(6) {
            0 => 1.0,
            1 => random.0.random::<f32>(),
            2 if seed % 7 == 0 => f32::NAN,
            _ => 0.0,
        };
        let weights = target_words
            .iter()
            .map(|_| source_words.iter().map(|_| weight()).collect());
        let alignment = Alignment {
            weights: weights.collect(),
            source: source_words.clone(),
            target: target_words.clone(),
        };
        let projected = projected(&source, &target, &alignment, "de").text;
        let context = format!(
            "seed {seed}: {} | {target} | {}",
            shown(&text),
            shown(&projected)
        );
        assert_eq!(placeholders(&projected), placeholders(&text), "{context}");
        assert_eq!(nesting(&projected), nesting(&text), "{context}");
        assert!(!projected.contains("  "), "{context}");
        let is_changed = source.kept_texts().iter().any(|kept| !kept.is_empty());
        if !is_changed {
            // Marks that enclose the source come back.
            let is_seen = |c: &char| !c.is_whitespace() && *c != '\'';
            let plain = |text: &str| stripped(text).chars().filter(is_seen).collect::<String>();
            assert_eq!(plain(&projected), plain(&target), "{context}");
        }
        for kept in ["%s", "{x}"] {
            let own = source
                .kept_texts()
                .iter()
                .filter(|text| **text == kept)
                .count();
            assert!(projected.matches(kept).count() >= own, "{context}");
        }
    }
}

#[test]
fn code_that_is_aligned_to_nothing_takes_no_word_away() {
    let (text, is_repaired) = project(
        "Call <0/> first now",
        &["main"],
        "Rufen zuerst jetzt",
        &[(0, 0), (1, 2), (2, 3)],
    );
    assert_eq!(text, "Rufen <0/> zuerst jetzt");
    assert!(is_repaired);
}
