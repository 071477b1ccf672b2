//! Scores for programs: nothing is rounded.

use serde_json::{Map, Value, json};

use super::table::{Cell, Table};
use canopy_metrics::significance::Interval;

/// One entry for each system and metric; with the score of each segment if wanted.
pub(super) fn entries(table: &Table, each_segment: bool) -> Value {
    let systems = table.systems.iter().enumerate();
    let entries = systems.flat_map(|(system, name)| {
        table.columns.iter().map(move |column| {
            let cell = &column.cells[system];
            let mut entry = Map::new();
            entry.insert("system".to_owned(), json!(name));
            entry.insert("metric".to_owned(), json!(column.name));
            entry.insert("score".to_owned(), json!(cell.score));
            entry.insert("signature".to_owned(), json!(column.signature));
            add_certainty(&mut entry, cell);
            // The score of several training runs is the mean of theirs; details would be those of one.
            if table.plan.runs == 1 {
                let details = cell.details.iter();
                let details: Map<_, _> = details
                    .map(|(key, value)| ((*key).to_owned(), json!(value)))
                    .collect();
                entry.insert("details".to_owned(), Value::Object(details));
            }
            if each_segment {
                entry.insert("segments".to_owned(), json!(cell.segments));
            }
            Value::Object(entry)
        })
    });
    Value::Array(entries.collect())
}

/// Adds the requested deviation, interval and comparison.
fn add_certainty(entry: &mut Map<String, Value>, cell: &Cell) {
    let comparison = cell.comparison.as_ref();
    let values = [
        ("deviation", cell.deviation.map(Value::from)),
        ("interval", cell.interval.map(interval)),
        ("p_value", comparison.map(|comparison| json!(comparison.p))),
        (
            "difference",
            comparison.map(|comparison| json!(comparison.difference)),
        ),
        (
            "difference_interval",
            comparison
                .and_then(|comparison| comparison.interval)
                .map(interval),
        ),
    ];
    for (key, value) in values {
        if let Some(value) = value {
            entry.insert(key.to_owned(), value);
        }
    }
}

fn interval(interval: Interval) -> Value {
    json!({"mean": interval.mean, "lower": interval.lower, "upper": interval.upper})
}
