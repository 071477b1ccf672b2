//! `canopy serve --compute` and its client: what comes back is what this machine would have found.

mod proxy;
mod refusals;
mod training;
mod translating;

use crate::support::{desk, tiny};

use std::net::SocketAddr;
use std::path::Path;

use canopy::inference::{DeviceChoice, Translation, Translator};
use canopy::remote::RemoteHost;
use canopy::search::SearchOptions;
use canopy::server::{ComputeOptions, Computing};
use canopy::text::document::{Document, Format};
use tempfile::TempDir;

/// A server that computes on the CPU, with a store that is there as long as this.
pub struct Machine {
    pub store: TempDir,
    pub server: Option<Computing>,
    pub address: SocketAddr,
}

pub fn options(store: &Path) -> ComputeOptions {
    ComputeOptions {
        address: ([127, 0, 0, 1], 0).into(),
        key: Some("open sesame".to_owned()),
        max_body_bytes: 10_000_000,
        max_waiting: 16,
        max_models: 2,
        device: DeviceChoice::Cpu,
        store: store.to_owned(),
        most_stored_bytes: 1 << 30,
    }
}

impl Machine {
    pub fn start() -> Self {
        let store = tempfile::tempdir().expect("a folder");
        let server = Computing::start(&options(store.path())).expect("it starts");
        let machine = Self {
            store,
            address: server.address(),
            server: Some(server),
        };
        canopy::remote::set_key(machine.host(), "open sesame");
        machine
    }

    pub fn host(&self) -> RemoteHost {
        host(self.address)
    }

    /// Ends it, and begins it again at the same address.
    pub fn restart(&mut self) {
        self.stop();
        let options = ComputeOptions {
            address: self.address,
            ..options(self.store.path())
        };
        self.server = Some(Computing::start(&options).expect("it starts again"));
    }

    pub fn stop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop();
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.stop();
    }
}

pub fn host(address: SocketAddr) -> RemoteHost {
    address.to_string().parse().expect("a host")
}

pub fn open(folder: &Path, device: DeviceChoice) -> Translator {
    Translator::open(folder, device).expect("a model")
}

/// A document of `count` different sentences.
pub fn document(num: usize) -> Document {
    let pairs = tiny::pairs();
    let sentence = |number: usize| {
        let (source, _) = &pairs[number % pairs.len()];
        format!("<p>{source} <b>Number</b> {number} is here.</p>")
    };
    let page: Vec<String> = (0..num).map(sentence).collect();
    Document::parse("page", Format::Html, page.join("\n")).expect("a page")
}

pub fn translated(translator: &Translator, document: &Document) -> Vec<Option<Translation>> {
    let all: Vec<usize> = (0..document.sentences.len()).collect();
    let mut found = vec![None; all.len()];
    let options = SearchOptions::default();
    let done = translator.translate(document, &all, &options, &mut |index, translation| {
        assert!(found[index].replace(translation).is_none(), "reported once");
        std::ops::ControlFlow::Continue(())
    });
    done.expect("translated");
    found
}
