//! The models of a user and those that came with the program: adding, listing, choosing and removing them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::terminal::{print, warn};
use crate::app::{Folders, Settings, Shipped};
use crate::error::{Error, Result};
use crate::inference::{
    DefaultModels, InstalledModel, Leg, Route, forget_default, install_model, installed_models,
    pair_key, remove_model, route, route_between, starter_model_for, state_languages,
};
use crate::text::file::write_atomically;

/// The folder in which models of this user lie.
fn folder() -> Result<PathBuf> {
    Folders::of_user().models().ok_or_else(|| Error::Config {
        field: "HOME",
        found: "not set".to_owned(),
        allowed: "the folder of a user, below which models are kept".to_owned(),
    })
}

/// Every model, those that came with the program first.
pub(super) fn models() -> Vec<InstalledModel> {
    installed_models(
        Folders::of_user().models().as_deref(),
        &Shipped::find().models,
    )
}

pub(super) fn defaults() -> DefaultModels {
    let file = Folders::of_user().settings_file();
    let settings = file.map(|file| Settings::read(&file));
    settings.unwrap_or_default().default_models
}

/// Changes the chosen models in the settings, which the window shares.
fn change_defaults(change: impl FnOnce(&mut DefaultModels)) -> Result<()> {
    let Some(file) = Folders::of_user().settings_file() else {
        return Ok(());
    };
    let mut settings = Settings::read(&file);
    change(&mut settings.default_models);
    if let Some(parent) = file.parent() {
        std::fs::create_dir_all(parent).map_err(Error::write(parent))?;
    }
    write_atomically(&file, &settings.to_bytes(), true)
}

/// The models in a row between these languages: those that are installed, a starter where neither language is named or
/// none is there.
///
/// # Errors
/// [`Error::NoRoute`] if two models in a row would do but are not wanted; if there is no starter.
pub(super) fn legs_between(
    source: Option<&str>,
    target: Option<&str>,
    pivots: bool,
) -> Result<Vec<Leg>> {
    match route_between(&models(), &defaults(), source, target) {
        Some(Route::Pivot { pivot, .. }) if !pivots => Err(Error::NoRoute {
            from: source.unwrap_or_default().to_owned(),
            to: target.unwrap_or_default().to_owned(),
            pivot,
        }),
        Some(found) => Ok(found.legs(source)),
        None => Ok(vec![Leg {
            folder: starter_model_for(source, target)?,
            source: source.map(str::to_owned),
            target: target.map(str::to_owned),
        }]),
    }
}

/// Whether a model, or two in a row, translate from this language to the other.
pub(super) fn translates_from(source: &str, target: Option<&str>) -> bool {
    route(&models(), &defaults(), source, target).is_some()
}

/// Whether a model, or two in a row, translate between these languages, of which either may be left open.
pub(super) fn translates_between(source: Option<&str>, target: Option<&str>) -> bool {
    route_between(&models(), &defaults(), source, target).is_some()
}

/// Adds a model, which translates between these languages if its files do not say which.
pub(super) fn add(path: &Path, languages: Option<(String, String)>) -> Result<()> {
    let mut model = install_model(path, &folder()?)?;
    if let Some((source, target)) = languages {
        let stated = stated(model.clone(), &source, &target);
        if stated.is_err() && model.lacks_languages() {
            // It would lie there without them.
            remove_model(&model.folder, &folder()?)?;
        }
        model = stated?;
    } else if model.lacks_languages() {
        warn(&format!(
            "the files of {0} do not say its languages: canopy model default --from en --to de {0}",
            model.name
        ));
    }
    print(&format!("{}\n", line(&model)))
}

