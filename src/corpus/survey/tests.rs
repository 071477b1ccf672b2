//! Surveys of a memory, a table and two folders.

use super::*;
use crate::Split;
use std::path::Path;

fn look(material: &Material) -> Survey {
    let survey = survey(material, None, |_| ControlFlow::Continue(()));
    survey.expect("reads").expect("not broken off")
}

fn count(survey: &Survey, defect: PairDefect) -> usize {
    survey.doubtful.get(&defect).copied().unwrap_or(0)
}

/// Twenty good pairs, then some that are not pairs.
fn rows() -> Vec<(String, String)> {
    let good = (1..=20).map(|number| {
        (
            format!("Open the file number {number} and read it."),
            format!("Öffnen Sie die Datei Nummer {number} und lesen Sie sie."),
        )
    });
    let bad = [
        ("Yes", "Ja, das machen wir so, und zwar morgen früh"),
        ("Print the page", "Напечатайте страницу"),
        ("OpenGL", "OpenGL"),
        ("Close it", ""),
    ];
    let bad = bad.map(|(source, target)| (source.to_owned(), target.to_owned()));
    good.chain(bad).collect()
}

fn assert_found(survey: &Survey) {
    assert_eq!(
        (
            survey.source_language.as_str(),
            survey.target_language.as_str()
        ),
        ("en", "de")
    );
    assert_eq!(survey.pairs, 23, "{survey:?}");
    for defect in [
        PairDefect::Empty,
        PairDefect::Length,
        PairDefect::Script,
        PairDefect::Identical,
    ] {
        assert_eq!(count(survey, defect), 1, "{defect:?}");
    }
    assert_eq!(survey.sure(), 20);
    let shown: Vec<PairDefect> = survey.examples.iter().map(|it| it.defect).collect();
    assert_eq!(
        shown,
        [
            PairDefect::Identical,
            PairDefect::Length,
            PairDefect::Script
        ]
    );
}

#[test]
fn a_table_is_looked_at_and_imported_without_its_doubtful_pairs() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("mine.en-de.tsv");
    let lines = rows()
        .into_iter()
        .map(|(source, target)| format!("{source}\t{target}\n"));
    std::fs::write(&file, lines.collect::<String>()).expect("a file");
    let found = look(&Material::from_path(&file).expect("a table"));
    assert_found(&found);
    assert_eq!(found.documents, 1);
    let mut import = tsv::TsvImport {
        file,
        source_language: found.source_language,
        target_language: found.target_language,
        output: home.path().join("corpus"),
        replace: false,
        filter: Some(found.filter),
    };
    let go_on = |_, _| ControlFlow::Continue(());
    let (corpus, report) = import.run(go_on).expect("reads").expect("not broken off");
    assert_eq!((report.pairs, report.incomplete), (23, 1));
    let units = |corpus: &super::super::Corpus| {
        let statistics = corpus.statistics();
        let splits = Split::ALL.map(|split| *statistics.get(split));
        let sum = |of: fn(&super::super::SplitStatistics) -> usize| splits.iter().map(of).sum();
        let counts: [usize; 3] = [
            sum(crate::SplitStatistics::new_units),
            sum(|it| it.doubtful),
            sum(|it| it.identical),
        ];
        counts
    };
    assert_eq!(units(&corpus), [20, 2, 1]);
    (import.output, import.filter) = (home.path().join("all"), None);
    let (corpus, _) = import.run(go_on).expect("reads").expect("not broken off");
    assert_eq!(units(&corpus), [22, 0, 1]);
}

#[test]
fn documents_of_a_table_follow_from_a_column_or_from_gaps() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("texts.tsv");
    for (text, documents) in [
        ("en\tde\na\tb\nc\td\n", 1),
        ("en\tde\na\tb\n\nc\td\n", 2),
        ("a\tb\tone\nc\td\tone\ne\tf\ttwo\ng\th\ttwo\n", 2),
        ("a\tb\t0.3\nc\td\t0.5\ne\tf\t0.7\n", 1),
    ] {
        std::fs::write(&file, text).expect("a file");
        let found = look(&Material::Table(file.clone()));
        assert_eq!(found.documents, documents, "{text}");
        let has_heading = text.starts_with("en");
        assert_eq!(found.source_language, if has_heading { "en" } else { "" });
    }
    std::fs::write(&file, "one column\n").expect("a file");
    let refused = survey(&Material::Table(file), None, |_| ControlFlow::Continue(()));
    assert!(refused.is_err());
}

#[test]
fn a_memory_names_its_languages_and_a_look_can_be_ended() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("mine.tmx");
    let units = rows().into_iter().map(|(source, target)| {
        format!(
            "<tu><tuv xml:lang=\"en-US\"><seg>{source}</seg></tuv><tuv xml:lang=\"de\"><seg>{target}</seg></tuv></tu>"
        )
    });
    let text = format!(
        "<?xml version=\"1.0\"?><tmx version=\"1.4\"><header/><body>{}</body></tmx>",
        units.collect::<String>()
    );
    std::fs::write(&file, text).expect("a file");
    let material = Material::from_path(&file).expect("a memory");
    let found = look(&material);
    assert_found(&found);
    assert_eq!(
        found.languages,
        [("en-US".to_owned(), 24), ("de".to_owned(), 24)]
    );
    let swapped = ("de".to_owned(), "en".to_owned());
    let swapped = survey(&material, Some(&swapped), |_| ControlFlow::Continue(()));
    let swapped = swapped.expect("reads").expect("not broken off");
    assert_eq!(
        (swapped.pairs, swapped.target_language.as_str()),
        (23, "en")
    );
}

#[test]
fn two_folders_are_paired_and_their_names_give_the_languages() {
    let home = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = home.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, text).expect("a file");
    };
    for name in ["one.md", "two.md"] {
        write(
            &format!("site/de/{name}"),
            "# Drucken\n\nÖffnen Sie die Datei. Dann warten Sie.\n",
        );
        write(
            &format!("site/en/{name}"),
            "# Print\n\nOpen the file. Then wait.\n",
        );
    }
    write("site/en/three.md", "Nobody translated this.\n");
    let folder = |name: &str| home.path().join("site").join(name);
    let material = Material::from_folders(&folder("de"), &folder("en"));
    let Material::Folders { source, .. } = &material else {
        panic!("{material:?}");
    };
    assert_eq!(source, &folder("en"), "English is the source");
    assert_eq!(material.name(), "site");
    let found = look(&material);
    assert_eq!(
        (
            found.source_language.as_str(),
            found.target_language.as_str()
        ),
        ("en", "de")
    );
    assert_eq!(
        (found.documents, found.unpaired_documents, found.pairs),
        (2, 1, 6)
    );
    let stopped = survey(&material, None, |_| ControlFlow::Break(()));
    assert!(stopped.expect("reads").is_none());
    assert!(Material::from_path(Path::new("page.html")).is_none());
}
