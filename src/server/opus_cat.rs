//! The interface of the OPUS-CAT MT Engine, as the plug-ins for OmegaT, Trados, memoQ and Wordfast call it.
//!
//! Names of actions are read in any case, as there. OmegaT sends segments with its tags, which are kept; the other plug-ins
//! send none and put them back by the alignment.
//! `PreOrderBatch`, by which a plug-in announces segments, is accepted and changes nothing: they are translated when they
//! are requested.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::answer::shown;
use super::documents::text_document;
use super::fields::Fields;
use super::job::{Answer, Item, TranslatedSentence, Way};
use super::refusal::{Refusal, json_response};
use super::segment::Segment;
use super::service::{Service, TextRequest};
use canopy_corpus::is_same_language;
use canopy_document::placeholder::folded;
use canopy_translate::inference::{Route, word_ranges};

/// The mark with which subwords after a space begin.
const SPACE: &str = "▁";

/// Segments with tags as SentencePiece has them, in the numbers of OPUS-CAT.
const SENTENCE_PIECE: u8 = 1;

pub(super) async fn act(
    State(service): State<Arc<Service>>,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Result<Response, Refusal> {
    let Path((name, action)) = path.map_err(|_fault| unknown())?;
    if !name.eq_ignore_ascii_case("MTRestService") {
        return Err(unknown());
    }
    let method = request.method().clone();
    let fields = Fields::read(&service, request).await?;
    let pair = Pair::from_fields(&fields);
    let done = match (method, action.to_ascii_lowercase().as_str()) {
        (Method::GET, "login") => json!("0"),
        (Method::GET, "listsupportedlanguagepairs") => json!(pairs(&service)),
        (Method::GET, "getlanguagepairmodeltags") => json!(tags(&service, &pair?)),
        (Method::GET, "checkmodelstatus") => json!(status(&service, &pair?)),
        (Method::GET | Method::POST, "translatejson") => {
            translated(&service, &fields, &pair?).await?
        }
        (Method::POST, "translatepost") => {
            let translated = translated(&service, &fields, &pair?).await?;
            json!({ "translation": translated["translation"], "alignment": null })
        }
        (Method::GET, "translate") => {
            translated(&service, &fields, &pair?).await?["translation"].take()
        }
        (Method::GET, "translateparagraphjson") => {
            json!(paragraph(&service, &fields, &pair?).await?)
        }
        (Method::GET, "translatestream") => {
            let translated = translated(&service, &fields, &pair?).await?;
            let text = translated["translation"].as_str().unwrap_or_default();
            return Ok(text.to_owned().into_response());
        }
        (Method::POST, "preorderbatch") => {
            if fields.bare_list()?.is_none_or(|texts| texts.is_empty()) {
                return Err(Refusal::wrong("the body is a list of segments"));
            }
            pair?.way(&service)?;
            return Ok(StatusCode::OK.into_response());
        }
        (_, "customize" | "storetranslation" | "batchstoretranslation" | "batchtranslate") => {
            return Err(Refusal::new(
                StatusCode::NOT_IMPLEMENTED,
                "models are not trained from other programs here; use the training page or canopy train",
            ));
        }
        _ => return Err(unknown()),
    };
    Ok(json_response(&done).into_response())
}

fn unknown() -> Refusal {
    Refusal::new(
        StatusCode::NOT_FOUND,
        "there is nothing at this address; GET /openapi.json lists what there is",
    )
}

/// The languages of a request and the model that it names.
#[derive(Debug)]
struct Pair {
    source: String,
    target: String,
    model: Option<String>,
}

impl Pair {
    fn from_fields(fields: &Fields) -> Result<Self, Refusal> {
        // The plug-in for memoQ sends a pair of quotes for none.
        let model = fields.text("modelTag").unwrap_or_default();
        let model = model.trim_matches('"').to_owned();
        Ok(Self {
            source: fields.needed("srcLangCode")?,
            target: fields.needed("trgLangCode")?,
            model: Some(model).filter(|model| !model.is_empty()),
        })
    }
}

impl Pair {
    /// The way by the model that is named, or else the usual one; OPUS-CAT too falls back to that.
    fn way(&self, service: &Service) -> Result<Way, Refusal> {
        let (source, target) = (self.source.as_str(), self.target.as_str());
        let named = self.model.as_ref();
        let named = named.and_then(|name| service.library.route_by(name, source, target).ok());
        let route = match named {
            Some(route) => route,
            None => service.library.route(source, target)?,
        };
        Ok(Way {
            source: source.to_owned(),
            route,
            alternatives: 0,
        })
    }
}

/// All pairs of languages, such as `en-de`.
fn pairs(service: &Service) -> Vec<String> {
    let languages = service.library.languages();
    let pairs = languages.iter().flat_map(|language| {
        let source = &language.code;
        language
            .targets
            .iter()
            .map(move |target| format!("{source}-{target}"))
    });
    pairs.collect()
}

/// Names of the models that translate between two languages.
fn tags(service: &Service, pair: &Pair) -> Vec<String> {
    let models = service.library.models.iter();
    let fits = models.filter(|model| {
        let (mut sources, mut targets) = (model.sources.iter(), model.targets.iter());
        model.is_any_to_any()
            || sources.any(|source| is_same_language(source, &pair.source))
                && targets.any(|target| is_same_language(target, &pair.target))
    });
    fits.map(|model| model.name.clone()).collect()
}

/// A sentence about the model that would translate.
fn status(service: &Service, pair: &Pair) -> String {
    let languages = format!("{}-{}", pair.source, pair.target);
    let name = |route: &Route| {
        let folder = match route {
            Route::Direct { folder, .. } => folder,
            Route::Pivot { folders, .. } => &folders[0],
        };
        let mut models = service.library.models.iter();
        models
            .find(|model| model.folder == *folder)
            .map_or_else(String::new, |model| model.name.clone())
    };
    match pair.way(service) {
        Ok(Way {
            route: Route::Pivot { pivot, .. },
            ..
        }) => {
            format!("Two models translate {languages}, through {pivot}.")
        }
        Ok(way) => format!("Model {} for {languages} is available.", name(&way.route)),
        Err(_) => format!("No model available for {languages}. Add one with canopy model import."),
    }
}

/// The translation of a segment with its alignment.
async fn translated(service: &Service, fields: &Fields, pair: &Pair) -> Result<Value, Refusal> {
    if !fields.flag("inputIsSingleSentence", true) {
        let text = paragraph(service, fields, pair).await?;
        return Ok(json!({ "translation": text, "Translation": text }));
    }
    let segment = Segment::from_text(&fields.text("input").unwrap_or_default());
    let (document, tags) = segment.parts();
    let text_request = TextRequest {
        way: pair.way(service)?,
        items: vec![Item::whole(document)],
        links_words: true,
    };
    let answer = service.translated(text_request).await?;
    let document = &answer.documents[0];
    let translated = document.sentences.get(&0);
    let source = document.document.sentences.first();
    let source = source.map_or("", |sentence| &sentence.text);
    Ok(match translated {
        Some(translated) => with_alignment(source, translated, &tags),
        None => pair_of("", "", &[]),
    })
}

/// A translation with its tags, and the alignment of the words alone.
fn with_alignment(source: &str, translated: &TranslatedSentence, tags: &[String]) -> Value {
    let with_tags = folded(&Segment::written(tags, &translated.translation.text));
    let (source, target) = (shown(source), shown(&translated.translation.text));
    let place = |ranges: &[std::ops::Range<usize>], range: &std::ops::Range<usize>| {
        ranges.iter().position(|word| word.start == range.start)
    };
    let words = [word_ranges(&source), word_ranges(&target)];
    let links = translated.links.iter().filter_map(|link| {
        Some((
            place(&words[0], &link.source)?,
            place(&words[1], &link.target)?,
        ))
    });
    let mut pair = pair_of(&source, &target, &links.collect::<Vec<_>>());
    for name in ["translation", "Translation"] {
        pair[name] = json!(with_tags);
    }
    pair
}

/// OPUS-CAT's translation pair: words instead of subwords, and their alignment.
fn pair_of(source: &str, target: &str, links: &[(usize, usize)]) -> Value {
    let (mut forward, mut back) = (BTreeMap::new(), BTreeMap::new());
    for &(from, to) in links {
        forward.entry(from).or_insert_with(Vec::new).push(to);
        back.entry(to).or_insert_with(Vec::new).push(from);
    }
    let words = [pieces(source), pieces(target)];
    let written: Vec<String> = links
        .iter()
        .map(|(from, to)| format!("{from}-{to}"))
        .collect();
    json!({
        "translation": target,
        "Translation": target,
        "SegmentedSourceSentence": words[0],
        "SegmentedTranslation": words[1],
        "SegmentedAlignmentSourceToTarget": forward,
        "SegmentedAlignmentTargetToSource": back,
        "AlignmentString": (!links.is_empty()).then(|| written.join(" ")),
        "RawTranslation": words[1].join(" "),
        "Segmentation": SENTENCE_PIECE,
        "AutoEditedTranslation": false,
    })
}

/// The words of a text, with the sign for a space before those that follow one.
fn pieces(text: &str) -> Vec<String> {
    let mut end = None;
    let piece = |word: std::ops::Range<usize>| {
        let follows_space = end.is_none_or(|end| end < word.start);
        end = Some(word.end);
        let space = if follows_space { SPACE } else { "" };
        format!("{space}{}", &text[word])
    };
    word_ranges(text).into_iter().map(piece).collect()
}

/// The translation of a text of several sentences.
async fn paragraph(service: &Service, fields: &Fields, pair: &Pair) -> Result<String, Refusal> {
    let document = text_document(fields.text("input").unwrap_or_default(), false)?;
    let text_request = TextRequest {
        way: pair.way(service)?,
        items: vec![Item::whole(document)],
        links_words: false,
    };
    let answer: Answer = service.translated(text_request).await?;
    answer.documents[0].text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_as_the_plug_ins_read_it() {
        let pair = pair_of(
            "Open the file.",
            "Öffne die Datei.",
            &[(0, 0), (1, 1), (2, 2), (3, 3)],
        );
        assert_eq!(
            pair["SegmentedSourceSentence"],
            json!(["▁Open", "▁the", "▁file", "."])
        );
        assert_eq!(
            pair["SegmentedTranslation"],
            json!(["▁Öffne", "▁die", "▁Datei", "."])
        );
        assert_eq!(pair["SegmentedAlignmentSourceToTarget"]["2"], json!([2]));
        assert_eq!(pair["AlignmentString"], "0-0 1-1 2-2 3-3");
        assert_eq!(pair["translation"], pair["Translation"]);
        assert_eq!(pair_of("", "", &[])["AlignmentString"], Value::Null);
    }
}
