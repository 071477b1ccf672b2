use std::path::Path;
use std::sync::Arc;

use super::*;

fn base(terms: &[(&str, &str)]) -> Arc<Termbase> {
    let mut base = Termbase::empty("en", "de");
    base.terms = terms
        .iter()
        .map(|(source, target)| Term::new(*source, *target))
        .collect();
    Arc::new(base)
}

fn found(base: &Arc<Termbase>, text: &str) -> Vec<(String, usize)> {
    let matches = TermIndex::new(Arc::clone(base)).find(text).into_iter();
    matches
        .map(|it| (text[it.range].to_owned(), it.terms[0]))
        .collect()
}

fn read(name: &str, content: &str) -> crate::error::Result<Termbase> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a file");
    Termbase::read(&path, "en", "de")
}

#[test]
fn several_termbases_are_one_and_the_first_names_its_translation_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let [own, vendor] = [
        ("own.tsv", "page\tBlatt\n"),
        ("vendor.csv", "source,target\npage,Seite\nfile,Datei\n"),
    ]
    .map(|(name, text)| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    });
    let all = Termbase::read_all(&[own.clone(), vendor.clone()], "en", "de").expect("readable");
    let index = TermIndex::new(Arc::new(all));
    let pairs = index.pairs("A page of the file.");
    let own_words =
        |pairs: &[(String, String)]| pairs.iter().map(|it| it.1.clone()).collect::<Vec<_>>();
    assert!(own_words(&pairs).contains(&"Datei".to_owned()), "{pairs:?}");
    let found = index.find("A page.");
    let names: Vec<_> = index.terms(&found[0]).filter_map(Term::target).collect();
    assert_eq!(names, ["Blatt", "Seite"]);
    let missing = Termbase::read_all(&[own, folder.path().join("gone.csv")], "en", "de");
    assert!(
        missing
            .expect_err("missing")
            .to_string()
            .contains("gone.csv")
    );
}

#[test]
fn the_longest_term_is_found_in_any_form_and_across_tags() {
    let base = base(&[
        ("cell", "Zelle"),
        ("cell range", "Zellbereich"),
        ("page style", "Seitenvorlage"),
    ]);
    let text = "Cells of \u{E000}cell\u{E200} ranges have a cell, range, page-styles too.";
    let expected = [
        ("Cells", 0),
        ("cell\u{E200} ranges", 1),
        ("cell", 0),
        ("page-styles", 2),
    ];
    let expected = expected.map(|(text, term)| (text.to_owned(), term));
    assert_eq!(found(&base, text), expected);
    assert_eq!(found(&base, "cellular excellence"), []);
}

#[test]
fn case_and_signs_distinguish_terms() {
    let mut base = Termbase::empty("en", "de");
    base.terms = vec![
        Term {
            case_sensitive: true,
            ..Term::new("Writer", "Writer")
        },
        Term::new("C++", "C++"),
    ];
    let base = Arc::new(base);
    assert_eq!(
        found(&base, "A writer writes c in Writer with c++."),
        [("Writer".to_owned(), 0), ("c".to_owned(), 1),]
    );
}

#[test]
fn languages_without_spaces_and_without_stems_are_looked_up() {
    let mut base = Termbase::empty("ja", "de");
    base.terms = vec![Term::new("印刷ボタン", "Druckknopf")];
    assert_eq!(found(&Arc::new(base), "この印刷ボタンを押す。").len(), 1);
}

#[test]
fn a_term_is_used_in_its_forms_and_as_part_of_a_compound() {
    let stems = Stems::for_language("de");
    let words = TargetWords::new(
        "Die Zellen der \u{E000}Seitenvorlagen\u{E200} drucken",
        &stems,
    );
    for term in ["Zelle", "Seitenvorlage", "Vorlage", "Zellen"] {
        assert!(words.has(term), "{term}");
    }
    for term in ["Zeile", "Zelle drucken", "", "…"] {
        assert!(!words.has(term), "{term}");
    }
    assert!(!words.has_apart("Vorlage"));
    let english = Stems::for_language("en");
    assert!(!TargetWords::new("multicellular", &english).has("cell"));
}

