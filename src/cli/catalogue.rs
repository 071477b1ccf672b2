//! `canopy model search` and `canopy model get`

use std::ops::ControlFlow;

use clap::Args;
use serde_json::{Value, json};

use super::advice::ADD_GGUF;
use super::library;
use super::terminal::{self, StatusLine, duration, print};
use crate::error::{BaseError, Error, Result};
use canopy_translate::catalogue::{
    Catalogue, CatalogueModel, Download, Found, Installation, Look, ONLY_GGUF, Progress, download,
    downloaded_bytes, is_repository, look, repository,
};
use canopy_translate::error::Error as TranslateError;
use canopy_translate::inference::InstalledModel;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy model search --from en --to fr\n\nA line ends with what is wrong with the model, if \
    anything is. The exit code is 1 if no model is found; --json also lists the catalogues that could not be read."
)]
pub(super) struct SearchArguments {
    /// Language to translate from, such as en
    #[arg(long, value_name = "CODE")]
    from: Option<String>,
    /// Language to translate to, such as fr
    #[arg(long, value_name = "CODE")]
    to: Option<String>,
    /// Only this catalogue: a name that `canopy model catalogue list` shows, an address, a file or a folder; several times if
    /// wanted
    #[arg(long, value_name = "NAME|URL|FILE|DIR")]
    catalogue: Vec<String>,
    /// Print all information of the lists as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy model get en-fr\n  canopy model get Helsinki-NLP/opus-mt-en-de\n  canopy model get \
    en-pt --catalogue /srv/models\n\nThe variable HF_ENDPOINT may hold the address of a mirror of Hugging Face. See \
    docs/guide/models.md."
)]
pub(super) struct GetArguments {
    /// A pair of languages such as en-fr, the name of a model that `canopy model search` shows, or a repository of Hugging Face
    /// as OWNER/NAME
    #[arg(value_name = "PAIR|NAME|OWNER/NAME")]
    model: String,
    /// Only this catalogue: a name that `canopy model catalogue list` shows, an address, a file or a folder; for OWNER/NAME the
    /// address of a mirror of Hugging Face
    #[arg(long, value_name = "NAME|URL|FILE|DIR")]
    catalogue: Option<String>,
    /// Print the installed model's fields as JSON
    #[arg(long)]
    json: bool,
    /// Replace an installed model of this name, such as an older release
    #[arg(long)]
    force: bool,
}

/// The catalogues that are named, else those of the settings.
fn catalogues(named: &[String]) -> Result<Vec<Catalogue>> {
    if !named.is_empty() {
        let named = named.iter().map(|text| Ok(Catalogue::named(text)?));
        return named.collect();
    }
    let settings = library::settings();
    Ok(Catalogue::chosen(
        &settings.catalogues,
        &settings.catalogues_off,
    )?)
}

/// Reads lists; one that cannot be read is a warning, all of them are an error.
fn looked(catalogues: &[Catalogue]) -> Result<Look> {
    let mut found = look(catalogues);
    if found.models.is_empty() && !found.failed.is_empty() {
        let others = found.failed.split_off(1);
        for (_, error) in &others {
            terminal::warn(&error.to_string());
        }
        if let Some((_, error)) = found.failed.pop() {
            return Err(error.into());
        }
    }
    for (_, error) in &found.failed {
        terminal::warn(&error.to_string());
    }
    for note in &found.notes {
        terminal::warn(note);
    }
    Ok(found)
}

pub(super) fn search(arguments: &SearchArguments) -> Result<()> {
    let (from, to) = (arguments.from.as_deref(), arguments.to.as_deref());
    let found = looked(&catalogues(&arguments.catalogue)?)?;
    let models = found.between(from, to);
    let installed = library::models();
    if arguments.json {
        let models: Vec<Value> = models
            .iter()
            .map(|model| entry(model, &installed))
            .collect();
        let failed = found
            .failed
            .iter()
            .map(|(name, error)| json!({ "catalogue": name, "problem": error.to_string() }));
        let failed: Vec<Value> = failed.collect();
        print(&format!(
            "{:#}\n",
            json!({ "models": models, "failed": failed })
        ))?;
    } else if !models.is_empty() {
        print(&table(&models, &installed))?;
    }
    if !models.is_empty() {
        return Ok(());
    }
    Err(Error::from(TranslateError::NotListed {
        requested: requested_pair(from, to),
        advice: "`canopy model search` without --from and --to shows all".to_owned(),
    }))
}

fn requested_pair(from: Option<&str>, to: Option<&str>) -> String {
    let mut text = "a model".to_owned();
    for (word, code) in [("from", from), ("to", to)] {
        if let Some(code) = code {
            text = format!("{text} {word} {code}");
        }
    }
    text
}

