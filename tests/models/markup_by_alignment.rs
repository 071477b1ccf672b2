//! Markup that a model does not read: of models without placeholders all, here of our own first model, which gets none; of
//! the starter, which reads placeholders, tags that show nothing and pairs that begin or end within words.

use std::ops::ControlFlow;
use std::path::Path;

use canopy::corpus::{Corpus, Split};
use canopy::inference::{AlignmentHeads, DeviceChoice, SearchOptions, StrippedSource, Translator};
use canopy::metrics::{MarkupPlacement, markup_placement};
use canopy::text::document::{Document, Format};
use canopy::text::placeholder::{CLOSE, Placeholder, open, point};

fn starter() -> Translator {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/help-en-de");
    let mut translator = Translator::open(&folder, DeviceChoice::Cpu).expect("the starter model");
    translator.options_mut().strip_markup();
    translator
}

/// A sentence, what its points show, and its translation.
struct Pair {
    source: String,
    points: Vec<String>,
    target: String,
    target_points: Vec<String>,
}

/// `<0>` opens, `</>` closes, `<1/>` is a point.
fn written(text: &str) -> String {
    let mut text = text.replace("</>", &CLOSE.to_string());
    for number in 0..4 {
        text = text.replace(&format!("<{number}>"), &open(number).to_string());
        text = text.replace(&format!("<{number}/>"), &point(number).to_string());
    }
    text
}

fn pair(source: &str, points: &[&str], target: &str) -> Pair {
    let points: Vec<String> = points.iter().map(ToString::to_string).collect();
    Pair {
        source: written(source),
        target: written(target),
        target_points: points.clone(),
        points,
    }
}

fn pairs() -> Vec<Pair> {
    vec![
        pair("Click <0>Save</>.", &[], "Klicken Sie auf <0>Speichern</>."),
        pair(
            "Choose <0>File</> and then <1>Print</>.",
            &[],
            "Wählen Sie <0>Datei</> und dann <1>Drucken</>.",
        ),
        pair(
            "Open the <0>Format</> menu.",
            &[],
            "Öffnen Sie das Menü <0>Format</>.",
        ),
        pair(
            "Select the <0>cells</> that you want to sort.",
            &[],
            "Wählen Sie die <0>Zellen</> aus, die Sie sortieren möchten.",
        ),
        pair(
            "Press <0>Enter</> to insert a line break.",
            &[],
            "Drücken Sie <0>Eingabe</>, um einen Zeilenumbruch einzufügen.",
        ),
        pair(
            "In the <0>Name</> box, enter a <1>name</> for the new style.",
            &[],
            "Geben Sie im Feld <0>Name</> einen <1>Namen</> für die neue Vorlage ein.",
        ),
        pair(
            "The function <0/> returns the sum of the numbers.",
            &["SUM"],
            "Die Funktion <0/> gibt die Summe der Zahlen zurück.",
        ),
        pair(
            "Use <0/> to open a file.",
            &["Ctrl+O"],
            "Verwenden Sie <0/>, um eine Datei zu öffnen.",
        ),
        pair(
            "<0>Note:</> You cannot undo this action.",
            &[],
            "<0>Hinweis:</> Sie können diese Aktion nicht rückgängig machen.",
        ),
        pair(
            "The document contains <0>two <1>tables</></> and one image.",
            &[],
            "Das Dokument enthält <0>zwei <1>Tabellen</></> und ein Bild.",
        ),
    ]
}

/// Puts the markup of sources into their reference translations, and compares with where the references have it.
fn placement(translator: &Translator, pairs: &[Pair]) -> (MarkupPlacement, usize) {
    let mut repaired = 0;
    let placed: Vec<String> = pairs
        .iter()
        .map(|pair| {
            let plain = StrippedSource::from_text(&pair.target, &pair.target_points).text;
            let projected = translator
                .aligner()
                .with_markup(&pair.source, &pair.points, &plain);
            repaired += usize::from(projected.is_repaired);
            projected.text
        })
        .collect();
    let references: Vec<&str> = pairs.iter().map(|pair| pair.target.as_str()).collect();
    (markup_placement(&placed, &references), repaired)
}

#[test]
fn tags_stand_around_the_words_that_the_reference_has_in_them() {
    let (found, _) = placement(&starter(), &pairs());
    println!("{} of {} placed", found.placed, found.total);
    assert_eq!(found.damaged, 0);
    assert!(found.placed * 10 >= found.total * 9, "{found:?}");
}