const DCA: &str = r#"<?xml version="1.0"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en"><text><body>
<termEntry id="c1"><descrip type="subjectField">office</descrip><note>Not &amp; never</note>
<langSet xml:lang="en"><tig><term>page <hi>style</hi></term></tig><ntig><termGrp><term>page template</term></termGrp></ntig></langSet>
<langSet xml:lang="de-DE"><tig><term>Seitenstil</term><termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig>
<tig><term>Seitenformat</term><termNote type="administrativeStatus">admittedTerm-admn-sts</termNote></tig>
<tig><term>Seitenvorlage</term><termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></tig></langSet>
<langSet xml:lang="fr"><tig><term>style de page</term></tig></langSet></termEntry>
</body></text></martif>"#;

const DCT: &str = r#"<tbx style="dct" type="TBX-Min" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"
 xmlns:min="http://www.tbxinfo.net/ns/min"><text><body>
<conceptEntry id="c1"><min:subjectField>office</min:subjectField><note>Not &#38; never</note>
<langSec xml:lang="en"><termSec><term>page style</term></termSec><termSec><term>page template</term></termSec></langSec>
<langSec xml:lang="de"><termSec><term>Seitenvorlage</term><min:administrativeStatus>preferredTerm-admn-sts</min:administrativeStatus></termSec>
<termSec><term>Seitenformat</term></termSec>
<termSec><term>Seitenstil</term><min:administrativeStatus>deprecatedTerm-admn-sts</min:administrativeStatus></termSec></langSec>
</conceptEntry></body></text></tbx>"#;

#[test]
fn tbx_is_read_in_both_styles() {
    for text in [DCA, DCT] {
        let base = read("terms.tbx", text).expect("a termbase");
        let [style, template] = base.terms.as_slice() else {
            panic!("{base:?}");
        };
        assert_eq!(style.source, "page style");
        assert_eq!(style.targets, ["Seitenvorlage", "Seitenformat"]);
        assert_eq!(style.forbidden, ["Seitenstil"]);
        assert_eq!(style.domain.as_deref(), Some("office"));
        assert_eq!(style.note.as_deref(), Some("Not & never"));
        assert_eq!(template.source, "page template");
    }
}

#[test]
fn damaged_or_foreign_tbx_is_refused_with_its_place() {
    for (text, expected) in [
        ("<html/>", "line 1: this is not TBX but a file of <html>"),
        ("<tbx>\n<text>\n", "the file ends inside of an element"),
        ("<tbx>\n</text>", "line 2"),
    ] {
        let error = read("terms.tbx", text).expect_err("an error").to_string();
        assert!(error.contains(expected), "{error}");
    }
    let french = DCA.replace("\"de-DE\"", "\"it\"");
    let error = read("terms.tbx", &french)
        .expect_err("an error")
        .to_string();
    assert!(
        error.contains("has terms in en, it, fr, not from en to de"),
        "{error}"
    );
}

#[test]
fn tables_are_read_with_and_without_names() {
    let named = "de;en;forbidden;Case-sensitive;note\nZelle|Feld;cell;Kasten;yes;\"a; b\"\n;;;;\n";
    let base = read("terms.csv", named).expect("a termbase");
    let expected = Term {
        source: "cell".to_owned(),
        targets: vec!["Zelle".to_owned(), "Feld".to_owned()],
        forbidden: vec!["Kasten".to_owned()],
        case_sensitive: true,
        domain: None,
        note: Some("a; b".to_owned()),
    };
    assert_eq!(base.terms, [expected]);
    let base = read("terms.tsv", "cell\tZelle\trow\ncell\tFeld\n").expect("a termbase");
    assert_eq!(base.terms[0].targets, ["Zelle", "Feld"]);
    let error = read("terms.tsv", "cell\tZelle\nrow\n").expect_err("an error");
    assert!(error.to_string().contains("line 2"), "{error}");
    let glossary = "\u{FEFF}# a comment\ncell\tZelle\tin tables\n\nrow\tZeile\n";
    let base = read("glossary.utf8", glossary).expect("a termbase");
    assert_eq!(base.len(), 2);
    assert_eq!(base.terms[0].note.as_deref(), Some("in tables"));
    assert!(read("terms.doc", "").is_err());
}

