//! The address of another machine.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::Error;

/// The default port of `canopy serve --compute`.
const PORT: u16 = 8600;

/// Host and port, such as `workstation:8600`. Copies name the same text, which stays in memory: there are few.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RemoteHost(&'static str);

impl RemoteHost {
    /// Host and port.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// Whether it is this machine, perhaps by a tunnel.
    pub fn is_loopback(self) -> bool {
        let host = self.0.rsplit_once(':').map_or(self.0, |(host, _)| host);
        let address = host.trim_start_matches('[').trim_end_matches(']');
        let address = address.parse::<std::net::IpAddr>();
        host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
    }
}

impl fmt::Display for RemoteHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl FromStr for RemoteHost {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let refuse = || Error::RemoteAddress {
            address: text.to_owned(),
        };
        let trimmed = text.trim();
        let (host, port) = match trimmed.rsplit_once(':') {
            // An IPv6 address has colons itself.
            Some((host, port)) if !port.ends_with(']') => {
                (host, port.parse::<u16>().map_err(|_fault| refuse())?)
            }
            _ => (trimmed, PORT),
        };
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        let is_bracketed = host.starts_with('[') && host.ends_with(']');
        let is_plain = !is_bracketed && !host.is_empty() && host.bytes().all(is_host);
        if port == 0 || !(is_plain || is_bracketed && bare.parse::<std::net::Ipv6Addr>().is_ok()) {
            return Err(refuse());
        }
        Ok(Self(interned(format!("{host}:{port}"))))
    }
}

fn interned(text: String) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known.get(text.as_str()) {
        return known;
    }
    let text: &'static str = Box::leak(text.into_boxed_str());
    known.insert(text);
    text
}

impl Serialize for RemoteHost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for RemoteHost {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> Option<String> {
        let host: Result<RemoteHost, Error> = text.parse();
        host.ok().map(|host| host.to_string())
    }

    #[test]
    fn a_host_has_a_port() {
        assert_eq!(host("gpu").as_deref(), Some("gpu:8600"));
        assert_eq!(host("10.0.0.7:99").as_deref(), Some("10.0.0.7:99"));
        assert_eq!(host("[::1]").as_deref(), Some("[::1]:8600"));
        assert_eq!(host("[::1]:7").as_deref(), Some("[::1]:7"));
        for wrong in [
            "",
            ":8600",
            "gpu:",
            "gpu:0",
            "gpu:x",
            "http://gpu",
            "a b",
            "gpu/x",
            "::1",
            "u@gpu",
        ] {
            assert_eq!(host(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn this_machine_is_distinguished_from_others() {
        let is_loopback = |text: &str| text.parse::<RemoteHost>().expect("a host").is_loopback();
        assert!(is_loopback("localhost") && is_loopback("127.0.0.1:1") && is_loopback("[::1]"));
        assert!(!is_loopback("gpu") && !is_loopback("10.0.0.7"));
    }
}
