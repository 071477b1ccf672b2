//! Small sets in the forms in which their authors published theirs.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::super::set::ContrastiveSet;
use super::open;
use crate::error::{BaseError, Error, Result};

struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        let folder = path.parent().expect("below the desk");
        fs::create_dir_all(folder).expect("a folder");
        fs::write(&path, text).expect("written");
        path
    }

    fn open(&self, name: &str) -> Result<ContrastiveSet> {
        open(&self.0.path().join(name), None)
    }
}

/// The error of a set, in words.
fn said(desk: &Desk, name: &str) -> String {
    desk.open(name).expect_err("a broken set").to_string()
}

const CONTRAPRO: &str = r#"[{"ante distance": 1, "ref pronoun": "Es", "src pronoun": "it", "corpus": "opensubs1921-ende",
 "document id": "1921_3.de", "segment id": 2, "intrasegmental": false, "ref ante head gender": null,
 "ref ante phrase": "das Haus", "src segment": "Now it  is \"old\".", "ref segment": "Jetzt ist es alt.",
 "errors": [{"contrastive": "Jetzt ist sie alt.", "replacement": "sie", "type": "pronominal coreference"},
            {"contrastive": "Jetzt ist er alt.", "replacement": "er", "type": "pronominal coreference"}]}]"#;

fn contrapro() -> Desk {
    let desk = Desk::new();
    desk.file("contrapro.json", CONTRAPRO);
    desk.file(
        "documents/1921/1921_3.en",
        "\u{FEFF}A house.\r\nNow it is 'old'.\r\nYes.\r\n",
    );
    desk.file(
        "documents/1921/1921_3.de",
        "Ein Haus.\nJetzt ist es alt.\nJa.\n",
    );
    desk
}

#[test]
fn contrapro_is_read_with_its_documents() {
    let set = contrapro().open("contrapro.json").expect("a set");
    let item = &set.items[0];
    assert_eq!((item.document, item.sentence), (0, 1));
    let candidates: Vec<&str> = item.candidates().collect();
    assert_eq!(
        candidates,
        [
            "Jetzt ist es alt.",
            "Jetzt ist sie alt.",
            "Jetzt ist er alt."
        ]
    );
    assert_eq!(item.category.as_deref(), Some("it:es"));
    assert_eq!((item.distance, item.intrasegmental), (Some(1), Some(false)));
    assert_eq!(item.contrasts[1].replacement.as_deref(), Some("er"));
    let sentences = &set.documents[0].sentences;
    assert_eq!(
        (sentences.len(), sentences[0].source.as_str()),
        (3, "A house.")
    );
    assert_eq!(sentences[2].reference.as_deref(), Some("Ja."));
}

#[test]
fn contrapro_that_does_not_fit_its_documents_is_refused_with_its_item() {
    let desk = contrapro();
    desk.file("documents/1921/1921_3.en", "A house.\nNow.\nYes.\n");
    let other = said(&desk, "contrapro.json");
    assert!(
        other.contains("item 1") && other.contains("line 2"),
        "{other}"
    );
    desk.file("documents/1921/1921_3.en", "A house.\nNow it is old.\n");
    let unequal = desk.open("contrapro.json");
    assert!(
        matches!(
            unequal,
            Err(Error::Base(BaseError::UnequalLines { line: 3, .. }))
        ),
        "{unequal:?}"
    );
    desk.file("documents/1921/1921_3.en", b"A house.\nNow\xFF.\n");
    let no_text = desk.open("contrapro.json");
    assert!(
        matches!(
            no_text,
            Err(Error::Base(BaseError::NotUtf8 { line: 2, .. }))
        ),
        "{no_text:?}"
    );
    desk.file(
        "contrapro.json",
        CONTRAPRO.replace("1921_3.de", "1922_4.de"),
    );
    assert!(said(&desk, "contrapro.json").contains("1922_4.de"));
    fs::remove_dir_all(desk.0.path().join("documents")).expect("removed");
    let gone = desk.open("contrapro.json");
    assert!(
        matches!(&gone, Err(Error::NoSetDocuments { folder, .. }) if folder.ends_with("documents")),
        "{gone:?}"
    );
}