/// A line for each model, in columns.
fn table(models: &[&CatalogueModel], installed: &[InstalledModel]) -> String {
    let head = [
        "NAME",
        "LANGUAGES",
        "KIND",
        "SIZE",
        "LICENCE",
        "SCORES",
        "CATALOGUE",
        "",
    ];
    let rows = models.iter().map(|model| {
        let size = model
            .num_bytes
            .map(|bytes| format!("{} MB", library::megabytes(bytes)));
        let or_unknown = |text: &str| {
            if text.is_empty() {
                "–".to_owned()
            } else {
                text.to_owned()
            }
        };
        let remark = match (&model.problem, model.installation(installed), &model.doubt) {
            (Some(problem), ..) => {
                let advice = if problem == ONLY_GGUF { ADD_GGUF } else { "" };
                format!("cannot be downloaded: {problem}{advice}")
            }
            (None, Installation::Yes, _) => "installed".to_owned(),
            (None, Installation::Update, _) => "installed, another release".to_owned(),
            (None, Installation::No, Some(doubt)) => doubt.clone(),
            (None, Installation::No, None) => String::new(),
        };
        [
            model.name.clone(),
            model.pair(),
            or_unknown(&model.kind),
            size.unwrap_or_else(|| "–".to_owned()),
            or_unknown(&model.licence),
            or_unknown(&model.scores_line()),
            model.catalogue.clone(),
            remark,
        ]
    });
    let rows: Vec<[String; 8]> = std::iter::once(head.map(str::to_owned))
        .chain(rows)
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..head.len())
        .map(|column| width(column).unwrap_or(0))
        .collect();
    let line = |row: &[String; 8]| {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        let line = cells.collect::<Vec<String>>().join("  ");
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}

fn entry(model: &CatalogueModel, installed: &[InstalledModel]) -> Value {
    let scores: Vec<Value> = model
        .scores
        .iter()
        .map(|score| json!({ "test": score.test, "metric": score.metric, "value": score.value }))
        .collect();
    let files: Vec<Value> = model
        .files
        .iter()
        .map(|file| json!({ "name": file.name, "from": file.source.to_string() }))
        .collect();
    let installation = match model.installation(installed) {
        Installation::No => "no",
        Installation::Yes => "yes",
        Installation::Update => "other release",
    };
    json!({
        "name": model.name,
        "sources": model.sources,
        "targets": model.targets,
        "kind": model.kind,
        "bytes": model.num_bytes,
        "parameters": model.num_parameters,
        "licence": model.licence,
        "scores": scores,
        "catalogue": model.catalogue,
        "release": model.release,
        "files": files,
        "installed": installation,
        "problem": model.problem,
        "doubt": model.doubt,
    })
}

/// Downloads and installs a model; it becomes the default of its languages if they have none.
pub(super) fn get(arguments: &GetArguments) -> Result<()> {
    let model = chosen(arguments)?;
    if let Some(doubt) = &model.doubt {
        terminal::warn(doubt);
    }
    let library = library::folder()?;
    let before = downloaded_bytes(&library, &model);
    if before > 0 {
        let megabytes = before.div_ceil(1_000_000);
        terminal::write_stderr(&format!(
            "{}: {megabytes} MB are here already\n",
            model.name
        ));
    }
    let mut status = StatusLine::new();
    let order = Download {
        model: &model,
        library: &library,
        replaces: arguments.force,
    };
    let got = download(order, &mut |progress| {
        status.show(&progress_line(&model, progress));
        ControlFlow::Continue(())
    });
    status.clear();
    let Some(installed) = got? else {
        return Ok(());
    };
    library::choose_where_none(&installed)?;
    if arguments.json {
        return library::print_entry(&installed);
    }
    library::print_line(&installed)
}

fn progress_line(model: &CatalogueModel, progress: Progress) -> String {
    if progress.is_checking {
        return format!("{}: checking the download", model.name);
    }
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let of = progress.total.map_or(String::new(), |total| {
        format!(" of {:.1}", megabytes(total))
    });
    let left = progress.seconds_left();
    let left = left.map_or(String::new(), |left| format!(" · {} left", duration(left)));
    format!(
        "{}: {:.1}{of} MB · {:.1} MB/s{left}",
        model.name,
        megabytes(progress.done),
        progress.speed / 1e6
    )
}

/// The model that is meant.
fn chosen(arguments: &GetArguments) -> Result<CatalogueModel> {
    let name = arguments.model.trim();
    let only: Vec<String> = arguments.catalogue.iter().cloned().collect();
    if is_repository(name) {
        let host = only
            .first()
            .map(|text| Catalogue::named(text))
            .transpose()?;
        return Ok(repository(name, host.as_ref())?);
    }
    let catalogues = catalogues(&only)?;
    let found = looked(&catalogues)?;
    match found.find(name) {
        Found::One(model) => Ok(*model),
        Found::Several(models) => {
            let names: Vec<&str> = models.iter().map(|it| it.catalogue.as_str()).collect();
            Err(Error::Base(BaseError::Config {
                field: "model",
                found: format!("{name}, which {} list", names.join(" and ")),
                allowed: "one model: name its catalogue with --catalogue".to_owned(),
            }))
        }
        Found::None => Err(Error::from(TranslateError::NotListed {
            requested: format!("a model called {name}, or from one language to another so called"),
            advice: "`canopy model search --from en --to fr` shows what there is".to_owned(),
        })),
    }
}
