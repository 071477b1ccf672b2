//! A server from its start to its end.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;

use axum::Router;
use tokio::sync::watch;

use super::connections::serve;
use super::languages::Library;
use super::models::Models;
use super::queue::Queue;
use super::routes::router;
use super::service::Service;
use super::worker::work;
use crate::error::{BaseError, Error, Result};
use canopy_kernels::packed::Quantization;
use canopy_translate::inference::{DeviceChoice, SearchOptions};

/// Settings of a server.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Port 0 picks a free port.
    pub address: SocketAddr,
    /// Key that every client needs, if there is one.
    pub key: Option<String>,
    /// Maximum bytes of a request.
    pub max_body_bytes: usize,
    /// Maximum number of queued and running requests.
    pub max_waiting: usize,
    /// Maximum time of a request.
    pub request_secs: u64,
    /// Models that are kept open.
    pub max_models: usize,
    /// Number of hypotheses that a search keeps.
    pub beam_size: usize,
    /// The device that computes.
    pub device: DeviceChoice,
    /// Weight precision of searches; `None` for each model's own.
    pub quantization: Option<Quantization>,
}

impl ServerOptions {
    /// Whether only programs on this machine can reach it.
    pub fn is_local(&self) -> bool {
        self.address.ip().is_loopback()
    }
}

/// A server that runs.
#[derive(Debug)]
pub struct Running {
    queue: Arc<Queue>,
    http: Http,
    worker: JoinHandle<()>,
}

/// The thread that speaks HTTP.
#[derive(Debug)]
pub(super) struct Http {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl Http {
    /// Listens at an address; `router` learns which one it is.
    ///
    /// # Errors
    /// [`Error::Serve`] if the address cannot be bound.
    pub(crate) fn start(
        address: SocketAddr,
        router: impl FnOnce(SocketAddr) -> Router,
    ) -> Result<Self> {
        let failed = |cause| Error::Serve { address, cause };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(failed)?;
        let (stop, stopped) = watch::channel(false);
        let router = router(address);
        let thread = std::thread::Builder::new().name("http".to_owned());
        let thread = thread.spawn(move || {
            runtime.block_on(async {
                // Made of a listener that works, in a running runtime.
                if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                    serve(listener, router, stopped).await;
                }
            });
        });
        Ok(Self {
            address,
            stop,
            thread: thread.map_err(failed)?,
        })
    }

    /// Returns the address that the server listens at.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Rejects new connections, and answers what is under way.
    pub(crate) fn stop(self) {
        let _ = self.stop.send(true);
        // A panic there has been reported.
        let _ = self.thread.join();
    }
}

impl Running {
    /// Begins to serve.
    ///
    /// # Errors
    /// [`Error::Serve`] if the address cannot be bound; [`Error::NeedsKey`] if others could reach it without a key.
    pub fn start(options: &ServerOptions, library: Library) -> Result<Self> {
        if !options.is_local() && options.key.is_none() {
            return Err(Error::NeedsKey {
                address: options.address,
            });
        }
        let queue = Arc::new(Queue::new(options.max_waiting));
        let jobs = Arc::clone(&queue);
        let http = Http::start(options.address, |address| {
            let place = format!("http://{address}");
            router(Arc::new(Service::new(options, library, jobs, place)))
        })?;
        let models = Models::new(options.device, options.quantization, options.max_models);
        let search = SearchOptions {
            beam_size: options.beam_size,
            ..SearchOptions::default()
        };
        let jobs = Arc::clone(&queue);
        let worker = std::thread::Builder::new().name("translations".to_owned());
        let worker = worker.spawn(move || work(&jobs, models, &search));
        Ok(Self {
            queue,
            http,
            worker: worker.map_err(|cause| Error::Base(BaseError::Thread { cause }))?,
        })
    }

    /// Returns the address that the server listens at.
    pub fn address(&self) -> SocketAddr {
        self.http.address()
    }

    /// Ends in order: new connections are rejected, requests under way are answered, then the models are closed.
    pub fn stop(self) {
        self.http.stop();
        self.queue.close();
        let _ = self.worker.join();
    }
}
