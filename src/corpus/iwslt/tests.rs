use std::fs;

use tempfile::TempDir;

use super::*;

const ENGLISH: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<mteval>
<srcset setid="dev" srclang="English">
<doc docid="12" genre="lectures">
<url>http://example.org/talk?a=1&b=2</url>
<talkid>12</talkid>
<title>Research & development</title>
<seg id="1"> AT&T is 3 < 4 &amp; 5 &lt; 6. </seg>
<seg id="2"> The second
   one. </seg>
<seg id="3"> Only here. </seg>
</doc>
<doc docid="7" genre="lectures">
<talkid>7</talkid>
<seg id="1"> No end tag
<seg id='2'>Nor here
<doc docid="99">
<seg id="1">Not translated.</seg>
</srcset>
</mteval>
"#;

const GERMAN: &str = r#"<mteval>
<refset setid="dev" srclang="English" trglang="German">
<doc docid="3">
<talkid>7</talkid>
<seg id="1">Ohne Ende</seg>
<seg id="2">Auch hier</seg>
<seg id="3"></seg>
</doc>
<doc docid="12">
<seg id="2">Der zweite.</seg>
<seg id="1">AT&T ist 3 &#60; 4 &amp; 5 &#x3C; 6.</seg>
</doc>
</refset>
</mteval>
"#;

fn import(source: &str, target: &str) -> (TempDir, Result<(Corpus, IwsltReport)>) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path
    };
    let import = IwsltImport {
        source: file("dev.en.xml", source),
        target: file("dev.de.xml", target),
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        split: Some(Split::Dev),
        output: folder.path().join("corpus"),
        replace: false,
    };
    let imported = import.run();
    (folder, imported)
}

/// Ids of the talks with their pairs.
fn talks(corpus: &Corpus) -> Vec<(String, Vec<[String; 2]>)> {
    let documents = corpus.documents(Split::Dev).expect("a split");
    let talk = |document: ParallelDocument| {
        let units = document.paragraphs.into_iter().flat_map(|one| one.units);
        let pairs = units.map(|unit| [unit.source, unit.target]);
        (document.id, pairs.collect())
    };
    documents
        .map(|document| talk(document.expect("a document")))
        .collect()
}

#[test]
fn talks_and_segments_meet_by_their_ids_in_spite_of_flaws() {
    let pairs = |pairs: &[[&str; 2]]| -> Vec<[String; 2]> {
        pairs.iter().map(|pair| pair.map(str::to_owned)).collect()
    };
    let want = [
        (
            "000007".to_owned(),
            pairs(&[["No end tag", "Ohne Ende"], ["Nor here", "Auch hier"]]),
        ),
        (
            "000012".to_owned(),
            pairs(&[
                ["AT&T is 3 < 4 & 5 < 6.", "AT&T ist 3 < 4 & 5 < 6."],
                ["The second one.", "Der zweite."],
            ]),
        ),
    ];
    let windows = format!("\u{FEFF}{}", ENGLISH.replace('\n', "\r\n"));
    for source in [ENGLISH, &windows] {
        let (_folder, imported) = import(source, GERMAN);
        let (corpus, report) = imported.expect("a corpus");
        assert_eq!(talks(&corpus), want);
        let expected = IwsltReport {
            talks: 2,
            unpaired_sources: vec!["99".to_owned()],
            unpaired_targets: Vec::new(),
            pairs: 4,
            unpaired_source_segments: 1,
            unpaired_target_segments: 0,
            unclosed_segments: 2,
        };
        assert_eq!(report, expected);
    }
}

#[test]
fn segments_of_training_files_are_lines() {
    let talk = |id: &str, first: &str, third: &str| {
        format!(
            "<url>u</url>\n<keywords>k</keywords>\n<talkid>{id}</talkid>\n<title>t</title>\n\
             <description>d</description>\n {first}\n\n {third}\n"
        )
    };
    let english = [
        talk("1", "One & two.", "Three."),
        talk("2", "Four;", "Five."),
    ];
    let german = [
        talk("1", "Eins & zwei.", "Drei."),
        talk("2", "Vier;", "Fünf."),
    ];
    let old = |talks: &[String]| talks.concat();
    let new = |talks: &[String]| {
        let talks = talks.iter().enumerate().map(|(number, talk)| {
            format!("<doc docid=\"{number}\" genre=\"lectures\">\n{talk}<reviewer></reviewer>\n<translator>x</translator>\n</doc>\n")
        });
        talks.collect()
    };
    let want = [
        ["One & two.", "Eins & zwei."],
        ["Three.", "Drei."],
        ["Four;", "Vier;"],
        ["Five.", "Fünf."],
    ];
    for (source, target) in [(old(&english), old(&german)), (new(&english), new(&german))] {
        let (_folder, imported) = import(&source, &target);
        let (corpus, report) = imported.expect("a corpus");
        let talks = talks(&corpus);
        assert_eq!([&talks[0].1[..], &talks[1].1].concat(), want);
        assert_eq!((report.talks, report.unclosed_segments), (2, 0));
    }
}

#[test]
fn errors_name_file_and_line() {
    let cases = [
        ("<mteval>\n</mteval>\n", "line 3: there is no <doc>"),
        (
            "<doc docid=\"1\">\n<seg>x</seg>\n",
            "line 2: this <seg> has no id",
        ),
        ("\n<seg id=\"1\">x</seg>", "line 2: this <seg> is outside"),
        (
            "<doc docid=\"1\">\n<seg id=\"4\">x</seg>\n<seg id=\"4\">y</seg>",
            "line 3: segment 4 occurs twice",
        ),
        (
            "<doc>\n<seg id=\"1\">x</seg>\n</doc>",
            "line 3: the <doc> that ends here has neither",
        ),
        ("", "line 1: there is no <doc>"),
    ];
    for (target, want) in cases {
        let (_folder, imported) = import(ENGLISH, target);
        let text = imported.expect_err("refused").to_string();
        assert!(text.contains(want) && text.contains("dev.de.xml"), "{text}");
    }
    let (_folder, imported) = import(ENGLISH, &GERMAN.replace("12", "13").replace('7', "8"));
    let text = imported.expect_err("refused").to_string();
    assert!(
        text.contains("dev.en.xml") && text.contains("dev.de.xml"),
        "{text}"
    );
}

#[test]
fn a_talk_that_stands_twice_is_refused() {
    let twice =
        |text: &str| format!("<doc docid=\"1\"><seg id=\"1\">{text}</seg></doc>\n").repeat(2);
    let (_folder, imported) = import(&twice("a"), &twice("b"));
    let text = imported.expect_err("refused").to_string();
    assert!(
        text.contains("line 2: the talk 1 that ends here occurs twice"),
        "{text}"
    );
}