#[test]
fn missing_fields_are_named_with_file_and_item() {
    let desk = contrapro();
    for (field, renamed) in [
        ("contrastive", "c"),
        ("ref pronoun", "r"),
        ("errors", "e"),
        ("segment id", "s"),
    ] {
        desk.file("contrapro.json", CONTRAPRO.replace(field, renamed));
        let message = said(&desk, "contrapro.json");
        for part in ["contrapro.json", "item 1", field] {
            assert!(message.contains(part), "{message}");
        }
    }
    desk.file(
        "contrapro.json",
        CONTRAPRO.replace("distance\": 1", "distance\": -1"),
    );
    assert!(said(&desk, "contrapro.json").contains("-1"));
}

const ANAPHORA: &str = r#"{"10": {"src": ["The buildings are new.", "They are full."], "trg": [
  {"correct": ["Les bâtiments sont neufs.", "Ils sont pleins."], "incorrect": ["Les bâtiments sont neufs.", "Elles sont pleines."], "type": "m.pl"},
  {"semi-correct": ["Les maisons sont neuves.", "Elles sont pleines."], "incorrect": ["Les maisons sont neuves.", "Ils sont pleins."]}]},
 "9": {"type": "repet", "examples": [{"src": ["Crazy?", "Is this crazy?"],
  "trg": {"correct": ["Fou ?", "C'est fou ?"], "incorrect": ["Fou ?", "C'est dingue ?"]}}]}}"#;

#[test]
fn blocks_of_bawden_et_al_are_read_in_order() {
    let desk = Desk::new();
    desk.file(
        "anaphora.json",
        format!("\u{FEFF}{}", ANAPHORA.replace('\n', "\r\n")),
    );
    let set = desk.open("anaphora.json").expect("a set");
    let ids: Vec<&str> = set.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["9.1", "10.1", "10.2"]);
    let categories: Vec<_> = set
        .items
        .iter()
        .map(|item| item.category.as_deref())
        .collect();
    assert_eq!(
        categories,
        [Some("repet"), Some("m.pl"), Some("semi-correct")]
    );
    assert_eq!(set.items[2].contrasts[0].text, "Ils sont pleins.");
    let context = &set.documents[2].sentences[0];
    assert_eq!(
        context.reference.as_deref(),
        Some("Les maisons sont neuves.")
    );
    assert!(set.needs_target_context);
}

#[test]
fn broken_blocks_of_bawden_et_al_are_named() {
    let desk = Desk::new();
    for (from, to, part) in [
        (
            "\"incorrect\": [\"Fou ?\", ",
            "\"incorrect\": [",
            "1 sentences",
        ),
        (
            "\"incorrect\": [\"Fou ?\"",
            "\"incorrect\": [\"Fou !\"",
            "differ before",
        ),
        ("\"src\": [\"Crazy?\"", "\"s\": [\"Crazy?\"", "\"src\""),
    ] {
        desk.file("lexical-choice.json", ANAPHORA.replace(from, to));
        let message = said(&desk, "lexical-choice.json");
        assert!(
            message.contains(part) && message.contains("item 9.1"),
            "{message}"
        );
    }
}

const VOITA: &str = r#"[{"dst": ["Иди . _eos Фрэн идет .", "Иди . _eos Фран идет .", "Иди . _eos Френ идет ."],
 "true_ind": 1, "src": "Go . _eos Fran 's coming !", "ctx_dist": 2}]"#;

