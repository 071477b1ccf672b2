//! Our own interface: sentences with those before and after them, and documents.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::documents::{file_document, sentences_document};
use super::fields::{Fields, Upload};
use super::job::{Answer, Item, TranslatedDocument, Way};
use super::libre_translate::{downloaded, way};
use super::refusal::{Refusal, json_response};
use super::service::{Service, TextRequest, aside};
use canopy_document::document::Document;
use canopy_project::markup::{from_editable, to_editable};
use canopy_translate::inference::Route;

/// Sentences of one request, at most.
const MOST_SENTENCES: usize = 10_000;

type Answered = Result<Response, Refusal>;

pub(super) async fn models(State(service): State<Arc<Service>>) -> Response {
    let models = service.library.models.iter().map(|model| {
        json!({
            "name": model.name,
            "source": model.sources.first().map_or("", String::as_str),
            "sources": model.sources,
            "targets": model.targets,
            "bytes": model.num_bytes,
            "licence": model.licence,
            "any_to_any": model.is_any_to_any(),
        })
    });
    json_response(&json!({ "models": models.collect::<Vec<_>>() })).into_response()
}

pub(super) async fn translate(State(service): State<Arc<Service>>, request: Request) -> Answered {
    let fields = Fields::read(&service, request).await?;
    let texts = fields.list("sentences")?.filter(|texts| !texts.is_empty());
    let texts = texts.ok_or_else(|| {
        Refusal::wrong("sentences is a list of texts, those of the document or around what is to be translated")
    })?;
    if texts.len() > MOST_SENTENCES {
        return Err(Refusal::wrong(format!(
            "{} sentences are more than the {MOST_SENTENCES} of one request; send those around what is to be translated",
            texts.len()
        )));
    }
    let (source, target) = (fields.needed("source")?, fields.needed("target")?);
    let wanted = range(&fields, texts.len())?;
    let paragraphs = numbers(&fields, "paragraphs")?;
    let document = sentences_document(&texts, &paragraphs)?;
    let confirmed = confirmed(&fields, &document)?;
    let links_words = fields.flag("alignment", true);
    let (way, found) = chosen(&service, &fields, (&source, &target), &document)?;
    let detected = found.map(|found| found.code);
    let item = Item::part(document, wanted.clone().collect(), confirmed);
    let text_request = TextRequest {
        way,
        items: vec![item],
        links_words,
    };
    let answer = service.translated(text_request).await?;
    let translated = &answer.documents[0];
    let translations: Vec<Value> = wanted
        .filter_map(|index| entry(translated, index))
        .collect();
    Ok(json_response(&json!({
        "model": answer.model,
        "source": detected.unwrap_or(answer.source),
        "target": answer.target,
        "translations": translations,
    }))
    .into_response())
}

fn entry(translated: &TranslatedDocument, index: usize) -> Option<Value> {
    let done = translated.sentences.get(&index)?;
    let source = &translated.document.sentences[index].text;
    let translation = &done.translation;
    Some(json!({
        "index": index,
        "source": to_editable(source),
        "target": to_editable(&translation.text),
        "confidence": translation.confidence(),
        "tokens": translation.num_tokens,
        "flags": translation.flags,
        "alignment": done.alignment(source),
    }))
}

/// The way of a request, by the model that it names or the usual one.
fn chosen(
    service: &Service,
    fields: &Fields,
    (source, target): (&str, &str),
    document: &Document,
) -> Result<(Way, Option<canopy_translate::inference::DetectedLanguage>), Refusal> {
    let one = std::slice::from_ref(document);
    let (usual, found) = match (fields.text("model"), source) {
        (None, _) | (Some(_), "auto") => way(&service.library, source, target, one)?,
        (Some(_), _) => (None, None),
    };
    let source = found
        .as_ref()
        .map_or(source, |found| &found.code)
        .to_owned();
    let way = match fields.text("model") {
        Some(name) => {
            let route = service.library.route_by(&name, &source, target)?;
            Some(Way {
                source,
                route,
                alternatives: 0,
            })
        }
        None => usual,
    };
    let way = way.ok_or_else(|| {
        Refusal::wrong(format!(
            "there is nothing to translate to {target}: the text is in it already, or has no words"
        ))
    })?;
    Ok((way, found))
}

