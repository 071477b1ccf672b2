use super::*;
use canopy_chart::charts::{Theme, picture_svg};
use canopy_metrics::comparison::{
    ComparedSegment, ComparedSystem, ComparedTest, ComparisonOptions, compare,
};

fn evaluation() -> Evaluation {
    let segment = |document, position| ComparedSegment {
        source: format!("Open file {position} now please"),
        reference: format!("Öffne jetzt bitte Datei {position}"),
        document,
        position,
        rarest: None,
    };
    let segments: Vec<ComparedSegment> = (0..4)
        .flat_map(|document| (0..4).map(move |position| segment(document, position)))
        .collect();
    let system = |name: &str, text: fn(&ComparedSegment) -> String| ComparedSystem {
        name: name.to_owned(),
        hypotheses: segments.iter().map(text).collect(),
    };
    let test = ComparedTest {
        documents: (0..4).map(|number| format!("page {number}")).collect(),
        systems: vec![
            system("R&D", |segment| segment.source.clone()),
            system("good_one", |segment| segment.reference.clone()),
        ],
        segments: segments.clone(),
    };
    let options = ComparisonOptions {
        samples: 50,
        trials: 200,
        ..ComparisonOptions::default()
    };
    Evaluation {
        test: "letters, test".to_owned(),
        words_per_second: vec![10.0, 20.0],
        beam_size: 4,
        comparison: compare(&test, &options),
    }
}

#[test]
fn tables_and_figure_have_the_scores_of_all_systems() {
    let evaluation = evaluation();
    let latex = evaluation.latex();
    assert!(
        latex.contains("R\\&D & ") && latex.contains("good\\_one & 100.0"),
        "{latex}"
    );
    assert!(latex.contains("\\begin{tabular}{lrr}"));
    let csv = evaluation.csv();
    assert_eq!(csv.lines().count(), 1 + 2 * 2);
    assert!(csv.contains("\"good_one\",BLEU,100"), "{csv}");
    let drawn = |evaluation: &Evaluation| {
        let figure = ScoresFigure(evaluation);
        picture_svg(&figure, &Theme::LIGHT, (800, figure.height())).expect("a figure")
    };
    let svg = drawn(&evaluation);
    assert!(svg.contains("good_one") && svg.contains("100.0"));
    let mut long = evaluation;
    long.comparison.systems[1].name = "runs/ladder/sentence/checkpoints/".repeat(3);
    let svg = drawn(&long);
    assert!(svg.contains('…') && !svg.contains(&long.comparison.systems[1].name));
}

#[test]
fn a_judgement_has_both_translations_of_every_document() {
    let judgement = evaluation().judgement([1, 0], 7);
    assert_eq!(judgement.systems, ["good_one", "R&D"]);
    assert_eq!(judgement.documents.len(), 4);
    let document = &judgement.documents[0];
    assert_eq!(document.source.len(), 4);
    assert!(document.translations[0][0].starts_with("Öffne"));
    assert!(document.translations[1][0].starts_with("Open"));
    let same = evaluation().judgement([0, 0], 7);
    assert!(same.documents.is_empty(), "nothing to judge");
}
