//! Fields of a request, from its address and its body: JSON, a form, or a form with a file.

use std::collections::HashMap;
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{HeaderMap, StatusCode, header};
use futures_lite::StreamExt;
use serde_json::Value;

use super::refusal::Refusal;
use super::service::Service;

/// A file that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Upload {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The fields of a request.
#[derive(Debug, Default)]
pub(super) struct Fields {
    values: HashMap<String, Value>,
    pub file: Option<Upload>,
}

impl Fields {
    /// Reads a request and checks its key, which may be in any of its fields.
    ///
    /// # Errors
    /// If it is too large, comes too slowly, is damaged, or lacks the key.
    pub(crate) async fn read(service: &Service, request: Request) -> Result<Self, Refusal> {
        service.access.check_headers(request.headers())?;
        let headers = request.headers().clone();
        let mut fields = Self::from_query(request.uri().query().unwrap_or_default());
        let kind = kind(&headers);
        if !kind.is_empty() {
            let (parts, body) = request.into_parts();
            let (bytes, _room) = service.body(&headers, body).await?;
            match kind.as_str() {
                "application/json" => fields.add_json(&bytes)?,
                "application/x-www-form-urlencoded" => fields.add_form(&bytes),
                "multipart/form-data" => {
                    let request = Request::from_parts(parts, Body::from(bytes));
                    fields.add_parts(request).await?;
                }
                other => {
                    return Err(Refusal::new(
                        StatusCode::UNSUPPORTED_MEDIA_TYPE,
                        format!(
                            "a body is application/json, a form or multipart/form-data, not {other}"
                        ),
                    ));
                }
            }
        }
        let key = fields.text("api_key").or_else(|| fields.text("tokenCode"));
        service.access.check(&headers, key.as_deref())?;
        Ok(fields)
    }

    fn from_query(query: &str) -> Self {
        let mut fields = Self::default();
        fields.add_form(query.as_bytes());
        fields
    }

    fn add_form(&mut self, bytes: &[u8]) {
        let mut form = HashMap::new();
        for (name, value) in form_urlencoded::parse(bytes) {
            add(&mut form, name.into_owned(), value.into_owned());
        }
        self.values.extend(form);
    }

    fn add_json(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        // What the parser says could quote the text.
        let value = serde_json::from_slice(bytes).map_err(|fault| {
            Refusal::wrong(format!(
                "Invalid JSON format at line {}, column {}",
                fault.line(),
                fault.column()
            ))
        })?;
        match value {
            Value::Object(object) => self.values.extend(object),
            // A bare list is what OPUS-CAT's clients send.
            Value::Array(_) => {
                self.values.insert(BARE_LIST.to_owned(), value);
            }
            _ => return Err(Refusal::wrong("Invalid JSON format")),
        }
        Ok(())
    }

    async fn add_parts(&mut self, request: Request) -> Result<(), Refusal> {
        let damaged = || Refusal::wrong("Invalid request: the form with the file is damaged");
        let mut parts = Multipart::from_request(request, &())
            .await
            .map_err(|_fault| damaged())?;
        let mut form = HashMap::new();
        while let Some(part) = parts.next_field().await.map_err(|_fault| damaged())? {
            let name = part.name().unwrap_or_default().to_owned();
            let file = part.file_name().map(base_name);
            let bytes = part.bytes().await.map_err(|_fault| damaged())?;
            if let Some(name) = file {
                let bytes = bytes.to_vec();
                self.file = Some(Upload { name, bytes });
            } else {
                add(
                    &mut form,
                    name,
                    String::from_utf8_lossy(&bytes).into_owned(),
                );
            }
        }
        self.values.extend(form);
        Ok(())
    }

    /// A field that is one text, or a number.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        match self.values.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// A text that has to be there.
    pub(crate) fn needed(&self, name: &str) -> Result<String, Refusal> {
        let text = self.text(name).filter(|text| !text.is_empty());
        text.ok_or_else(|| Refusal::missing(name))
    }

    /// A field that is a whole number, 0 if it is not there.
    pub(crate) fn number(&self, name: &str) -> Result<usize, Refusal> {
        match self.values.get(name) {
            None | Some(Value::Null) => Ok(0),
            Some(_) => {
                let number = self.text(name).and_then(|text| text.trim().parse().ok());
                number.ok_or_else(|| {
                    Refusal::wrong(format!("Invalid request: {name} parameter is not a number"))
                })
            }
        }
    }

