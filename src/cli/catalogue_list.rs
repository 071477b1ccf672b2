//! `canopy model catalogue`

use clap::Subcommand;
use serde_json::{Value, json};

use super::library;
use super::terminal::print;
use crate::error::{Error, Result};
use canopy_translate::catalogue::{Catalogue, DEFAULT_CATALOGUES};
use canopy_translate::error::Error as TranslateError;

/// The lists that `canopy model search`, `canopy model get` and the window look through.
#[derive(Debug, Subcommand)]
pub(super) enum CatalogueCommand {
    /// List the catalogues; no host is contacted
    List {
        /// Print them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Add a catalogue of your own, or enable a built-in one again
    Add {
        /// Name of a built-in catalogue, an address, a file with a list, or a folder with lists or models
        #[arg(value_name = "NAME|URL|FILE|DIR")]
        catalogue: String,
    },
    /// Remove a catalogue of your own, or disable a built-in one
    Remove {
        /// As `canopy model catalogue list` shows it
        #[arg(value_name = "NAME|URL|FILE|DIR")]
        catalogue: String,
    },
}

pub(super) fn run(command: CatalogueCommand) -> Result<()> {
    match command {
        CatalogueCommand::List { json } => list(json),
        CatalogueCommand::Add { catalogue } => add(&catalogue),
        CatalogueCommand::Remove { catalogue } => remove(&catalogue),
    }
}

fn list(as_json: bool) -> Result<()> {
    let settings = library::settings();
    let own = settings
        .catalogues
        .iter()
        .map(|text| (text.as_str(), "", text.as_str(), true));
    let known = DEFAULT_CATALOGUES.iter().map(|known| {
        let is_off = settings.catalogues_off.iter().any(|it| it == known.name);
        (known.name, known.title, known.address, !is_off)
    });
    let all: Vec<_> = own.chain(known).collect();
    if as_json {
        let all: Vec<Value> = all
            .iter()
            .map(|(name, title, address, is_on)| {
                json!({ "name": name, "title": title, "address": address, "on": is_on })
            })
            .collect();
        return print(&format!("{:#}\n", json!({ "catalogues": all })));
    }
    let lines = all.iter().map(|(name, _, address, is_on)| {
        let state = if *is_on { "on" } else { "off" };
        format!("{name}\t{state}\t{address}\n")
    });
    print(&lines.collect::<String>())
}

fn known(text: &str) -> Option<&'static str> {
    let mut all = DEFAULT_CATALOGUES.iter();
    all.find(|known| known.name.eq_ignore_ascii_case(text))
        .map(|known| known.name)
}

/// A path as it is from any folder.
fn kept(text: &str) -> String {
    let path = std::path::Path::new(text);
    let absolute = path
        .exists()
        .then(|| std::path::absolute(path).ok())
        .flatten();
    absolute.map_or_else(|| text.to_owned(), |path| path.display().to_string())
}

fn add(text: &str) -> Result<()> {
    Catalogue::named(text)?;
    library::change_settings(|settings| {
        if let Some(name) = known(text) {
            settings.catalogues_off.retain(|it| it != name);
            return;
        }
        let text = kept(text);
        if !settings.catalogues.contains(&text) {
            settings.catalogues.push(text);
        }
    })
}

fn remove(text: &str) -> Result<()> {
    let own = kept(text);
    let settings = library::settings();
    let is_own = |it: &String| *it == own || it == text;
    if known(text).is_none() && !settings.catalogues.iter().any(is_own) {
        return Err(Error::from(TranslateError::CatalogueAddress {
            address: text.to_owned(),
        }));
    }
    library::change_settings(|settings| match known(text) {
        Some(name) if !settings.catalogues_off.iter().any(|it| it == name) => {
            settings.catalogues_off.push(name.to_owned());
        }
        Some(_) => {}
        None => settings.catalogues.retain(|it| !is_own(it)),
    })
}