/// A model with these languages, which are stated if its files do not say any.
fn stated(model: InstalledModel, source: &str, target: &str) -> Result<InstalledModel> {
    if model.lacks_languages() {
        return state_languages(&model.folder, [source, target]);
    }
    let translates = model.translates_from(source) && model.target(source, Some(target)).is_some();
    if !translates {
        return Err(Error::Config {
            field: "languages",
            found: format!("{source} to {target}"),
            allowed: format!(
                "those that the files of {} say: {}",
                model.name,
                model.pair()
            ),
        });
    }
    Ok(model)
}

pub(super) fn list(as_json: bool) -> Result<()> {
    let (models, defaults) = (models(), defaults());
    if as_json {
        let models: Vec<Value> = models.iter().map(|model| entry(model, &defaults)).collect();
        return print(&format!("{:#}\n", json!({ "models": models })));
    }
    let lines = models.iter().map(|model| format!("{}\n", line(model)));
    print(&lines.collect::<String>())
}

/// Makes a model the one that translates between two languages, given as `en-de` before its name or as options.
pub(super) fn choose(names: &[String], languages: Option<(String, String)>) -> Result<()> {
    let wrong = |found: String, allowed: String| Error::Config {
        field: "pair",
        found,
        allowed,
    };
    let [others @ .., name] = names else {
        return Ok(());
    };
    let pair = others.first().map_or("", String::as_str);
    let model = named(name)?;
    let said = pair.split_once([':', '-', '>']);
    let said = said.map(|(source, target)| (source.to_owned(), target.to_owned()));
    let is_twice = languages.is_some() && !pair.is_empty();
    let (source, target) = languages.or(said).filter(|_| !is_twice).ok_or_else(|| {
        let allowed = format!("two languages, such as en-de, before {}", model.name);
        wrong(pair.to_owned(), allowed)
    })?;
    let model = stated(model, &source, &target)?;
    change_defaults(|defaults| {
        defaults.insert(pair_key(&source, &target), model.folder.clone());
    })?;
    print(&format!("{source} to {target}: {}\n", model.name))
}

pub(super) fn remove(name: &str) -> Result<()> {
    let model = named(name)?;
    remove_model(&model.folder, &folder()?)?;
    change_defaults(|defaults| forget_default(defaults, &model.folder))
}

/// The folder of the model of this name.
pub(super) fn folder_of(name: &str) -> Result<PathBuf> {
    named(name).map(|model| model.folder)
}

/// The model of this name or in this folder.
fn named(name: &str) -> Result<InstalledModel> {
    let models = models();
    let found = models.iter().find(|model| model.is_called(name));
    found.cloned().ok_or_else(|| {
        let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
        Error::Config {
            field: "model",
            found: name.to_owned(),
            allowed: names.join(", "),
        }
    })
}

/// Name, languages, megabytes, licence and folder, with tabs between them.
fn line(model: &InstalledModel) -> String {
    let licence = if model.licence.is_empty() {
        "licence unknown"
    } else {
        &model.licence
    };
    let [name, pair, folder] = [
        model.name.clone(),
        model.pair(),
        model.folder.display().to_string(),
    ];
    let problem = model.problem.as_ref();
    let problem = problem.map_or(String::new(), |problem| format!("\tbroken: {problem}"));
    format!(
        "{name}\t{pair}\t{} MB\t{licence}\t{folder}{problem}",
        model.num_bytes.div_ceil(1_000_000)
    )
}

fn entry(model: &InstalledModel, defaults: &DefaultModels) -> Value {
    let chosen = defaults
        .iter()
        .filter(|(_, folder)| **folder == model.folder);
    let chosen: Vec<&String> = chosen.map(|(pair, _)| pair).collect();
    json!({
        "name": model.name,
        "sources": model.sources,
        "targets": model.targets,
        "format": model.format,
        "bytes": model.num_bytes,
        "parameters": model.num_parameters,
        "licence": model.licence,
        "origin": model.origin,
        "copied_from": model.copied_from.as_ref().map(|path| path.display().to_string()),
        "problem": model.problem,
        "shipped": model.is_shipped,
        "default_for": chosen,
        "folder": model.folder.display().to_string(),
    })
}
