//! The chart of one run, or of several over each other.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::curves::{Contrasts, Curves, History, Position, Updates, Validations};
use canopy_chart::charts::{Bounds, Chart, Curve, Panel, XAxis};

/// A column of one value an update.
type OfUpdates = fn(&Updates) -> &[f64];
/// A column of one value after a validation.
type OfContrasts = fn(&Contrasts) -> &[f64];
/// A column of one value a validation.
type OfValidations = fn(&Validations) -> &[f64];

/// Where a panel's curves come from.
enum Source {
    /// And whether they are smoothed.
    Updates(OfUpdates, bool),
    /// And which of two values is better.
    Validations(OfValidations, Better),
    Contrasts(OfContrasts),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Better {
    /// The smallest.
    Less,
    /// The one that the run called the best.
    ChosenByRun,
}

/// The metrics of `runs`, each with its name, over the axis `x`; `smoothing` in `[0, 1)` is that of
/// [`exponential_average`](canopy_chart::charts::exponential_average), for the metrics that jump from update to update.
///
/// A run's colour is its place in `runs`.
pub fn chart(runs: &[(&str, &Curves)], x: XAxis, smoothing: f64) -> Chart {
    let panel = |title: &str, unit: &str, baseline, source: &Source| Panel {
        title: title.to_owned(),
        unit: unit.to_owned(),
        bounds: Bounds::Robust,
        baseline,
        curves: curves(runs, x, smoothing, source),
        empty: match source {
            Source::Updates(..) => "no training step yet".to_owned(),
            Source::Validations(..) | Source::Contrasts(..) => "no validation yet".to_owned(),
        },
        ..Panel::default()
    };
    let updates = |of: OfUpdates, smoothed| Source::Updates(of, smoothed);
    let zero = Some(0.0);
    let loss = updates(|it| &it.loss, true);
    let dev_loss = Source::Validations(|it| &it.dev_loss, Better::Less);
    let dev_bleu = Source::Validations(|it| &it.dev_bleu, Better::ChosenByRun);
    let rate = updates(|it| &it.learning_rate, false);
    let norm = updates(|it| &it.gradient_norm, true);
    let speed = updates(|it| &it.target_tokens_per_second, true);
    let accuracy = Source::Contrasts(|it| &it.accuracy);
    let opening = Source::Contrasts(|it| &it.gate_opening);
    let mut panels = vec![
        panel("Training loss", "nats a token", None, &loss),
        panel("Dev loss", "nats a token", None, &dev_loss),
        panel("Dev BLEU", "", None, &dev_bleu),
        panel("Learning rate", "", zero, &rate),
        panel("Gradient norm", "before clipping", zero, &norm),
        panel("Speed", "target tokens a second", zero, &speed),
    ];
    // Where a run has them, they are next to BLEU.
    let has_metric = |of: OfContrasts| {
        let mut values = runs.iter().flat_map(|(_, run)| of(&run.history.contrasts));
        values.any(|value| value.is_finite())
    };
    if has_metric(|it| &it.gate_opening) {
        panels.insert(
            3,
            panel("Gate opening", "% from beyond the sentence", None, &opening),
        );
    }
    if has_metric(|it| &it.accuracy) {
        panels.insert(
            3,
            panel("Contrastive accuracy", "% of the items", None, &accuracy),
        );
    }
    Chart {
        revision: revision(runs, x, smoothing),
        x,
        note: note(&panels, smoothing),
        panels,
    }
}

/// Explains what is in the panels.
fn note(panels: &[Panel], smoothing: f64) -> String {
    let curves = || panels.iter().flat_map(|panel| &panel.curves);
    let broken = |curve: &Curve| curve.points.iter().any(|point| !point.1.is_finite());
    let parts = [
        (smoothing > 0.0).then(|| format!("thick lines: smoothed by {smoothing}")),
        (curves().any(|curve| curve.best.is_some())).then(|| "star: best".to_owned()),
        (curves().any(broken)).then(|| "×: not a number".to_owned()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(" · ")
}

fn curves(runs: &[(&str, &Curves)], x: XAxis, smoothing: f64, source: &Source) -> Vec<Curve> {
    let curve = |(colour, (name, run)): (usize, &(&str, &Curves))| {
        let history = &run.history;
        match source {
            Source::Updates(of, smoothed) => {
                let points = points(&history.updates.at, x, of(&history.updates));
                let curve = Curve::new(*name, colour, points);
                curve.with_smoothing(if *smoothed { smoothing } else { 0.0 })
            }
            Source::Contrasts(of) => {
                let points = points(&history.contrasts.at, x, of(&history.contrasts));
                let points: Vec<(f64, f64)> = points
                    .into_iter()
                    .filter(|point| point.1.is_finite())
                    .collect();
                Curve {
                    dotted: points.len() <= 100,
                    ..Curve::new(*name, colour, points)
                }
            }
            Source::Validations(of, better) => {
                let values = of(&history.validations);
                let points = points(&history.validations.at, x, values);
                Curve {
                    dotted: points.len() <= 100,
                    best: best(history, values, *better),
                    ..Curve::new(*name, colour, points)
                }
            }
        }
    };
    runs.iter().enumerate().map(curve).collect()
}

fn points(at: &Position, x: XAxis, values: &[f64]) -> Vec<(f64, f64)> {
    let places = at.on(x).iter().copied();
    places.zip(values.iter().copied()).collect()
}

fn best(history: &History, values: &[f64], better: Better) -> Option<usize> {
    match better {
        Better::ChosenByRun => history.best(),
        Better::Less => {
            let finite = values.iter().enumerate().filter(|it| it.1.is_finite());
            let least = finite.min_by(|a, b| a.1.total_cmp(b.1));
            least.map(|(index, _)| index)
        }
    }
}

/// A hash that is equal for equal drawings.
fn revision(runs: &[(&str, &Curves)], x: XAxis, smoothing: f64) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (name, run) in runs {
        (name, run.revision, run.path()).hash(&mut hasher);
    }
    (x as u8, smoothing.to_bits()).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curves::tests::Run;
    use canopy_chart::charts::{Theme, View, svg};

    const LINES: &str = r#"{"event":"step","step":1,"loss":9.5,"learning_rate":1e-6,"gradient_norm":7.0,"target_tokens":100,"target_tokens_per_second":900.0,"elapsed_secs":30.0}
{"event":"step","step":2,"loss":5.5,"learning_rate":2e-6,"gradient_norm":3.0,"target_tokens":220,"target_tokens_per_second":950.0,"elapsed_secs":60.0}
{"event":"validated","step":2,"target_tokens":220,"dev_loss":4.5,"dev_bleu":12.5,"best":true,"elapsed_secs":66.0}
{"event":"validated","step":3,"target_tokens":300,"dev_loss":4.6,"dev_bleu":11.5,"best":false,"elapsed_secs":96.0}
"#;

    #[test]
    fn a_figure_holds_titles_names_and_the_starred_score() {
        let run = Run::with(LINES);
        let chart = chart(&[("first & only", &run.curves)], XAxis::Steps, 0.5);
        let figure = svg(&chart, &View::default(), &Theme::LIGHT, (900, 600)).expect("drawn");
        for text in [
            "Training loss",
            "Dev BLEU",
            "Gradient norm",
            "first &amp; only",
            "12.50",
        ] {
            assert!(figure.contains(text), "{text}");
        }
        // A star has ten corners.
        let corners = |line: &str| line.matches(',').count();
        let stars = figure.lines().filter(|line| line.starts_with("<polygon"));
        assert!(stars.filter(|line| corners(line) == 10).count() >= 2);
        assert!(figure.starts_with("<svg width=\"900\" height=\"600\""));
    }

    #[test]
    fn contrastive_accuracy_and_gates_have_panels_where_a_run_reports_them() {
        let titles = |text: &str| {
            let run = Run::with(text);
            let chart = chart(&[("one", &run.curves)], XAxis::Steps, 0.5);
            let titles: Vec<String> = chart.panels.iter().map(|it| it.title.clone()).collect();
            titles
        };
        assert_eq!(titles(LINES).len(), 6);
        let line = "{\"event\":\"contrasted\",\"step\":3,\"target_tokens\":300,\"elapsed_secs\":97.0,\"accuracy\":0.625,\"items\":8}\n";
        let with_set = titles(&format!("{LINES}{line}"));
        assert_eq!(with_set[2..4], ["Dev BLEU", "Contrastive accuracy"]);
        let gated = line.replace("\"accuracy\":0.625,\"items\":8", "\"gate_opening\":0.25");
        let both = titles(&format!("{LINES}{line}{gated}"));
        assert!(
            !both.contains(&"Contrastive accuracy".to_owned()),
            "the step was repeated"
        );
        assert!(both.contains(&"Gate opening".to_owned()));
    }

    #[test]
    fn the_best_loss_is_the_smallest_and_the_best_score_what_the_run_says() {
        let run = Run::with(LINES);
        let chart = chart(&[("a", &run.curves)], XAxis::Minutes, 0.9);
        assert_eq!(chart.panels[1].curves[0].best, Some(0));
        assert_eq!(chart.panels[2].curves[0].best, Some(0));
        assert_eq!(chart.panels[2].curves[0].points, [(1.1, 12.5), (1.6, 11.5)]);
    }

    #[test]
    fn a_loss_that_is_no_number_is_explained() {
        let mut run = Run::with(LINES);
        let note = |run: &Run| chart(&[("a", &run.curves)], XAxis::Steps, 0.0).note;
        assert_eq!(note(&run), "star: best");
        run.append("{\"event\":\"step\",\"step\":4,\"loss\":null}\n");
        assert_eq!(note(&run), "star: best · ×: not a number");
    }

    #[test]
    fn a_run_that_has_not_begun_says_so() {
        let run = Run::with("");
        let chart = chart(&[("a", &run.curves)], XAxis::Tokens, 0.9);
        let figure = svg(&chart, &View::default(), &Theme::DARK, (600, 400)).expect("drawn");
        assert!(figure.contains("no validation yet"));
        assert!(figure.contains("no training step yet"));
    }

    #[test]
    fn what_was_drawn_may_be_kept_while_nothing_changes() {
        let mut run = Run::with(LINES);
        let revision = |run: &Run, x| chart(&[("a", &run.curves)], x, 0.9).revision;
        let before = revision(&run, XAxis::Steps);
        assert!(!run.curves.poll().expect("read"));
        assert_eq!(revision(&run, XAxis::Steps), before);
        assert_ne!(revision(&run, XAxis::Tokens), before);
        run.append("{\"event\":\"phase\",\"phase\":\"save\"}\n");
        assert_ne!(revision(&run, XAxis::Steps), before);
    }
}
