//! Which installed model translates between two languages, alone or through a third one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::installed_models::InstalledModel;
use canopy_corpus::is_same_language;

/// The folders of chosen models, by pairs of languages such as `en-de`.
pub type DefaultModels = BTreeMap<String, PathBuf>;

/// A way from one language to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// One model.
    Direct {
        /// Its folder.
        folder: PathBuf,
        /// Code of the target language.
        target: String,
    },
    /// Through a third language: the first model's translation is translated by the second one.
    Pivot {
        /// Those of both models.
        folders: [PathBuf; 2],
        /// Code of the third language.
        pivot: String,
        /// Code of the target language.
        target: String,
    },
}

/// A model, and the languages to translate between if it has a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leg {
    /// The folder of the model.
    pub folder: PathBuf,
    /// Code of the language that is translated; none for the model's own.
    pub source: Option<String>,
    /// Code of the language to translate to; none for the model's own.
    pub target: Option<String>,
}

impl Leg {
    /// A model between its own languages.
    pub fn alone(folder: PathBuf) -> Self {
        Self {
            folder,
            source: None,
            target: None,
        }
    }
}

impl Route {
    /// The models in a row, from `source` on.
    pub fn legs(&self, source: Option<&str>) -> Vec<Leg> {
        let leg = |folder: &Path, source: Option<&str>, target: &str| Leg {
            folder: folder.to_owned(),
            source: source.map(str::to_owned),
            target: Some(target.to_owned()),
        };
        match self {
            Self::Direct { folder, target } => vec![leg(folder, source, target)],
            Self::Pivot {
                folders: [first, second],
                pivot,
                target,
            } => vec![leg(first, source, pivot), leg(second, Some(pivot), target)],
        }
    }

    /// The language at its end.
    pub fn target(&self) -> &str {
        match self {
            Self::Direct { target, .. } | Self::Pivot { target, .. } => target,
        }
    }

    /// The language between.
    pub fn pivot(&self) -> Option<&str> {
        match self {
            Self::Direct { .. } => None,
            Self::Pivot { pivot, .. } => Some(pivot),
        }
    }
}

/// The key of a pair in [`DefaultModels`].
pub fn pair_key(source: &str, target: &str) -> String {
    format!("{}-{}", source.to_lowercase(), target.to_lowercase())
}

/// Makes a model the default of its languages where they have none; one of many languages stays a choice.
pub fn set_where_none(defaults: &mut DefaultModels, model: &InstalledModel) {
    const FEW: usize = 8;
    if model.sources.len() * model.targets.len() > FEW {
        return;
    }
    for source in &model.sources {
        for target in &model.targets {
            let chosen = defaults.entry(pair_key(source, target));
            chosen.or_insert_with(|| model.folder.clone());
        }
    }
}

impl InstalledModel {
    /// Whether it translates from this language. One that does not say its languages is never chosen unasked.
    pub fn translates_from(&self, language: &str) -> bool {
        let mut sources = self.sources.iter();
        self.problem.is_none() && sources.any(|source| is_same_language(source, language))
    }

    /// Whether it translates between any languages; it is chosen for those that it is the default of.
    pub fn is_any_to_any(&self) -> bool {
        self.problem.is_none() && self.is_language_model()
    }

    /// The code of a language among its targets, or of any other than `source`.
    pub fn target(&self, source: &str, language: Option<&str>) -> Option<&str> {
        let mut targets = self.targets.iter().map(String::as_str);
        targets.find(|target| match language {
            Some(language) => is_same_language(target, language),
            None => !is_same_language(target, source),
        })
    }
}

/// The way between two languages of which either may be left open: where it is the source, that of the first model that
/// knows the target.
pub fn route_between(
    models: &[InstalledModel],
    defaults: &DefaultModels,
    source: Option<&str>,
    target: Option<&str>,
) -> Option<Route> {
    let guess = || {
        let knows = |model: &&InstalledModel| model.target("", target).is_some();
        let model = models.iter().find(knows).filter(|_| target.is_some())?;
        model.sources.first().map(String::as_str)
    };
    route(models, defaults, source.or_else(guess)?, target)
}