/// The sentences to be translated: `range` is the first one and the one after the last, all of them without it.
fn range(fields: &Fields, count: usize) -> Result<std::ops::Range<usize>, Refusal> {
    let Some(value) = fields.value("range") else {
        return Ok(0..count);
    };
    let range: Option<[usize; 2]> = serde_json::from_value(value.clone()).ok();
    let range = range.filter(|[start, end]| start < end && *end <= count);
    range.map(|[start, end]| start..end).ok_or_else(|| {
        Refusal::wrong(format!(
            "range is [first, behind the last], counted from 0 and within the {count} sentences"
        ))
    })
}

fn numbers(fields: &Fields, name: &str) -> Result<Vec<usize>, Refusal> {
    let Some(value) = fields.value(name) else {
        return Ok(Vec::new());
    };
    serde_json::from_value(value.clone())
        .map_err(|_fault| Refusal::wrong(format!("{name} is a list of numbers of sentences")))
}

/// The translations that a person has confirmed, by sentence.
fn confirmed(fields: &Fields, document: &Document) -> Result<BTreeMap<usize, String>, Refusal> {
    let Some(value) = fields.value("translations") else {
        return Ok(BTreeMap::new());
    };
    let wrong = || {
        Refusal::wrong(
            "translations is an object of texts by the numbers of their sentences, such as {\"2\": \"…\"}",
        )
    };
    let given = value.as_object().ok_or_else(wrong)?;
    let mut confirmed = BTreeMap::new();
    for (index, text) in given {
        let index: usize = index.parse().map_err(|_fault| wrong())?;
        let text = text.as_str().ok_or_else(wrong)?;
        let sentence = document.sentences.get(index).ok_or_else(wrong)?;
        let stored = from_editable(text, &sentence.text)
            .map_err(|problems| Refusal::wrong(format!("translation {index}: {}", problems[0])))?;
        confirmed.insert(index, stored);
    }
    Ok(confirmed)
}

pub(super) async fn translate_document(
    State(service): State<Arc<Service>>,
    request: Request,
) -> Answered {
    let base = service.base(request.headers());
    let mut fields = Fields::read(&service, request).await?;
    let file = match (fields.file.take(), fields.text("text")) {
        (Some(file), _) => file,
        (None, Some(text)) => Upload {
            name: fields.text("name").unwrap_or_else(|| "text.txt".to_owned()),
            bytes: text.into_bytes(),
        },
        (None, None) => return Err(Refusal::missing("file")),
    };
    let (source, target) = (fields.needed("source")?, fields.needed("target")?);
    let document = aside(move || file_document(file)).await?;
    let (way, found) = chosen(&service, &fields, (&source, &target), &document)?;
    let is_pivot = matches!(way.route, Route::Pivot { .. });
    let items = vec![Item::whole(document)];
    let text_request = TextRequest {
        way,
        items,
        links_words: false,
    };
    let answer = service.translated(text_request).await?;
    let (answer, file) = aside(move || {
        let file = answer.documents[0].file(&answer.target)?;
        Ok((answer, file))
    })
    .await?;
    let name = file.name.clone();
    let id = service.results.keep(file)?;
    Ok(json_response(&json!({
        "id": id,
        "name": name,
        "download": format!("{base}/v1/documents/{id}"),
        "model": answer.model,
        "source": found.map_or_else(|| answer.source.clone(), |found| found.code),
        "target": answer.target,
        "through_two_models": is_pivot,
        "sentences": rows(&answer),
    }))
    .into_response())
}

/// Sentences of a document with their translations, in paragraphs.
fn rows(answer: &Answer) -> Vec<Value> {
    let translated = &answer.documents[0];
    let sentences = translated.document.sentences.iter().enumerate();
    let row = |(index, sentence): (usize, &canopy_document::document::Sentence)| {
        let (source, target) = translated.pair(index);
        let done = translated.sentences.get(&index);
        json!({
            "index": index,
            "paragraph": sentence.paragraph,
            "source": source,
            "target": target,
            "confidence": done.and_then(|done| done.translation.confidence()),
            "flags": done.map(|done| &done.translation.flags),
        })
    };
    sentences.map(row).collect()
}

pub(super) async fn download(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Answered {
    downloaded(&service, &id)
}
