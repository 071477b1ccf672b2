//! Scores as text and as JSON.

use serde_json::{Map, Value, json};

use super::system::Evaluated;
use canopy_evaluate::evaluation::{Choices, ExpectedForms};
use canopy_metrics::Bleu;
use canopy_metrics::comparison::{Change, Comparison, Extreme, Piece, SystemScore};

/// Wins and losses that are printed of each system.
const SHOWN: usize = 3;

pub(super) struct Report<'a> {
    pub systems: &'a [Evaluated],
    /// Choices that only the document decides.
    pub choices: &'a [Choices],
    /// Words that the sentences before decide, where the corpus names them.
    pub expected: Option<&'a ExpectedForms>,
    pub comparison: Option<&'a Comparison>,
}

impl Report<'_> {
    /// Results as JSON: those of one system are at the top, those of several in a list.
    pub(super) fn json(&self) -> Value {
        let mut systems: Vec<Map<String, Value>> = self.systems.iter().map(Self::entry).collect();
        let mut report = match systems.as_mut_slice() {
            [only] => std::mem::take(only),
            _ => Map::from_iter([("systems".to_owned(), json!(systems))]),
        };
        if let Some(comparison) = self.comparison {
            report.insert("comparison".to_owned(), json!(comparison));
        }
        if let Some(expected) = self.expected {
            report.insert("expected".to_owned(), json!(expected));
        }
        if !self.choices.is_empty() {
            report.insert("choices".to_owned(), json!(self.choices));
        }
        Value::Object(report)
    }

    fn entry(system: &Evaluated) -> Map<String, Value> {
        let score = |name: &str, (bleu, count): &(Bleu, usize)| json!({"segments": name, "count": count, "metric": "BLEU", "score": bleu.score, "signature": bleu.signature()});
        let mut entry = Map::new();
        entry.insert("model".to_owned(), json!(system.name));
        let scores = [score("all", &system.all), score("unseen", &system.unseen)];
        entry.insert("scores".to_owned(), json!(scores));
        if let Some(run) = &system.run {
            let markup = &run.markup;
            entry.insert("beam".to_owned(), json!(run.beam));
            entry.insert(
                "markup".to_owned(),
                json!({"total": markup.total, "placed": markup.placed, "damaged_sentences": markup.damaged}),
            );
            entry.insert("words_per_second".to_owned(), json!(run.words_per_second));
            entry.insert("device".to_owned(), json!(run.device));
            if let Some(exchanged) = run.exchanged {
                entry.insert("of_another_document".to_owned(), json!(exchanged.text()));
            }
        }
        entry
    }

    pub(super) fn text(&self) -> String {
        let mut lines = Vec::new();
        for system in self.systems {
            if self.systems.len() > 1 {
                lines.push(system.name.clone());
            }
            lines.extend(alone(system));
            if self.systems.len() > 1 {
                lines.push(String::new());
            }
        }
        if let Some(expected) = self.expected {
            lines.extend(found(expected));
        }
        for choices in self.choices {
            lines.extend(chosen(choices));
        }
        if let Some(comparison) = self.comparison {
            lines.extend(compared(comparison));
        }
        lines.join("\n") + "\n"
    }
}

fn alone(system: &Evaluated) -> Vec<String> {
    let mut lines = vec![
        format!(
            "BLEU {:.2} on all {} segments",
            system.all.0.score, system.all.1
        ),
        format!(
            "BLEU {:.2} on the {} segments that do not occur in training",
            system.unseen.0.score, system.unseen.1
        ),
        system.all.0.signature(),
    ];
    if let Some(run) = &system.run {
        if let Some(exchanged) = run.exchanged {
            lines.push(format!("of another document: {}", exchanged.text()));
        }
        let markup = &run.markup;
        lines.push(format!(
            "{} of {} tags are where the reference has them, {} sentences with damaged markup",
            markup.placed, markup.total, markup.damaged
        ));
        lines.push(format!(
            "{:.0} words/s on {}",
            run.words_per_second, run.device
        ));
    }
    lines
}

fn found(expected: &ExpectedForms) -> Vec<String> {
    let names = expected.systems.iter();
    let width = names.map(|it| it.name.chars().count()).max().unwrap_or(0);
    let mut lines = vec![
        String::new(),
        format!(
            "the translation has the expected word, in % of {} segments from {} origins  {}",
            expected.segments, expected.origins, expected.signature
        ),
    ];
    for score in &expected.systems {
        let (lower, upper) = score.interval;
        let p = score.p.map_or(String::new(), |p| format!("  p = {p:.3}"));
        lines.push(format!(
            "  {:<width$}  {:.1}  [{lower:.1}, {upper:.1}]{p}",
            score.name, score.accuracy
        ));
    }
    for bucket in &expected.distances {
        lines.push(bucket_line(&bucket.name, bucket.segments, &bucket.systems));
    }
    lines
}

/// Segments of one kind, with the per cent of each system.
fn bucket_line<'a>(
    name: &str,
    segments: usize,
    shares: impl IntoIterator<Item = &'a f64>,
) -> String {
    let shares = shares.into_iter().map(|share| format!("{share:5.1}"));
    let shares: Vec<String> = shares.collect();
    format!("  {name:<28} {segments:>5} segments  {}", shares.join(" /"))
}

