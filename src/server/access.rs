//! Access control: everybody on this machine, or those who know the key.

use std::fmt::Write;

use axum::http::{HeaderMap, StatusCode, header};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::refusal::Refusal;
use crate::error::{BaseError, Error, Result};

/// A check of keys. Its time reveals neither how many bytes are right nor how many there are.
#[derive(Debug, Clone, Default)]
pub(super) struct Access {
    /// The hash of the key, if one is required.
    key: Option<[u8; 32]>,
}

impl Access {
    pub(crate) fn new(key: Option<&str>) -> Self {
        Self { key: key.map(hash) }
    }

    pub(crate) fn needs_key(&self) -> bool {
        self.key.is_some()
    }

    /// Whether a request may be met: its key is in its headers, or is `given` in its body or address.
    ///
    /// # Errors
    /// 401 without a key where one is needed, 403 with a wrong one.
    pub(crate) fn check(&self, headers: &HeaderMap, given: Option<&str>) -> Result<(), Refusal> {
        let Some(key) = &self.key else { return Ok(()) };
        let found = in_headers(headers).or_else(|| given.filter(|key| !key.is_empty()));
        let Some(found) = found else {
            return Err(Refusal::new(
                StatusCode::UNAUTHORIZED,
                "this server needs a key; get it from its operator, and send it as api_key or as Authorization: Bearer",
            ));
        };
        if bool::from(hash(found).ct_eq(key)) {
            return Ok(());
        }
        Err(Refusal::new(StatusCode::FORBIDDEN, "Invalid API key"))
    }

    /// Whether the headers alone say that the key is wrong, so that nothing more has to be read.
    pub(crate) fn check_headers(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        match in_headers(headers) {
            Some(_) => self.check(headers, None),
            None => Ok(()),
        }
    }
}

fn in_headers(headers: &HeaderMap) -> Option<&str> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = text(header::AUTHORIZATION.as_str()).and_then(|value| {
        let (scheme, key) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(key.trim())
    });
    bearer.or_else(|| text("x-api-key"))
}

fn hash(key: &str) -> [u8; 32] {
    Sha256::digest(key.as_bytes()).into()
}

/// A key that cannot be guessed.
///
/// # Errors
/// If the system's random number generator fails.
pub fn new_key() -> Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|cause| {
        Error::Base(BaseError::NoRandomNumbers {
            reason: cause.to_string(),
        })
    })?;
    Ok(bytes.iter().fold(String::new(), |mut key, byte| {
        // Writing to a string does not fail.
        let _ = write!(key, "{byte:02x}");
        key
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        let value = value.parse().expect("a header");
        HeaderMap::from_iter([(header::HeaderName::from_static(name), value)])
    }

    #[test]
    fn the_key_may_stand_in_a_header_or_in_the_request() {
        let access = Access::new(Some("open sesame"));
        let none = HeaderMap::new();
        let status = |found: Result<(), Refusal>| found.err().map(|refusal| refusal.status);
        assert_eq!(status(access.check(&none, Some("open sesame"))), None);
        for (name, value) in [
            ("authorization", "Bearer open sesame"),
            ("authorization", "bearer open sesame"),
            ("x-api-key", "open sesame"),
        ] {
            assert_eq!(status(access.check(&headers(name, value), None)), None);
        }
        let [missing, wrong] = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN];
        assert_eq!(status(access.check(&none, None)), Some(missing));
        assert_eq!(status(access.check(&none, Some(""))), Some(missing));
        for key in ["open", "open sesame ", "Open sesame", "x"] {
            assert_eq!(status(access.check(&none, Some(key))), Some(wrong), "{key}");
        }
        let basic = headers("authorization", "Basic open sesame");
        assert_eq!(status(access.check(&basic, None)), Some(missing));
        assert_eq!(status(access.check_headers(&none)), None);
        let other = headers("x-api-key", "x");
        assert_eq!(status(access.check_headers(&other)), Some(wrong));
        assert_eq!(status(Access::new(None).check(&other, None)), None);
    }

    #[test]
    fn keys_are_long_and_never_the_same() {
        let [one, other] = [new_key(), new_key()].map(|key| key.expect("random numbers"));
        assert_eq!(one.len(), 32);
        assert_ne!(one, other);
    }
}