    /// A field that says yes or no.
    pub(crate) fn flag(&self, name: &str, default: bool) -> bool {
        match self.values.get(name) {
            Some(Value::Bool(flag)) => *flag,
            Some(Value::String(text)) => match text.to_ascii_lowercase().as_str() {
                "true" | "1" => true,
                "false" | "0" => false,
                _ => default,
            },
            _ => default,
        }
    }

    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.values.get(name).filter(|value| !value.is_null())
    }

    /// The texts of a body that is a list.
    ///
    /// # Errors
    /// If something else than texts is in it.
    pub(crate) fn bare_list(&self) -> Result<Option<Vec<String>>, Refusal> {
        texts("the body", self.values.get(BARE_LIST))
    }

    /// Texts of a list.
    ///
    /// # Errors
    /// If something else than texts is in it.
    pub(crate) fn list(&self, name: &str) -> Result<Option<Vec<String>>, Refusal> {
        texts(name, self.values.get(name))
    }
}

/// The fields that a form may have several times: their values are a list.
const REPEATED: [&str; 1] = ["q"];

/// Adds a field of a form; of one that may occur only once, the last value counts.
fn add(form: &mut HashMap<String, Value>, name: String, text: String) {
    let text = Value::String(text);
    match form.get_mut(&name) {
        Some(Value::Array(values)) => values.push(text),
        Some(first) if REPEATED.contains(&name.as_str()) => {
            *first = Value::Array(vec![first.take(), text]);
        }
        _ => {
            form.insert(name, text);
        }
    }
}

/// The field under which a body that is a list is kept; no form can have it.
const BARE_LIST: &str = "\0";

/// The texts of a list; none if the value is no list.
fn texts(name: &str, value: Option<&Value>) -> Result<Option<Vec<String>>, Refusal> {
    let Some(values) = value.and_then(Value::as_array) else {
        return Ok(None);
    };
    let text = |(index, value): (usize, &Value)| {
        let kind = match value {
            Value::String(text) => return Ok(text.clone()),
            Value::Number(_) => "a number",
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        Err(Refusal::wrong(format!(
            "Invalid request: {name}[{index}] is {kind}, not a text"
        )))
    };
    let texts = values.iter().enumerate().map(text);
    texts.collect::<Result<_, _>>().map(Some)
}

/// The media type of a body, without its parameters; empty where there is none.
fn kind(headers: &HeaderMap) -> String {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let is_empty = text(header::CONTENT_LENGTH).is_none_or(|length| length == "0")
        && text(header::TRANSFER_ENCODING).is_none();
    if is_empty {
        return String::new();
    }
    let kind = text(header::CONTENT_TYPE).unwrap_or("application/x-www-form-urlencoded");
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// The last part of a name that may be a path of another system.
fn base_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_shown = |character: &char| !character.is_control();
    last.chars().filter(is_shown).take(200).collect()
}

/// How much of a body that is refused is read, and for how long: a client that is still sending would see the connection
/// break off in place of the answer.
const MOST_DRAINED: usize = 1 << 30;
const DRAIN_TIME: Duration = Duration::from_mins(1);
/// How long the next piece of such a body may take.
const PIECE_TIME: Duration = Duration::from_secs(2);

/// Reads the rest of a body that is refused, while its client gets the answer. One that waits for leave to send it does not
/// send it.
pub(super) fn drain(headers: &HeaderMap, stream: BodyDataStream) {
    if headers.contains_key(header::EXPECT) {
        return;
    }
    let mut stream = stream;
    let rest = async move {
        let mut read = 0;
        while let Ok(Some(Ok(chunk))) = tokio::time::timeout(PIECE_TIME, stream.next()).await {
            read += chunk.len();
            if read > MOST_DRAINED {
                break;
            }
        }
    };
    tokio::spawn(tokio::time::timeout(DRAIN_TIME, rest));
}

/// The bytes of a body, as far as they are allowed.
pub(super) async fn collected(
    headers: &HeaderMap,
    body: Body,
    limit: usize,
) -> Result<Bytes, Refusal> {
    let mut stream = body.into_data_stream();
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_fault| Refusal::wrong("the request broke off"))?;
        if bytes.len() + chunk.len() > limit {
            drain(headers, stream);
            return Err(Refusal::too_large(limit));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Bytes::from(bytes))
}
