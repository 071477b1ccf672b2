//! The models of a user and those that came with the program: adding, listing, choosing and removing them.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::terminal::{print, warn};
use crate::error::{BaseError, Error, Result};
use canopy_base::file::write_atomically;
use canopy_project::{Folders, Settings, Shipped};
use canopy_translate::error::Error as TranslateError;
use canopy_translate::inference::{
    DefaultModels, InstalledModel, KnownOfModel, Leg, Route, forget_default, install_known_model,
    installed_models, pair_key, remove_model, route, route_between, set_where_none,
    starter_model_for, state_languages, stated_language,
};

/// The folder of this user's models.
pub(super) fn folder() -> Result<PathBuf> {
    Folders::for_user().models().ok_or_else(|| {
        Error::Base(BaseError::Config {
            field: "HOME",
            found: "not set".to_owned(),
            allowed: "the folder of a user, below which models are kept".to_owned(),
        })
    })
}

/// Every model, those that came with the program first.
pub(super) fn models() -> Vec<InstalledModel> {
    installed_models(
        Folders::for_user().models().as_deref(),
        &Shipped::find().models,
    )
}

pub(super) fn defaults() -> DefaultModels {
    settings().default_models
}

/// The settings, which the window shares.
pub(super) fn settings() -> Settings {
    let file = Folders::for_user().settings_file();
    let settings = file.map(|file| Settings::read(&file));
    settings.unwrap_or_default()
}

fn change_defaults(change: impl FnOnce(&mut DefaultModels)) -> Result<()> {
    change_settings(|settings| change(&mut settings.default_models))
}

/// Changes the settings.
pub(super) fn change_settings(change: impl FnOnce(&mut Settings)) -> Result<()> {
    let Some(file) = Folders::for_user().settings_file() else {
        return Ok(());
    };
    let mut settings = Settings::read(&file);
    change(&mut settings);
    if let Some(parent) = file.parent() {
        std::fs::create_dir_all(parent).map_err(Error::write(parent))?;
    }
    Ok(write_atomically(&file, &settings.to_bytes(), true)?)
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
    let found = route_between(&models(), &defaults(), source, target);
    tracing::info!(
        source,
        target,
        ?found,
        "searches for an installed model, since none is named; uses a starter where none is found"
    );
    match found {
        Some(Route::Pivot { pivot, .. }) if !pivots => Err(Error::NoRoute {
            from: source.unwrap_or_default().to_owned(),
            to: target.unwrap_or_default().to_owned(),
            pivot,
        }),
        Some(found) => Ok(found.legs(source)),
        None => Ok(vec![Leg {
            folder: starter(source, target)?,
            source: source.map(str::to_owned),
            target: target.map(str::to_owned),
        }]),
    }
}

/// The installed model that translates from this language to the other by itself.
pub(super) fn model_between(source: &str, target: &str) -> Option<PathBuf> {
    match route(&models(), &defaults(), source, Some(target))? {
        Route::Direct { folder, .. } => Some(folder),
        Route::Pivot { .. } => None,
    }
}

/// The starter model that fits best, unless it was removed.
fn starter(source: Option<&str>, target: Option<&str>) -> Result<PathBuf> {
    let found = starter_model_for(source, target)?;
    let shipped = Shipped::find().models;
    let is_there = |folder: &PathBuf| folder.file_name() == found.file_name();
    let there = shipped.iter().any(is_there);
    there
        .then_some(found)
        .ok_or_else(|| TranslateError::NoStarterModel.into())
}

/// Whether a model, or two in a row, translate from this language to the other.
pub(super) fn translates_from(source: &str, target: Option<&str>) -> bool {
    route(&models(), &defaults(), source, target).is_some()
}

/// Whether a model, or two in a row, translate between these languages, of which either may be left open.
pub(super) fn translates_between(source: Option<&str>, target: Option<&str>) -> bool {
    route_between(&models(), &defaults(), source, target).is_some()
}

/// Adds a model by this name or its own; the languages that are stated win over those of its files.
pub(super) fn add(path: &Path, stated: [Option<String>; 2], name: Option<String>) -> Result<()> {
    let [source, target] = stated;
    let code = |field, language: Option<String>| {
        let code = language.map(|language| stated_language(field, &language));
        code.transpose().map(|code| code.into_iter().collect())
    };
    let name = name.unwrap_or_default();
    if name.contains(['/', '\\']) || name.starts_with('.') {
        return Err(Error::Base(BaseError::Config {
            field: "--name",
            found: name,
            allowed: "the name of a folder, without / and no dot before it".to_owned(),
        }));
    }
    let known = KnownOfModel {
        is_stated: source.is_some() || target.is_some(),
        sources: code("--from", source)?,
        targets: code("--to", target)?,
        name,
        ..KnownOfModel::default()
    };
    let mut go_on = |_: u64, _: u64| ControlFlow::Continue(());
    let added = install_known_model(path, &folder()?, &known, &mut go_on)?;
    let model = added.expect("nobody broke it off");
    if model.sources.is_empty() || model.targets.is_empty() {
        warn(&format!(
            "the files of {0} do not say its languages, so that it is never chosen by itself: canopy model default {0} --from en \
             --to de",
            model.name
        ));
    }
    print_line(&model)
}