fn chosen(choices: &Choices) -> Vec<String> {
    let all = || choices.systems.iter().chain([&choices.rule]);
    let width = all().map(|it| it.name.chars().count()).max().unwrap_or(0);
    let mut lines = vec![
        String::new(),
        format!(
            "{} as in the reference, in % of the {} segments where it has one  {}",
            choices.name, choices.segments, choices.signature
        ),
    ];
    for score in all() {
        let (lower, upper) = score.interval;
        let p = score.p.map_or(String::new(), |p| format!("  p = {p:.3}"));
        let details = score.details.iter().filter(|(name, _)| *name != "segments");
        let details = details.map(|(name, share)| format!("{name} {share:.1}"));
        lines.push(format!(
            "  {:<width$}  {:.1}  [{lower:.1}, {upper:.1}]{p}  ({})",
            score.name,
            score.accuracy,
            details.collect::<Vec<_>>().join(", ")
        ));
    }
    for bucket in &choices.buckets {
        let shares = bucket.systems.iter().chain([&bucket.rule]);
        lines.push(bucket_line(&bucket.name, bucket.segments, shares));
    }
    lines
}

fn compared(comparison: &Comparison) -> Vec<String> {
    let names = comparison.systems.iter().map(|system| system.name.as_str());
    let width = names
        .clone()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0);
    let mut lines = vec![format!(
        "{} segments in {} documents; […] holds 95 % of test sets drawn from the documents; p: against {}, approximate randomisation by document, corrected for the number of systems (Holm)",
        comparison.segments.len(),
        comparison.documents.len(),
        comparison.systems[0].name
    )];
    for (at, metric) in comparison.metrics.iter().enumerate() {
        lines.push(String::new());
        lines.push(format!("{}  {}", metric.name, metric.signature));
        for system in &comparison.systems {
            lines.push(format!(
                "  {:<width$}  {}",
                system.name,
                score_text(&system.scores[at])
            ));
        }
    }
    lines.push(String::new());
    let metrics = comparison.metrics.iter().map(|metric| metric.name.as_str());
    let metrics = metrics.collect::<Vec<_>>().join(" / ");
    let columns = |scores: &[Vec<f64>]| {
        let system = |scores: &Vec<f64>| {
            let scores = scores.iter().map(|score| format!("{score:5.1}"));
            scores.collect::<Vec<_>>().join(" /")
        };
        scores.iter().map(system).collect::<Vec<_>>().join("    ")
    };
    lines.push(format!(
        "{metrics} of {}",
        names.collect::<Vec<_>>().join(", ")
    ));
    for bucketing in &comparison.buckets {
        lines.push(format!("by {}", bucketing.by));
        for bucket in &bucketing.buckets {
            let name = match bucket.to {
                Some(to) if to == bucket.from => bucket.from.to_string(),
                Some(to) => format!("{}–{to}", bucket.from),
                None => format!("{} and more", bucket.from),
            };
            let (segments, scores) = (bucket.segments, columns(&bucket.scores));
            lines.push(format!("  {name:<14} {segments:>6} segments   {scores}"));
        }
    }
    for extremes in &comparison.extremes {
        let name = &comparison.systems[extremes.system].name;
        for (title, all) in [("wins", &extremes.wins), ("losses", &extremes.losses)] {
            lines.push(String::new());
            lines.push(format!(
                "largest {title} of {name} (chrF), [-first-] {{+{name}+}}"
            ));
            lines.extend(
                all.iter()
                    .take(SHOWN)
                    .flat_map(|it| extreme(comparison, it)),
            );
        }
    }
    lines
}

fn score_text(score: &SystemScore) -> String {
    let (lower, upper) = score.interval;
    let whole = format!("{:.2}  [{lower:.2}, {upper:.2}]", score.score);
    let (Some(difference), Some(p)) = (score.difference, score.written_p()) else {
        return whole;
    };
    let mark = if score.is_significant() { " *" } else { "" };
    format!("{whole}  {difference:+.2}  {p}{mark}")
}

fn extreme(comparison: &Comparison, extreme: &Extreme) -> [String; 4] {
    let found = &comparison.segments[extreme.segment];
    let mut documents = comparison.documents.iter();
    let document = documents.find(|it| it.document == found.segment.document);
    let name = document.map_or("", |it| it.name.as_str());
    let pieces: Vec<String> = extreme.diff.iter().map(marked).collect();
    [
        format!(
            "  {:+.1}  {name}, segment {}",
            extreme.difference,
            found.segment.position + 1
        ),
        format!("        source     {}", found.segment.source),
        format!("        reference  {}", found.segment.reference),
        format!("        systems    {}", pieces.join(" ")),
    ]
}

fn marked(piece: &Piece) -> String {
    match piece.change {
        Change::Kept => piece.text.clone(),
        Change::Removed => format!("[-{}-]", piece.text),
        Change::Added => format!("{{+{}+}}", piece.text),
    }
}
