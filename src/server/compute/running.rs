//! A server that computes, from its start to its end.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use super::jobs::Jobs;
use super::routes::{Shared, router};
use super::store::Store;
use super::trainings::ComputeTrainings;
use super::worker::Worker;
use crate::access::Access;
use crate::error::{BaseError, Error, Result};
use crate::running::Http;
use canopy_train::DeviceLock;
use canopy_translate::inference::{ComputeDevice, DeviceChoice};
use canopy_translate::remote::Description;

/// Settings of a server that computes.
#[derive(Debug, Clone)]
pub struct ComputeOptions {
    /// Port 0 picks a free port.
    pub address: SocketAddr,
    /// Key that every client needs, if there is one.
    pub key: Option<String>,
    /// Maximum bytes of a request; files of models and corpora may be larger.
    pub max_body_bytes: usize,
    /// Searches and traces that wait or are at work, at most.
    pub max_waiting: usize,
    /// Models that are kept open.
    pub max_models: usize,
    /// The device that computes.
    pub device: DeviceChoice,
    /// Where what is sent is kept, and the trainings.
    pub store: PathBuf,
    /// Maximum bytes of the files there.
    pub most_stored_bytes: u64,
}

/// A server that runs.
#[derive(Debug)]
pub struct Computing {
    http: Http,
    shared: Arc<Shared>,
    worker: JoinHandle<()>,
}

impl Computing {
    /// Begins to serve, and continues with trainings that a server before it has left.
    ///
    /// # Errors
    /// If the address cannot be bound, others could reach it without a key, or nothing can be written in its store.
    pub fn start(options: &ComputeOptions) -> Result<Self> {
        if !options.address.ip().is_loopback() && options.key.is_none() {
            return Err(Error::NeedsKey {
                address: options.address,
            });
        }
        // What it is called is all that is needed of it here.
        let device = ComputeDevice::open(options.device)?.name;
        let store = Arc::new(Store::open(&options.store, options.most_stored_bytes)?);
        let device_lock = DeviceLock::default();
        let trainings = ComputeTrainings::open(store.trainings(), options.device, &device_lock)?;
        let (sender, inbox) = channel();
        let shared = Arc::new(Shared {
            access: Access::new(options.key.as_deref()),
            description: Description { device },
            store: Arc::clone(&store),
            jobs: Jobs::new(options.max_waiting),
            trainings,
            max_body_bytes: options.max_body_bytes,
            work: Mutex::new(Some(sender)),
            room: Shared::room(),
        });
        let routes = router(Arc::clone(&shared));
        let http = Http::start(options.address, move |_| routes)?;
        let worker = Worker {
            store,
            device: options.device,
            most: options.max_models,
            device_lock,
            open: Vec::new(),
        };
        let thread = std::thread::Builder::new().name("compute".to_owned());
        let worker = thread
            .spawn(move || worker.run(&inbox))
            .map_err(|cause| Error::Base(BaseError::Thread { cause }))?;
        Ok(Self {
            http,
            shared,
            worker,
        })
    }

    /// Returns the address that the server listens at.
    pub fn address(&self) -> SocketAddr {
        self.http.address()
    }

    /// Ends: a search under way is ended after its batch, a training after a checkpoint, from which the next server continues.
    pub fn stop(self) {
        self.shared.trainings.leave();
        self.http.stop();
        self.shared.close();
        self.shared.jobs.cancel_all();
        let _ = self.worker.join();
    }
}
