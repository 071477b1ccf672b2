//! Connections of clients: limited in number and in idle time.

use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Sleep, sleep, timeout};

/// Connections that are open at once; others wait until the system drops them.
const MOST_CONNECTIONS: usize = 512;

/// How long a client may take to say what it wants, also between two requests.
const HEADER_TIME: Duration = Duration::from_secs(15);

/// How long a client may read nothing of its answer.
const WRITE_TIME: Duration = Duration::from_secs(30);

/// How long requests may continue once the server is to end.
const CLOSING_TIME: Duration = Duration::from_secs(10);

/// Serves until it is stopped, and then finishes what is under way.
pub(super) async fn serve(listener: TcpListener, router: Router, mut stop: watch::Receiver<bool>) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            _ = stop.changed() => break,
        };
        let Ok((stream, _)) = accepted else {
            // No more files may be open: some will be closed.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        let (router, stop) = (router.clone(), stop.clone());
        connections.spawn(async move {
            let _place = place;
            connection(stream, router, stop).await;
        });
        while connections.try_join_next().is_some() {}
    }
    drop(listener);
    let all = async { while connections.join_next().await.is_some() {} };
    let _ = timeout(CLOSING_TIME, all).await;
}

/// The requests of one client, one after the other. If it leaves, what is done for it is dropped.
async fn connection(stream: TcpStream, router: Router, mut stop: watch::Receiver<bool>) {
    let _ = stream.set_nodelay(true);
    let io = TokioIo::new(Patient::new(stream, WRITE_TIME));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .serve_connection(io, TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    // How it ended is of no use to anybody.
    tokio::select! {
        _ = connection.as_mut() => {}
        _ = stop.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

/// A stream that ends if what is written is not read for a while.
struct Patient<S> {
    stream: S,
    limit: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    fn new(stream: S, limit: Duration) -> Self {
        Self {
            stream,
            limit,
            stalled: None,
        }
    }

    /// Passes on what became of a write, unless it has been waiting too long.
    fn watched<T>(
        &mut self,
        written: Poll<Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let limit = self.limit;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(limit)));
        match stalled.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(Error::from(ErrorKind::TimedOut))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, buffer);
        self.watched(written, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.watched(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    fn run(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        runtime.expect("a runtime").block_on(test);
    }

    #[test]
    fn who_reads_nothing_is_left_and_who_reads_slowly_is_not() {
        run(async {
            let (near, _far) = duplex(4);
            let mut patient = Patient::new(near, Duration::from_millis(30));
            let fault = patient.write_all(&[7; 64]).await.expect_err("nobody reads");
            assert_eq!(fault.kind(), ErrorKind::TimedOut);
            let (near, mut far) = duplex(4);
            let mut patient = Patient::new(near, Duration::from_millis(60));
            let reading = async {
                let mut four = [0; 4];
                for _ in 0..16 {
                    sleep(Duration::from_millis(10)).await;
                    far.read_exact(&mut four).await.expect("all is written");
                }
            };
            let (written, ()) = tokio::join!(patient.write_all(&[7; 64]), reading);
            written.expect("a client reads");
        });
    }
}
