//! The interface of LibreTranslate, as its clients call it.
//!
//! Fields, answers and messages are those of LibreTranslate 1.7; its other functions (suggestions, limits by key,
//! interfaces for people) is not there.

use std::fmt::Write;
use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::documents::{file_document, text_document};
use super::fields::Fields;
use super::job::{Answer, Item, Way};
use super::languages::{Library, name_of};
use super::refusal::{Refusal, json_response};
use super::results::TranslatedFile;
use super::service::{Service, TextRequest, aside};
use canopy_corpus::is_same_language;
use canopy_document::document::{Document, Format};
use canopy_translate::inference::{DetectedLanguage, detected_language};

/// Texts of one request, at most.
const MOST_TEXTS: usize = 1_000;

/// Other translations of a text, at most: the search keeps one hypothesis more.
const MOST_ALTERNATIVES: usize = 15;

type Answered = Result<Response, Refusal>;

pub(super) async fn health() -> Response {
    json_response(&json!({ "status": "ok" })).into_response()
}

pub(super) async fn languages(State(service): State<Arc<Service>>) -> Response {
    let languages = service.library.languages().into_iter();
    let languages = languages.map(|language| {
        json!({ "code": language.code, "name": language.name, "targets": language.targets })
    });
    json_response(&languages.collect()).into_response()
}

pub(super) async fn settings(State(service): State<Arc<Service>>) -> Response {
    let languages = service.library.languages();
    let target = languages
        .iter()
        .find_map(|language| language.targets.first());
    let target = target.map_or("en", String::as_str);
    let formats = Format::all_endings().into_iter();
    json_response(&json!({
        "charLimit": -1,
        "frontendTimeout": 500,
        "apiKeys": service.access.needs_key(),
        "keyRequired": service.access.needs_key(),
        "suggestions": false,
        "filesTranslation": true,
        "supportedFilesFormat": formats.map(|ending| format!(".{ending}")).collect::<Vec<_>>(),
        "language": {
            "source": { "code": "auto", "name": "Auto Detect" },
            "target": { "code": target, "name": name_of(target) },
        },
    }))
    .into_response()
}

pub(super) async fn detect(State(service): State<Arc<Service>>, request: Request) -> Answered {
    let fields = Fields::read(&service, request).await?;
    let texts = fields.list("q")?.unwrap_or_default();
    let text = if texts.is_empty() {
        fields.needed("q")?
    } else {
        texts.join("\n\n")
    };
    let found = aside(move || Ok(detected_language(&text_document(text, false)?))).await?;
    Ok(json_response(&json!([detected_json(found.as_ref())])).into_response())
}

/// The detected language in LibreTranslate's form: English with confidence 0 where nothing was detected.
fn detected_json(found: Option<&DetectedLanguage>) -> Value {
    let (code, confidence) = found.map_or(("en", 0.0), |found| {
        (found.code.as_str(), (found.confidence * 100.0).round())
    });
    json!({ "confidence": confidence, "language": code })
}

pub(super) async fn translate(State(service): State<Arc<Service>>, request: Request) -> Answered {
    let fields = Fields::read(&service, request).await?;
    let (texts, is_list) = match fields.list("q")? {
        Some(texts) => (texts, true),
        None => (vec![fields.needed("q")?], false),
    };
    if texts.is_empty() {
        return Err(Refusal::missing("q"));
    }
    if texts.len() > MOST_TEXTS {
        return Err(Refusal::wrong(format!(
            "Invalid request: request ({}) exceeds text limit ({MOST_TEXTS})",
            texts.len()
        )));
    }
    let (source, target) = (fields.needed("source")?, fields.needed("target")?);
    let alternatives = fields.number("alternatives")?;
    let is_html = match fields.text("format").as_deref() {
        None | Some("" | "text") => false,
        Some("html") => true,
        Some(other) => {
            return Err(Refusal::wrong(format!("{other} format is not supported")));
        }
    };
    let documents = aside(move || {
        let texts = texts.into_iter();
        Ok(texts
            .map(|text| text_document(text, is_html))
            .collect::<crate::error::Result<Vec<_>>>()?)
    });
    let documents = documents.await?;
    let alternatives = alternatives.min(MOST_ALTERNATIVES);
    let ways = ways(&service.library, &source, &target, &documents)?;
    let (ways, found): (Vec<_>, Vec<_>) = ways.into_iter().unzip();
    let translated = translated(&service, documents, ways, alternatives).await?;
    let (texts, others): (Vec<String>, Vec<Vec<String>>) = translated.into_iter().unzip();
    let one_or_all = |values: Vec<Value>| {
        if is_list {
            Value::Array(values)
        } else {
            values.into_iter().next().unwrap_or_default()
        }
    };
    let mut reply = json!({
        "translatedText": one_or_all(texts.into_iter().map(Value::String).collect()),
    });
    if source == "auto" {
        let languages = found.iter().map(|found| detected_json(found.as_ref()));
        reply["detectedLanguage"] = one_or_all(languages.collect());
    }
    if alternatives > 0 {
        reply["alternatives"] = one_or_all(others.into_iter().map(Value::from).collect());
    }
    Ok(json_response(&reply).into_response())
}

/// The way of a text, and the language that it was detected to be in.
type TextWay = (Option<Way>, Option<DetectedLanguage>);

