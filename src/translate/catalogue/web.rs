//! Requests to hosts of catalogues: HTTPS with the roots of the system, proxies by the usual variables, redirects that stay
//! encrypted, times within which something comes.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use ureq::http::{Response, StatusCode};
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};
use ureq::{Agent, Body};

/// How long it may take to be connected.
const CONNECT_TIME: Duration = Duration::from_secs(15);

/// How long nothing may come.
const READ_TIME: Duration = Duration::from_secs(30);

/// How long a list may take as a whole.
const LIST_TIME: Duration = Duration::from_mins(2);

const MOST_REDIRECTS: u32 = 8;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// Another attempt may help.
    Lost(String),
    /// None will.
    Final(String),
}

impl Fault {
    pub(crate) fn reason(self) -> String {
        match self {
            Self::Lost(reason) | Self::Final(reason) => reason,
        }
    }
}

/// Where a file continues, and what has to be unchanged there.
#[derive(Debug, Clone, Copy)]
pub(super) struct From<'a> {
    pub offset: u64,
    pub validator: Option<&'a str>,
}

/// Whether an address that a list of `list` names is followed: an encrypted list does not lead to one without encryption.
///
/// # Errors
/// The reason if it is not.
pub(super) fn check_step(list: &str, address: &str) -> Result<(), String> {
    if is_encrypted(list) && !is_encrypted(address) {
        return Err(format!("its address {address} is not one of https"));
    }
    Ok(())
}

/// The content at an address, at most `most` bytes.
pub(super) fn read(address: &str, most: u64) -> Result<Vec<u8>, Fault> {
    let mut answer = request(address, None, Some(LIST_TIME))?;
    refuse_failure(&answer)?;
    let mut bytes = Vec::new();
    let body = answer.body_mut().as_reader();
    let read = body.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|cause| reading_fault(&cause))?;
    if bytes.len() as u64 > most {
        return Err(Fault::Final(format!("it sends more than {most} bytes")));
    }
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return unpacked(&bytes, most);
    }
    Ok(bytes)
}

fn unpacked(bytes: &[u8], most: u64) -> Result<Vec<u8>, Fault> {
    let mut all = Vec::new();
    let read = flate2::read::MultiGzDecoder::new(bytes)
        .take(most + 1)
        .read_to_end(&mut all);
    match read {
        Ok(count) if count as u64 <= most => Ok(all),
        Ok(_) => Err(Fault::Final(format!(
            "it unpacks to more than {most} bytes"
        ))),
        Err(cause) => Err(Fault::Final(format!("its gzip data are damaged ({cause})"))),
    }
}

/// Requests a file, from its beginning or from somewhere in it; what answers may be the whole file all the same.
pub(super) fn open(address: &str, from: Option<From<'_>>) -> Result<Response<Body>, Fault> {
    let answer = request(address, from, None)?;
    if answer.status() != StatusCode::RANGE_NOT_SATISFIABLE {
        refuse_failure(&answer)?;
    }
    Ok(answer)
}

fn request(
    address: &str,
    from: Option<From<'_>>,
    whole: Option<Duration>,
) -> Result<Response<Body>, Fault> {
    let mut request = agent(address, whole)
        .get(address)
        .header("Accept-Encoding", "identity");
    if let Some(From { offset, validator }) = from {
        request = request.header("Range", format!("bytes={offset}-"));
        if let Some(validator) = validator {
            request = request.header("If-Range", validator);
        }
    }
    request.call().map_err(|cause| request_fault(&cause))
}

fn agent(address: &str, whole: Option<Duration>) -> Agent {
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    let mut config = Agent::config_builder()
        .tls_config(tls)
        .https_only(is_encrypted(address))
        .max_redirects(MOST_REDIRECTS)
        .timeout_connect(Some(CONNECT_TIME))
        .timeout_recv_response(Some(READ_TIME))
        .timeout_per_read(Some(READ_TIME))
        .timeout_per_write(Some(READ_TIME))
        .timeout_global(whole)
        .http_status_as_error(false)
        .user_agent(concat!("canopy/", env!("CARGO_PKG_VERSION")));
    if is_this_machine(address) {
        config = config.proxy(None);
    }
    Agent::new_with_config(config.build())
}

fn is_encrypted(address: &str) -> bool {
    address
        .get(..8)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://"))
}

/// No proxy is between programs of one machine.
fn is_this_machine(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or(host);
    let is_of = |name: &str| {
        host.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    ["localhost", "127.0.0.1", "[::1]"].into_iter().any(is_of)
}

fn refuse_failure(answer: &Response<Body>) -> Result<(), Fault> {
    let status = answer.status();
    let code = status.as_u16();
    if status.is_success() {
        return Ok(());
    }
    Err(match code {
        404 | 410 => Fault::Final(format!("nothing is there (it answers {code})")),
        401 | 403 => Fault::Final(format!(
            "the host does not give it to everybody (it answers {code})"
        )),
        408 | 425 | 429 | 500..=599 => {
            Fault::Lost(format!("the host has trouble (it answers {code})"))
        }
        _ => Fault::Final(format!("it answers {code}")),
    })
}

fn request_fault(cause: &ureq::Error) -> Fault {
    match cause {
        ureq::Error::RequireHttpsOnly(to) => Fault::Final(format!(
            "it is redirected to an address without encryption, {to}"
        )),
        ureq::Error::TooManyRedirects => {
            Fault::Final(format!("it is redirected more than {MOST_REDIRECTS} times"))
        }
        ureq::Error::HostNotFound => no_host(),
        ureq::Error::Timeout(_) => Fault::Lost("the host does not answer in time".to_owned()),
        ureq::Error::Io(cause) => reading_fault(cause),
        ureq::Error::Rustls(cause) => untrusted(cause),
        ureq::Error::ConnectionFailed => Fault::Lost("the host cannot be reached".to_owned()),
        other => Fault::Final(other.to_string()),
    }
}

/// A certificate that the roots of the system do not vouch for, or something else than TLS.
fn untrusted(cause: &impl std::fmt::Display) -> Fault {
    Fault::Final(format!("the connection is not to be trusted ({cause})"))
}

fn no_host() -> Fault {
    let reason = "its host is not found (no connection to the internet?)";
    Fault::Lost(reason.to_owned())
}

pub(super) fn reading_fault(cause: &std::io::Error) -> Fault {
    let inner = cause
        .get_ref()
        .and_then(|it| it.downcast_ref::<ureq::Error>());
    match inner {
        Some(ureq::Error::Timeout(_)) => {
            Fault::Lost(format!("nothing comes for {} s", READ_TIME.as_secs()))
        }
        // The standard library has no kind for it.
        _ if cause.to_string().contains("lookup address") => no_host(),
        _ if cause.kind() == std::io::ErrorKind::InvalidData => untrusted(cause),
        _ => Fault::Lost(format!("the connection broke ({cause})")),
    }
}
