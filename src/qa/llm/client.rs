//! A server that speaks the interface of OpenAI.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use ureq::http::Response;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};
use ureq::{Agent, Body, RequestBuilder};

use crate::error::{Error, Result};

/// Bytes of an answer, at most: no sentence is longer.
const MOST_BYTES: u64 = 4 << 20;

/// The beginning of an encrypted address.
const ENCRYPTED: &str = "https://";

/// The address of a server, and the name of its large language model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Such as `http://localhost:11434/v1`.
    address: String,
    model: String,
    /// Sent as a bearer token, if there is one.
    key: Option<Key>,
    /// How long one answer may take.
    timeout: Duration,
}

/// A key, which no message shows.
#[derive(Clone, PartialEq, Eq)]
struct Key(String);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Tokens that a model has read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens read.
    pub prompt_tokens: usize,
    /// Tokens written.
    pub completion_tokens: usize,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.prompt_tokens += other.prompt_tokens;
        self.completion_tokens += other.completion_tokens;
    }
}

/// A turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// `system`, `user` or `assistant`.
    pub role: &'static str,
    /// Its text.
    pub content: String,
}

impl Message {
    pub(super) fn system(content: String) -> Self {
        let role = "system";
        Self { role, content }
    }

    pub(super) fn user(content: String) -> Self {
        let role = "user";
        Self { role, content }
    }

    pub(super) fn assistant(content: String) -> Self {
        let role = "assistant";
        Self { role, content }
    }
}

impl Endpoint {
    /// An endpoint at the address of a server or of its interface, with `/v1` after it or not.
    ///
    /// # Errors
    /// [`Error::LlmAddress`] if it is no address of HTTP or HTTPS.
    pub fn new(address: &str, model: &str, key: Option<String>, timeout: Duration) -> Result<Self> {
        let address = address.trim().trim_end_matches('/');
        let plain = address.strip_prefix("http://");
        let host = plain.or_else(|| address.strip_prefix(ENCRYPTED));
        let host = host.unwrap_or_default();
        if host.is_empty() || host.starts_with('/') || host.contains(char::is_whitespace) {
            return Err(Error::LlmAddress {
                address: address.to_owned(),
            });
        }
        // Servers differ in what precedes it, but all have this last.
        let address = if host.contains('/') {
            address.to_owned()
        } else {
            format!("{address}/v1")
        };
        Ok(Self {
            address,
            model: model.to_owned(),
            key: key.map(Key),
            timeout,
        })
    }

    /// The name of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the model's reply to a conversation.
    ///
    /// # Errors
    /// [`Error::Llm`] if the server cannot be reached, does not answer in time, or answers something else.
    pub fn answer(&self, messages: &[Message]) -> Result<(String, Usage)> {
        let request = json!({
            "model": self.model,
            "messages": messages,
            "temperature": 0,
            "stream": false,
        });
        let reply = self.post(&request)?;
        let content = reply["choices"][0]["message"]["content"].as_str();
        let content = content
            .ok_or_else(|| self.failed("it answers with something else than a chat completion"))?;
        let usage = serde_json::from_value(reply["usage"].clone()).unwrap_or_default();
        Ok((content.to_owned(), usage))
    }

    /// The models that the server has, by their names.
    ///
    /// # Errors
    /// [`Error::Llm`] as above.
    pub fn models(&self) -> Result<Vec<String>> {
        let request = self.agent().get(format!("{}/models", self.address));
        let reply = self.reply(self.with_key(request).call())?;
        let models = reply["data"].as_array();
        let models = models.ok_or_else(|| self.failed("it does not list its models"))?;
        let names = models.iter().filter_map(|model| model["id"].as_str());
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort();
        Ok(names)
    }

    fn agent(&self) -> Agent {
        let config = Agent::config_builder()
            .timeout_global(Some(self.timeout))
            .http_status_as_error(false)
            // The user has named this address and no other.
            .max_redirects(0);
        if !self.address.starts_with(ENCRYPTED) {
            return Agent::new_with_config(config.proxy(None).build());
        }
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        // A proxy of the environment carries it without reading it.
        Agent::new_with_config(config.tls_config(tls).https_only(true).build())
    }

    fn with_key<B>(&self, request: RequestBuilder<B>) -> RequestBuilder<B> {
        match &self.key {
            Some(Key(key)) => request.header("Authorization", format!("Bearer {key}")),
            None => request,
        }
    }

    fn post(&self, body: &Value) -> Result<Value> {
        let request = self
            .agent()
            .post(format!("{}/chat/completions", self.address))
            .header("Content-Type", "application/json");
        self.reply(self.with_key(request).send(body.to_string()))
    }

    /// Returns the server's response.
    fn reply(&self, answer: Result<Response<Body>, ureq::Error>) -> Result<Value> {
        let mut answer = answer.map_err(|fault| self.failed(&reason(&fault, self.timeout)))?;
        let status = answer.status();
        let bytes = answer
            .body_mut()
            .with_config()
            .limit(MOST_BYTES)
            .read_to_vec();
        let bytes = bytes.map_err(|fault| self.failed(&reason(&fault, self.timeout)))?;
        let reply: Option<Value> = serde_json::from_slice(&bytes).ok();
        if !status.is_success() {
            let said = reply.as_ref().and_then(|reply| {
                let error = &reply["error"];
                error["message"].as_str().or(error.as_str())
            });
            let said = said.map_or_else(String::new, |said| format!(": {said}"));
            return Err(self.failed(&format!("it answers {}{said}", status.as_u16())));
        }
        reply.ok_or_else(|| self.failed("it answers with something else than JSON"))
    }

    fn failed(&self, reason: &str) -> Error {
        Error::Llm {
            reason: reason.to_owned(),
            address: self.address.clone(),
        }
    }
}

fn reason(fault: &ureq::Error, timeout: Duration) -> String {
    match fault {
        ureq::Error::Timeout(_) => format!("it does not answer within {} s", timeout.as_secs_f32()),
        ureq::Error::Io(cause) if cause.kind() == std::io::ErrorKind::ConnectionRefused => {
            "nobody answers (is the server running?)".to_owned()
        }
        ureq::Error::HostNotFound => "there is no such host".to_owned(),
        other => other.to_string(),
    }
}