#[test]
fn what_is_written_is_read_again() {
    let base = read("terms.tbx", DCA).expect("a termbase");
    let mut base = base;
    base.terms[0].case_sensitive = true;
    let folder = tempfile::tempdir().expect("a folder");
    for (name, keeps_all) in [
        ("a.tbx", true),
        ("a.csv", true),
        ("a.tsv", true),
        ("a.utf8", false),
    ] {
        let path = folder.path().join(name);
        base.save(&path, false).expect("written");
        let again = Termbase::read(&path, "en", "de").expect("read");
        if keeps_all {
            assert_eq!(again, base, "{name}");
        } else {
            assert_eq!(again.terms[1].targets, base.terms[1].targets, "{name}");
        }
        assert!(base.save(&path, false).is_err(), "{name} is replaced");
    }
}

#[test]
fn real_files_are_read() {
    let oracle = "<martif><text><body><termEntry><langSet lang='en'><ntig><termGrp><term>PRE</term>\
        <termNote type='abbreviatedFormFor'>Provincial</termNote></termGrp></ntig></langSet>\
        <langSet lang='de'><ntig><termGrp><term>PRE </term></termGrp></ntig></langSet></termEntry></body></text></martif>";
    assert_eq!(
        read("a.tbx", oracle).expect("a termbase").terms[0].targets,
        ["PRE"]
    );
    assert!(Termbase::read(Path::new("missing.tbx"), "en", "de").is_err());
}

#[test]
fn terms_are_taken_from_texts_with_their_usual_translation() {
    let pairs = [
        ("The page style is set.", "Die Seitenvorlage ist gesetzt."),
        (
            "Page styles of the document",
            "Seitenvorlagen des Dokuments",
        ),
        (
            "Choose a page style for it.",
            "Dafür eine Seitenvorlage wählen.",
        ),
        ("The document is closed.", "Das Dokument ist geschlossen."),
        ("A document opens.", "Ein Dokument öffnet sich."),
    ];
    let extraction = Extraction::between("en", "de");
    let texts = pairs.map(|(source, _)| source);
    let found = extraction.run(texts.into_iter(), Some(&pairs));
    let sources: Vec<&str> = found.iter().map(|term| term.source.as_str()).collect();
    assert_eq!(sources, ["page style", "document"]);
    assert_eq!(found[0].targets, ["Seitenvorlage", "Seitenvorlagen"]);
    assert_eq!(found[0].count, 3);
    assert_eq!(found[1].targets[0], "Dokument");
    assert!(extraction.run(texts.into_iter(), None).len() >= 2);
}

#[test]
fn forms_are_those_that_texts_have() {
    let base = base(&[("cell", "Zelle")]);
    let forms = TermForms::seen_in(
        &base,
        ["Zellen und Zellen", "der Zelle", "Zelluloid"].into_iter(),
    );
    assert_eq!(forms.get(0, &base.terms[0]), ["Zelle", "Zellen"]);
}

#[test]
fn an_abbreviation_is_no_pronoun() {
    let base = base(&[("IT", "Informationstechnik"), ("PDF", "PDF")]);
    let text = "The names of it are long. It is set by IT as pdf or PDF.";
    let expected = [("IT", 0), ("pdf", 1), ("PDF", 1)];
    assert_eq!(
        found(&base, text),
        expected.map(|(text, term)| (text.to_owned(), term))
    );
}