fn placeholders(text: &str) -> Vec<char> {
    let mut found: Vec<char> = text
        .chars()
        .filter(|&c| Placeholder::from_char(c).is_some())
        .collect();
    found.sort_unstable();
    found
}

#[test]
fn a_document_keeps_its_markup() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples/printing-a-brochure.html");
    let document = Document::open(&path, None).expect("the sample");
    let translator = starter();
    let all: Vec<usize> = (0..document.sentences.len()).collect();
    let mut num = 0;
    let mut check = |index: usize, translation: canopy::inference::Translation| {
        let source = &document.sentences[index];
        assert_eq!(placeholders(&translation.text), placeholders(&source.text));
        println!("{:?} {:?}", translation.text, translation.flags);
        num += 1;
        ControlFlow::Continue(())
    };
    translator
        .translate(&document, &all, &SearchOptions::default(), &mut check)
        .expect("translates");
    assert_eq!(num, all.len());
}

/// The translations of the paragraphs of a page by the starter as it is.
fn by_the_starter(name: &str, paragraphs: &[&str]) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/starter-en-de");
    let translator = Translator::open(&folder, DeviceChoice::Cpu).expect("the starter");
    let paragraphs: Vec<String> = paragraphs
        .iter()
        .map(|it| format!("<p>{it}</p>\n"))
        .collect();
    let page = paragraphs.concat();
    let page = format!("<html lang=\"en\"><body>{page}</body></html>");
    let document = Document::from_bytes(name, Format::Html, page.into_bytes()).expect("a page");
    let all: Vec<usize> = (0..document.sentences.len()).collect();
    let mut found = vec![String::new(); all.len()];
    let mut keep = |index: usize, translation: canopy::inference::Translation| {
        found[index] = translation.text;
        ControlFlow::Continue(())
    };
    translator
        .translate(&document, &all, &SearchOptions::default(), &mut keep)
        .expect("translates");
    found
}

/// `<0>`, `</>` and `<1/>` for placeholders.
fn shown(text: &str) -> String {
    let show = |c: char| match Placeholder::from_char(c) {
        None => c.to_string(),
        Some(Placeholder::Open(number)) => format!("<{number}>"),
        Some(Placeholder::Point(number)) => format!("<{number}/>"),
        Some(Placeholder::Close) => "</>".to_owned(),
    };
    text.chars().map(show).collect()
}

#[test]
fn a_break_in_a_sentence_changes_no_word_of_its_translation() {
    let sentences = [
        "Print the page and|close the window.",
        "Click the button to|save the document.",
        "Select the cells that you want to|format, then choose a style.",
        "If the file is open,|close it first.",
        "Enter a name and press|Enter to confirm.",
        "You can insert pictures|into your document.",
        "This option is available|only if the check box is selected.",
        "The settings are saved|when you close the dialog.",
        "Use this command to|delete the selected row.",
        "The document is converted|to the new format.",
    ];
    let plain = sentences.map(|it| it.replace('|', " "));
    let plain = by_the_starter("plain.html", &plain.each_ref().map(String::as_str));
    for mark in ["<br>", " <img src=\"a.png\"> ", " <a id=\"a\"></a>"] {
        let marked = sentences.map(|it| it.replace('|', mark));
        let marked = by_the_starter("a.html", &marked.each_ref().map(String::as_str));
        for (marked, plain) in marked.iter().zip(&plain) {
            assert_eq!(marked.matches(point(0)).count(), 1, "{marked}");
            let spaced = marked.replace(point(0), " ");
            let words = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(words, *plain, "{mark}");
        }
    }
}

#[test]
fn a_mark_within_a_word_does_not_change_it() {
    let found = by_the_starter(
        "a.html",
        &[
            "Open the <u>f</u>ile menu.",
            "Select the ta<a id=\"a\"></a>ble.",
            "The set<wbr>tings are saved.",
            "Select the <b>ta</b>ble.",
            "Water is H<sub>2</sub>O.",
            "The 2<sup>nd</sup> row is selected.",
        ],
    );
    let found: Vec<String> = found.iter().map(|it| shown(it)).collect();
    assert_eq!(
        found,
        [
            "Öffnen Sie das <0>D</>ateimenü.",
            "Wählen Sie die <0/>Tabelle aus.",
            "Die <0/>Einstellungen werden gespeichert.",
            "Wählen Sie die <0>Tabelle</> aus.",
            "Wasser ist H<0>2</>O.",
            "Die <0>zweite</> Zeile ist ausgewählt.",
        ]
    );
}