#[test]
fn consistency_sets_are_read_from_json_and_from_lines_beside_it() {
    let desk = Desk::new();
    desk.file("lex_cohesion_dev.json", VOITA);
    let set = desk.open("lex_cohesion_dev.json").expect("a set");
    let candidates: Vec<&str> = set.items[0].candidates().collect();
    assert_eq!(candidates, ["Фран идет .", "Фрэн идет .", "Френ идет ."]);
    assert_eq!((set.items[0].distance, set.items[0].sentence), (Some(2), 1));
    assert!(set.needs_target_context);
    let source = "Go . _eos Fran 's coming !\n".repeat(3);
    let target = "Иди . _eos Фрэн идет .\nИди . _eos Фран идет .\nИди . _eos Френ идет .\n";
    desk.file("scoring_data/lex_cohesion_dev.src", &source);
    desk.file("scoring_data/lex_cohesion_dev.dst", target);
    assert_eq!(
        desk.open("scoring_data/lex_cohesion_dev.src")
            .expect("a set"),
        set
    );
}

#[test]
fn broken_consistency_sets_are_named() {
    let desk = Desk::new();
    for (from, to, part) in [
        ("true_ind\": 1", "true_ind\": 3", "\"true_ind\" is 3"),
        (
            "\"Иди . _eos Френ",
            "\"Стой . _eos Френ",
            "translation 3 differs",
        ),
        ("Go . _eos ", "", "2 sentences"),
        ("\"src\"", "\"s\"", "\"src\" is missing"),
    ] {
        desk.file("ellipsis_vp.json", VOITA.replace(from, to));
        let message = said(&desk, "ellipsis_vp.json");
        assert!(
            message.contains(part) && message.contains("item 1"),
            "{message}"
        );
    }
    desk.file("scoring_data/ellipsis_vp.src", "Go .\n");
    desk.file("scoring_data/ellipsis_vp.dst", "Иди .\nИди .\n");
    desk.file("ellipsis_vp.json", VOITA);
    let unequal = desk.open("scoring_data/ellipsis_vp.src");
    assert!(
        matches!(unequal, Err(Error::Base(BaseError::UnequalLines { .. }))),
        "{unequal:?}"
    );
    desk.file("scoring_data/ellipsis_vp.dst", "Иди .\n");
    assert!(said(&desk, "scoring_data/ellipsis_vp.src").contains("other sentences"));
    fs::remove_file(desk.0.path().join("ellipsis_vp.json")).expect("removed");
    assert!(said(&desk, "scoring_data/ellipsis_vp.src").contains("which translation is right"));
}

const SCAT: [(&str, &str); 4] = [
    (
        "en",
        "Does <p>it</p> work?\n<p>They</p> are old.\nSo <p>it</p> is.\nIs that all?\n",
    ),
    (
        "fr",
        "Marche-t-<p>elle</p> ?\n<p>Ils</p> sont  <hon>vieux<hoff> .\nC'est qu'<p>elle</p>  <hon>l' <hon>est<ho<hoff> ff> .\nC'est tout ?\n",
    ),
    (
        "context.en",
        "I bought a car. It was cheap.\n\nHere is the house. And the tree.\nWell.\n",
    ),
    (
        "context.fr",
        "J'ai acheté une  <hon>voiture<hoff> , hier. Pas chère.\n\nVoici la  <hon>maison<hoff> .\nBon.\n",
    ),
];

fn scat() -> Desk {
    let desk = Desk::new();
    for (rest, text) in SCAT {
        desk.file(&format!("highlighted.test.{rest}"), text);
    }
    desk
}