/// The way from `source` to `target`, or to whatever can be reached where none is named: the default of the pair, else the
/// first model that translates it, else two models, English between them if there is a choice.
pub fn route(
    models: &[InstalledModel],
    defaults: &DefaultModels,
    source: &str,
    target: Option<&str>,
) -> Option<Route> {
    let chosen = target.and_then(|target| any_to_any(models, defaults, source, target));
    let direct = || direct(models, defaults, source, target);
    let pivot = || pivot(models, defaults, source, target?);
    chosen.or_else(direct).or_else(pivot)
}

/// The language model that is the default of a pair.
fn any_to_any(
    models: &[InstalledModel],
    defaults: &DefaultModels,
    source: &str,
    target: &str,
) -> Option<Route> {
    let folder = defaults.get(&pair_key(source, target))?;
    let is_it = |model: &InstalledModel| model.is_any_to_any() && model.folder == *folder;
    models.iter().any(is_it).then(|| Route::Direct {
        folder: folder.clone(),
        target: target.to_owned(),
    })
}

/// The pairs of languages whose default is a language model, without those of regions or scripts.
pub fn any_to_any_pairs<'d>(
    models: &[InstalledModel],
    defaults: &'d DefaultModels,
) -> Vec<(&'d str, &'d str)> {
    let pairs = defaults.keys().filter_map(|key| key.split_once('-'));
    let is_there = |(source, target): &(&str, &str)| {
        !target.contains('-') && any_to_any(models, defaults, source, target).is_some()
    };
    pairs.filter(is_there).collect()
}

fn direct(
    models: &[InstalledModel],
    defaults: &DefaultModels,
    source: &str,
    target: Option<&str>,
) -> Option<Route> {
    let fitting = models.iter().filter(|model| model.translates_from(source));
    let fitting: Vec<(&InstalledModel, &str)> = fitting
        .filter_map(|model| Some((model, model.target(source, target)?)))
        .collect();
    let is_default = |(model, target): &&(&InstalledModel, &str)| {
        let default = defaults.get(&pair_key(source, target));
        default.is_some_and(|folder| *folder == model.folder)
    };
    let (model, target) = fitting.iter().find(is_default).or(fitting.first())?;
    Some(Route::Direct {
        folder: model.folder.clone(),
        target: (*target).to_owned(),
    })
}

fn pivot(
    models: &[InstalledModel],
    defaults: &DefaultModels,
    source: &str,
    target: &str,
) -> Option<Route> {
    let first = models.iter().filter(|model| model.translates_from(source));
    let mut pivots: Vec<&str> = first
        .flat_map(|model| model.targets.iter().map(String::as_str))
        .filter(|pivot| !is_same_language(pivot, source) && !is_same_language(pivot, target))
        .collect();
    pivots.sort_by_key(|pivot| !is_same_language(pivot, "en"));
    pivots.dedup();
    pivots.into_iter().find_map(|pivot| {
        let leg = |from, to| match direct(models, defaults, from, Some(to))? {
            Route::Direct { folder, target } => Some((folder, target)),
            Route::Pivot { .. } => None,
        };
        let (first, pivot) = leg(source, pivot)?;
        let (second, target) = leg(&pivot, target)?;
        Some(Route::Pivot {
            folders: [first, second],
            pivot,
            target,
        })
    })
}

/// The languages that can be reached from `source`, each once, directly reached ones first.
pub fn reachable(models: &[InstalledModel], source: &str) -> Vec<String> {
    let none = DefaultModels::new();
    let targets = models.iter().flat_map(|model| model.targets.iter());
    let mut targets: Vec<&String> = targets
        .filter(|target| !is_same_language(target, source))
        .collect();
    targets.sort();
    targets.dedup();
    let is_direct = |target: &&String| direct(models, &none, source, Some(target)).is_some();
    let (near, far): (Vec<&String>, Vec<&String>) = targets.into_iter().partition(is_direct);
    let far = far
        .into_iter()
        .filter(|target| pivot(models, &none, source, target).is_some());
    near.into_iter().chain(far).cloned().collect()
}