/// The way of each text, and its language where that is detected: each text of a list has its own.
fn ways(
    library: &Library,
    source: &str,
    target: &str,
    documents: &[Document],
) -> Result<Vec<TextWay>, Refusal> {
    let of_one = |(index, document): (usize, &Document)| {
        let found = way(library, source, target, std::slice::from_ref(document));
        found.map_err(|refusal| match documents.len() {
            0 | 1 => refusal,
            _ => Refusal::new(refusal.status, format!("q[{index}]: {}", refusal.message)),
        })
    };
    let ways = documents.iter().enumerate().map(of_one);
    ways.collect()
}

/// The translations of texts and others of each, in their order; texts of one way go together.
async fn translated(
    service: &Service,
    documents: Vec<Document>,
    ways: Vec<Option<Way>>,
    alternatives: usize,
) -> Result<Vec<(String, Vec<String>)>, Refusal> {
    let mut translated: Vec<(String, Vec<String>)> = documents
        .iter()
        .map(|document| (document.original.clone(), Vec::new()))
        .collect();
    let mut groups: Vec<(Way, Vec<(usize, Item)>)> = Vec::new();
    for (index, (document, way)) in documents.into_iter().zip(ways).enumerate() {
        let Some(way) = way else { continue };
        let item = (index, Item::whole(document));
        match groups.iter_mut().find(|(other, _)| *other == way) {
            Some((_, items)) => items.push(item),
            None => groups.push((way, vec![item])),
        }
    }
    for (way, items) in groups {
        let (indices, items): (Vec<usize>, Vec<Item>) = items.into_iter().unzip();
        let request_of_way = TextRequest {
            way: Way {
                alternatives,
                ..way
            },
            items,
            links_words: false,
        };
        let answer = service.translated(request_of_way).await?;
        let texts = aside(move || texts_of(&answer)).await?;
        for (index, text) in indices.into_iter().zip(texts) {
            translated[index] = text;
        }
    }
    Ok(translated)
}

/// The translation of each text, and others of it.
fn texts_of(answer: &Answer) -> Result<Vec<(String, Vec<String>)>, Refusal> {
    let documents = answer.documents.iter();
    documents
        .map(|document| {
            let text = document.text()?;
            let others = document.other_texts(&text);
            Ok((text, others))
        })
        .collect()
}

/// The way between two languages, the first of which may have to be detected; none where they are the same.
pub(super) fn way(
    library: &Library,
    source: &str,
    target: &str,
    documents: &[Document],
) -> Result<(Option<Way>, Option<DetectedLanguage>), Refusal> {
    let found = match source {
        "auto" => documents
            .iter()
            .find_map(|document| library.detected(document, target)),
        _ => None,
    };
    let source = match (source, &found) {
        ("auto", Some(found)) => found.code.clone(),
        // No letters: nothing to translate, from whatever language.
        ("auto", None) => return library.route_to(target).map(|()| (None, None)),
        (source, _) => source.to_owned(),
    };
    if is_same_language(&source, target) {
        return Ok((None, found));
    }
    let route = library.route(&source, target)?;
    let way = Way {
        source,
        route,
        alternatives: 0,
    };
    Ok((Some(way), found))
}

pub(super) async fn translate_file(
    State(service): State<Arc<Service>>,
    request: Request,
) -> Answered {
    let base = service.base(request.headers());
    let mut fields = Fields::read(&service, request).await?;
    let file = fields.file.take().ok_or_else(|| Refusal::missing("file"))?;
    if file.name.is_empty() {
        return Err(Refusal::wrong("Invalid request: empty file"));
    }
    let (source, target) = (fields.needed("source")?, fields.needed("target")?);
    let document = aside(move || file_document(file)).await?;
    let (way, _) = way(
        &service.library,
        &source,
        &target,
        std::slice::from_ref(&document),
    )?;
    let way = way.ok_or_else(|| {
        Refusal::wrong(format!("the file is in {target} already, or has no words"))
    })?;
    let items = vec![Item::whole(document)];
    let request_of_way = TextRequest {
        way,
        items,
        links_words: false,
    };
    let answer = service.translated(request_of_way).await?;
    let target = answer.target.clone();
    let file = aside(move || answer.documents[0].file(&target)).await?;
    let name = file.name.clone();
    let id = service.results.keep(file)?;
    let name = percent_encoded(&name);
    let address = format!("{base}/download_file/{id}.{name}");
    Ok(json_response(&json!({ "translatedFileUrl": address })).into_response())
}

/// A file that [`translate_file`] has made, by its id with its name after it.
pub(super) async fn download_file(
    State(service): State<Arc<Service>>,
    Path(name): Path<String>,
) -> Answered {
    let id = name.split('.').next().unwrap_or_default();
    downloaded(&service, id)
}

/// The translated file of this id.
///
/// # Errors
/// 404 if there is none; files are kept for 15 minutes.
pub(super) fn downloaded(service: &Service, id: &str) -> Answered {
    let file = service.results.get(id).ok_or_else(|| {
        Refusal::new(
            StatusCode::NOT_FOUND,
            "there is no such file; translated files are kept for 15 minutes",
        )
    })?;
    let TranslatedFile { name, bytes } = &*file;
    let disposition = format!("attachment; filename*=UTF-8''{}", percent_encoded(name));
    let mut headers = HeaderMap::new();
    let disposition = HeaderValue::from_str(&disposition)
        .unwrap_or_else(|_fault| HeaderValue::from_static("attachment"));
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    let kind = HeaderValue::from_static("application/octet-stream");
    headers.insert(header::CONTENT_TYPE, kind);
    Ok((headers, bytes.clone()).into_response())
}

/// A name as an address has it.
pub(super) fn percent_encoded(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
