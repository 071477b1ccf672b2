//! Scores of systems as comma-separated values and as LaTeX.

use std::fmt::Write;

use super::Evaluation;
use canopy_chart::charts::latex_escaped;
use canopy_document::csv::quoted;
use canopy_metrics::comparison::SIGNIFICANT;

impl Evaluation {
    /// A line a system and metric (RFC 4180).
    pub fn csv(&self) -> String {
        let comparison = &self.comparison;
        let mut text =
            "system,metric,score,lower,upper,difference,p,words_per_second,signature\r\n"
                .to_owned();
        let optional = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        for (system, speed) in comparison.systems.iter().zip(&self.words_per_second) {
            for (metric, score) in comparison.metrics.iter().zip(&system.scores) {
                let (lower, upper) = score.interval;
                // Writing to a string does not fail.
                let _ = write!(
                    text,
                    "{},{},{},{lower},{upper},{},{},{speed},{}\r\n",
                    quoted(&system.name),
                    metric.name,
                    score.score,
                    optional(score.difference),
                    optional(score.p),
                    quoted(&metric.signature)
                );
            }
        }
        text
    }

    /// A `tabular` for booktabs; a star for differences from the first system with p < 0.05.
    pub fn latex(&self) -> String {
        let comparison = &self.comparison;
        let columns = "r".repeat(comparison.metrics.len());
        let mut text = format!("\\begin{{tabular}}{{l{columns}}}\n\\toprule\nSystem");
        for metric in &comparison.metrics {
            text += " & ";
            text += &latex_escaped(&metric.name);
        }
        text += " \\\\\n\\midrule\n";
        for system in &comparison.systems {
            text += &latex_escaped(&system.name);
            for score in &system.scores {
                let star = if score.is_significant() { "$^{*}$" } else { "" };
                let (lower, upper) = score.interval;
                let _ = write!(text, " & {:.1}{star} [{lower:.1}, {upper:.1}]", score.score);
            }
            text += " \\\\\n";
        }
        text += "\\bottomrule\n\\end{tabular}\n";
        for metric in &comparison.metrics {
            let _ = writeln!(text, "% {}", metric.signature);
        }
        let _ = writeln!(
            text,
            "% {}, {} segments; intervals: bootstrap by document; *: p < {SIGNIFICANT} against the first system,\n% approximate randomisation by document, corrected for the number of systems (Holm)",
            self.test,
            comparison.segments.len()
        );
        text
    }
}