/// Prints a model as `canopy model list` does.
pub(super) fn print_line(model: &InstalledModel) -> Result<()> {
    print(&format!("{}\n", line(model)))
}

/// Prints a model's entry as JSON.
pub(super) fn print_entry(model: &InstalledModel) -> Result<()> {
    print(&format!("{:#}\n", entry(model, &defaults())))
}

/// Makes a model the default of its languages where they have none.
pub(super) fn choose_where_none(model: &InstalledModel) -> Result<()> {
    change_defaults(|defaults| set_where_none(defaults, model))
}

/// A model with these languages, which are stated if its files do not say any.
fn stated(model: InstalledModel, source: &str, target: &str) -> Result<InstalledModel> {
    if model.is_language_model() {
        return Ok(model);
    }
    if model.lacks_languages() {
        return Ok(state_languages(&model.folder, [source, target])?);
    }
    let translates = model.translates_from(source) && model.target(source, Some(target)).is_some();
    if !translates {
        return Err(Error::Base(BaseError::Config {
            field: "languages",
            found: format!("{source}-{target}"),
            allowed: format!(
                "those that the files of {} say: {}",
                model.name,
                model.pair()
            ),
        }));
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
    let wrong = |found: String, allowed: String| {
        Error::Base(BaseError::Config {
            field: "pair",
            found,
            allowed,
        })
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
    let (source, target) = (
        stated_language("--from", &source)?,
        stated_language("--to", &target)?,
    );
    let model = stated(model, &source, &target)?;
    change_defaults(|defaults| {
        defaults.insert(pair_key(&source, &target), model.folder.clone());
    })?;
    print(&format!("{source} to {target}: {}\n", model.name))
}

/// Deletes a model that was added; one that came with the program is no longer listed or used.
pub(super) fn remove(name: &str) -> Result<()> {
    let model = named(name)?;
    if !model.is_shipped {
        remove_model(&model.folder, &folder()?)?;
    }
    change_settings(|settings| {
        forget_default(&mut settings.default_models, &model.folder);
        if let (true, Some(name)) = (model.is_shipped, folder_name(&model)) {
            settings.removed_models.push(name);
        }
    })?;
    if model.is_shipped {
        print(&format!(
            "{} came with the program and is no longer used; `canopy model restore` restores it\n",
            model.name
        ))?;
    }
    Ok(())
}

/// Brings back models that came with the program and were removed: the one of this name, or all.
pub(super) fn restore(name: Option<&str>) -> Result<()> {
    let there = Shipped::find().models;
    let mut removed = installed_models(None, &Shipped::all().models);
    removed.retain(|model| !there.contains(&model.folder));
    if let Some(name) = name {
        let names: Vec<String> = removed.iter().map(|model| model.name.clone()).collect();
        removed.retain(|model| model.is_called(name));
        if removed.is_empty() {
            return Err(Error::Base(BaseError::Config {
                field: "model",
                found: name.to_owned(),
                allowed: match names.join(", ") {
                    none if none.is_empty() => "none: no model is removed".to_owned(),
                    names => names,
                },
            }));
        }
    }
    change_settings(|settings| {
        let is_back = |folder: &String| {
            let mut names = removed.iter().filter_map(folder_name);
            names.any(|name| name == *folder)
        };
        settings.removed_models.retain(|folder| !is_back(folder));
    })?;
    let lines = removed.iter().map(|model| format!("{}\n", line(model)));
    print(&lines.collect::<String>())
}

fn folder_name(model: &InstalledModel) -> Option<String> {
    let name = model.folder.file_name()?.to_str()?;
    Some(name.to_owned())
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
        Error::Base(BaseError::Config {
            field: "model",
            found: name.to_owned(),
            allowed: names.join(", "),
        })
    })
}

/// Name, languages, megabytes, licence and folder, then what its files call it and its version, with tabs between them.
fn line(model: &InstalledModel) -> String {
    let [name, pair, folder] = [
        model.name.clone(),
        model.pair(),
        model.folder.display().to_string(),
    ];
    let stated = [model.title.clone(), model.version_words()];
    let stated: Vec<String> = stated.into_iter().filter(|it| !it.is_empty()).collect();
    let stated = match stated.join(", ") {
        none if none.is_empty() => none,
        stated => format!("\t{stated}"),
    };
    let problem = model.problem.as_ref();
    let problem = problem.map_or(String::new(), |problem| format!("\tbroken: {problem}"));
    format!(
        "{name}\t{pair}\t{} MB\t{}\t{folder}{stated}{problem}",
        megabytes(model.num_bytes),
        model.licence_or_unknown(),
    )
}

/// Rounded as in the window; of less than one, one.
pub(super) fn megabytes(bytes: u64) -> u64 {
    (bytes.saturating_add(500_000) / 1_000_000).max(1)
}

fn entry(model: &InstalledModel, defaults: &DefaultModels) -> Value {
    let chosen = defaults
        .iter()
        .filter(|(_, folder)| **folder == model.folder);
    let chosen: Vec<&String> = chosen.map(|(pair, _)| pair).collect();
    json!({
        "name": model.name,
        "title": model.title,
        "version": model.version,
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
