//! In which settings runs differ.

use canopy_train::TrainingConfig;

/// A setting whose value is not the same in all runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The setting, as the settings file has it.
    pub field: String,
    /// One for each run; empty where its settings are unknown.
    pub values: Vec<String>,
}

/// The settings that are not the same everywhere, in the order of the settings file. `preset` is left out: it has a
/// column of its own.
pub fn differences(configs: &[Option<&TrainingConfig>]) -> Vec<Difference> {
    let tables: Vec<toml::Table> = configs
        .iter()
        .map(|config| {
            config
                .and_then(|config| toml::Table::try_from(config).ok())
                .unwrap_or_default()
        })
        .collect();
    let known: Vec<&toml::Table> = tables.iter().filter(|table| !table.is_empty()).collect();
    let Some(first) = known.first() else {
        return Vec::new();
    };
    let fields = first.keys().filter(|field| field.as_str() != "preset");
    let differing = fields.filter(|field| {
        known
            .iter()
            .any(|table| table.get(*field) != first.get(*field))
    });
    differing
        .map(|field| Difference {
            field: field.clone(),
            values: tables
                .iter()
                .map(|table| table.get(field).map(written).unwrap_or_default())
                .collect(),
        })
        .collect()
}

/// A path by its last part, text without quotation marks.
fn written(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.rsplit(['/', '\\']).next().unwrap_or(text).to_owned(),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "settings are f32, which TOML widens"
        )]
        toml::Value::Float(number) => (*number as f32).to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_the_same_everywhere_is_listed() {
        let one = TrainingConfig {
            corpus: "data/help".into(),
            ..TrainingConfig::default()
        };
        let other = TrainingConfig {
            corpus: "data/news".into(),
            dropout: 0.3,
            preset: "rnnsearch-small".to_owned(),
            ..one.clone()
        };
        let found = differences(&[Some(&one), None, Some(&other)]);
        let names: Vec<&str> = found
            .iter()
            .map(|difference| difference.field.as_str())
            .collect();
        assert_eq!(names, ["corpus", "dropout"]);
        assert_eq!(found[0].values, ["help", "", "news"]);
        assert_eq!(differences(&[Some(&one), Some(&one)]), []);
    }
}