#[test]
fn lines_of_scat_are_read_without_their_tags() {
    let set = scat().open("highlighted.test.en").expect("a set");
    assert_eq!(
        scat().open("highlighted.test.context.fr").expect("a set"),
        set
    );
    assert!(set.about.contains("a line without"), "{}", set.about);
    let candidates: Vec<Vec<&str>> = set
        .items
        .iter()
        .map(|it| it.candidates().collect())
        .collect();
    assert_eq!(
        candidates,
        [
            ["Marche-t-elle ?", "Marche-t-il ?"],
            ["Ils sont vieux.", "Elles sont vieux."],
            ["C'est qu'elle l'est.", "C'est qu'il l'est."],
        ]
    );
    let found = set.items.iter().map(|it| {
        let before = &set.documents[it.document].sentences[..it.sentence];
        let before = before
            .iter()
            .map(|it| it.source.as_str())
            .collect::<Vec<_>>();
        (
            it.category.as_deref(),
            it.distance,
            it.antecedent.as_deref(),
            before,
        )
    });
    let found: Vec<_> = found.collect();
    assert_eq!(
        found,
        [
            (
                Some("it:elle"),
                Some(2),
                Some("voiture"),
                vec!["I bought a car.", "It was cheap."]
            ),
            (Some("they:ils"), Some(0), Some("vieux"), vec![]),
            // Two sentences and one: all of them are one.
            (
                Some("it:elle"),
                Some(1),
                Some("maison"),
                vec!["Here is the house. And the tree."]
            ),
        ]
    );
    let first = &set.documents[0].sentences;
    assert_eq!(
        first[0].reference.as_deref(),
        Some("J'ai acheté une voiture, hier.")
    );
}

#[test]
fn a_context_of_translations_alone_is_no_context_and_decides_at_no_distance() {
    let desk = scat();
    desk.file("highlighted.test.context.en", "\n\n\nWell.\n");
    let set = desk.open("highlighted.test.en").expect("a set");
    let found = set.items.iter().map(|it| (it.sentence, it.distance));
    let found: Vec<_> = found.collect();
    assert_eq!(found, [(0, None), (0, Some(0)), (0, None)]);
}

#[test]
fn files_of_scat_that_do_not_belong_together_are_named() {
    let desk = scat();
    desk.file("highlighted.test.context.fr", "Bon.\n");
    let message = said(&desk, "highlighted.test.en");
    assert!(message.contains("context.fr"), "{message}");
    let desk = scat();
    desk.file("highlighted.test.fr", "\n\n\n\n");
    let message = said(&desk, "highlighted.test.en");
    assert!(
        message.contains("item 1") && message.contains("test.fr"),
        "{message}"
    );
    desk.file("highlighted.test.en", "");
    desk.file("highlighted.test.fr", "");
    for rest in ["context.en", "context.fr"] {
        desk.file(&format!("highlighted.test.{rest}"), "");
    }
    assert!(said(&desk, "highlighted.test.en").contains("no items"));
}

#[test]
fn our_own_format_comes_back_as_it_was() {
    let desk = contrapro();
    let set = desk.open("contrapro.json").expect("a set");
    let path = desk.0.path().join("own.json");
    set.save(&path, false).expect("saved");
    assert_eq!(desk.open("own.json").expect("a set"), set);
    assert!(matches!(
        set.save(&path, false),
        Err(Error::Base(BaseError::Exists { .. }))
    ));
    let text = fs::read_to_string(&path).expect("there");
    for (from, to, part) in [
        ("\"version\": 1", "\"version\": 2", "version 2"),
        (
            "\"sentence\": 1",
            "\"sentence\": 3",
            "item 1: sentence 3 of 3",
        ),
        ("\"correct\"", "\"right\"", "missing field `correct`"),
        ("Jetzt ist er alt.", " ", "is empty"),
    ] {
        desk.file("broken.json", text.replace(from, to));
        let message = said(&desk, "broken.json");
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn what_is_no_set_is_refused() {
    let desk = Desk::new();
    for text in [
        "[]",
        "{}",
        "3",
        "{\"format\": \"x\"}",
        "[{",
        "[[1]]",
        "[\"a\"]",
        "{\"1\": 5}",
    ] {
        desk.file("set.json", text);
        let message = said(&desk, "set.json");
        assert!(message.contains("set.json"), "{message}");
    }
    desk.file("set.json", b"[{\"a\": \"\xFF\"}]");
    assert!(matches!(
        desk.open("set.json"),
        Err(Error::Base(BaseError::NotUtf8 { .. }))
    ));
}