/// With `CANOPY_MARKUP_CORPUS=FOLDER`: which heads do it best on the test documents of a corpus.
#[test]
#[ignore = "needs CANOPY_MARKUP_CORPUS, a corpus"]
fn heads_are_compared_on_a_corpus() {
    let folder = std::env::var_os("CANOPY_MARKUP_CORPUS").expect("CANOPY_MARKUP_CORPUS");
    let corpus = Corpus::open(folder).expect("a corpus");
    let mut pairs = Vec::new();
    for document in corpus.documents(Split::Test).expect("documents") {
        let document = document.expect("a document");
        for unit in document
            .paragraphs
            .into_iter()
            .flat_map(|paragraph| paragraph.units)
        {
            if placeholders(&unit.source).is_empty()
                || placeholders(&unit.source) != placeholders(&unit.target)
            {
                continue;
            }
            pairs.push(Pair {
                target_points: unit
                    .target_points
                    .clone()
                    .unwrap_or_else(|| unit.points.clone()),
                source: unit.source,
                target: unit.target,
                points: unit.points,
            });
        }
    }
    let mut translator = starter();
    let (layers, heads) = {
        let config = &translator.description().model;
        (config.num_decoder_layers, config.num_heads)
    };
    println!(
        "{} sentences, {layers} layers of {heads} heads",
        pairs.len()
    );
    let mut measure = |name: String, heads: AlignmentHeads| {
        translator.options_mut().alignment_heads = heads;
        let (found, repaired) = placement(&translator, &pairs);
        println!(
            "{name}: {} of {} placed, {} damaged, {repaired} repaired",
            found.placed, found.total, found.damaged
        );
    };
    for layer in 0..layers {
        measure(format!("layer {layer}"), AlignmentHeads::Layer(layer));
        for head in 0..heads {
            measure(
                format!("layer {layer}, head {head}"),
                AlignmentHeads::Head { layer, head },
            );
        }
    }
}

/// With `CANOPY_MARKUP_FILES=FOLDER`: what becomes of tags, code and addresses in its files, with our own model or the one
/// that `CANOPY_MARKUP_MODEL` names.
#[test]
#[ignore = "needs CANOPY_MARKUP_FILES, a folder"]
fn files_of_a_folder_keep_their_tags_and_code() {
    /// Sentences of a file, at most.
    const MOST: usize = 40;
    let folder = std::env::var_os("CANOPY_MARKUP_FILES").expect("CANOPY_MARKUP_FILES");
    let translator = match std::env::var_os("CANOPY_MARKUP_MODEL") {
        Some(model) => Translator::open(Path::new(&model), DeviceChoice::Cpu).expect("a model"),
        None => starter(),
    };
    let options = SearchOptions {
        beam_size: 1,
        ..SearchOptions::default()
    };
    let (mut files, mut sentences, mut tags, mut lost) = (0, 0, 0, 0);
    let (mut literals, mut missing, mut flagged, mut unflagged) = (0, 0, 0, 0);
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let Ok(document) = Document::open(&path, None) else {
            continue;
        };
        files += 1;
        let all: Vec<usize> = (0..document.sentences.len().min(MOST)).collect();
        let mut check = |index: usize, translation: canopy::inference::Translation| {
            let source = &document.sentences[index];
            let (own, found) = (placeholders(&source.text), placeholders(&translation.text));
            (sentences, tags) = (sentences + 1, tags + own.len());
            lost += usize::from(own != found);
            let shown = canopy::text::placeholder::visible(&translation.text, &source.points);
            let stripped = StrippedSource::from_text(&source.text, &source.points);
            let is_flagged = translation.flags.contains(&canopy::inference::Flag::Markup);
            let kept = stripped.kept();
            literals += kept.len();
            let gone = kept
                .iter()
                .filter(|kept| !shown.contains(kept.trim()))
                .count();
            missing += gone;
            flagged += usize::from(is_flagged);
            unflagged += usize::from(gone > 0 && !is_flagged);
            ControlFlow::Continue(())
        };
        translator
            .translate(&document, &all, &options, &mut check)
            .expect("translates");
    }
    println!(
        "{files} files, {sentences} sentences: {tags} tags, {lost} sentences with other tags than their source"
    );
    println!(
        "{literals} texts that stay: {missing} missing; {flagged} sentences flagged; {unflagged} lack one without a flag"
    );
    assert_eq!((lost, unflagged), (0, 0));
}