/// Forgets the defaults that are this folder.
pub fn forget_default(defaults: &mut DefaultModels, folder: &Path) {
    defaults.retain(|_, default| default != folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str, source: &str, targets: &[&str]) -> InstalledModel {
        InstalledModel {
            folder: PathBuf::from(name),
            name: name.to_owned(),
            sources: vec![source.to_owned()],
            targets: targets.iter().map(|&target| target.to_owned()).collect(),
            ..InstalledModel::default()
        }
    }

    #[test]
    fn the_default_is_taken_then_the_first_then_two_models() {
        let models = [
            model("a", "en", &["de"]),
            model("b", "en", &["de", "fr"]),
            model("c", "de", &["nl", "en"]),
        ];
        let mut defaults = DefaultModels::new();
        let direct = |folder: &str, target: &str| {
            Some(Route::Direct {
                folder: PathBuf::from(folder),
                target: target.to_owned(),
            })
        };
        assert_eq!(
            route(&models, &defaults, "en", Some("de")),
            direct("a", "de")
        );
        assert_eq!(route(&models, &defaults, "en-US", None), direct("a", "de"));
        defaults.insert(pair_key("en", "de"), PathBuf::from("b"));
        assert_eq!(
            route(&models, &defaults, "en", Some("de")),
            direct("b", "de")
        );
        assert_eq!(
            route(&models, &defaults, "de", Some("fr")),
            Some(Route::Pivot {
                folders: ["c", "b"].map(PathBuf::from),
                pivot: "en".to_owned(),
                target: "fr".to_owned(),
            })
        );
        let legs = route(&models, &defaults, "de", Some("fr"));
        let legs = legs.expect("a way").legs(Some("de"));
        let pairs = legs
            .iter()
            .map(|leg| (leg.source.as_deref(), leg.target.as_deref()));
        let expected = [(Some("de"), Some("en")), (Some("en"), Some("fr"))];
        assert_eq!(pairs.collect::<Vec<_>>(), expected);
        assert_eq!(route(&models, &defaults, "fr", Some("de")), None);
        let guessed = route_between(&models, &defaults, None, Some("nl"));
        assert_eq!(guessed, direct("c", "nl"));
        assert_eq!(route_between(&models, &defaults, None, None), None);
        assert_eq!(reachable(&models, "de"), ["en", "nl", "fr"]);
        let both = InstalledModel {
            sources: vec!["de".to_owned(), "fr".to_owned()],
            ..model("m", "", &["de", "fr"])
        };
        let chosen = route(&[both], &defaults, "de", None);
        assert_eq!(chosen, direct("m", "fr"), "not into itself");
        let broken = InstalledModel {
            problem: Some("weights: cut off".to_owned()),
            ..model("a", "en", &["de"])
        };
        assert_eq!(route(&[broken], &defaults, "en", Some("de")), None);
        let any = InstalledModel {
            format: "GGUF (llama)".to_owned(),
            ..InstalledModel::default()
        };
        let all = [&models[..], &[any]].concat();
        assert_eq!(route(&all, &DefaultModels::new(), "fr", Some("de")), None);
        let of_pair = DefaultModels::from([(pair_key("fr", "de"), PathBuf::new())]);
        assert_eq!(route(&all, &of_pair, "fr", Some("de")), direct("", "de"));
        assert_eq!(any_to_any_pairs(&all, &of_pair), [("fr", "de")]);
        let before = DefaultModels::from([(pair_key("de", "en"), PathBuf::new())]);
        assert_eq!(
            route(&all, &before, "de", Some("fr")).and_then(|it| it.pivot().map(str::to_owned)),
            Some("en".to_owned()),
            "two translation models in a row"
        );
        forget_default(&mut defaults, Path::new("b"));
        assert!(defaults.is_empty());
    }
}
