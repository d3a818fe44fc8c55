//! The server: one thread, a bounded number of connections, and time limits for clients.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use super::ALL;
use super::connections::{ClientAddress, ConnectionSlot, Connections};
use super::page::PageFailure;
use super::security::hosts::Hosts;
use super::security::token::{BrowserSession, Token, VARIABLE};
use super::security::{Gatekeeper, watch};
use super::site::{CLIENT, MADE_AT_ONCE, ServedFolder};
use super::timed::TimedStream;
use crate::base::error::{Context, Result, refused};

/// Time limit for a request head, after which its connection is closed; also for an idle one.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// Time limit for a client to accept a whole response, after which its connection is closed.
const TAKEN_WITHIN: Duration = Duration::from_secs(20);
/// Maximum size of a head, and of a single read.
const MOST_HEAD: usize = 32 << 10;
const MOST_HEADERS: usize = 64;

/// The server's address and access control.
pub struct ServerOptions {
    /// Address and port; port 0 selects any free one.
    pub listen: SocketAddr,
    /// Required at every address except loopback.
    pub token: Option<Token>,
    /// Permitted host names, in addition to its addresses and `localhost`.
    pub allowed_hosts: Vec<String>,
}

/// A server that listens but does not respond yet.
pub struct BoundServer {
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
}

impl BoundServer {
    /// Listens; refused at an address that others can reach without a token.
    pub fn bind(site: ServedFolder, options: ServerOptions) -> Result<BoundServer> {
        let listen = options.listen;
        if !listen.ip().is_loopback() && options.token.is_none() {
            let what = format!("{listen} can be reached from other hosts, but there is no token");
            let hint = format!("specify a file with one (--token-file), or set {VARIABLE}");
            return Err(refused(what, hint));
        }
        let listening = || format!("listening at {listen}");
        let listener = TcpListener::bind(listen).with_context(listening)?;
        listener.set_nonblocking(true).with_context(listening)?;
        let address = listener.local_addr().with_context(listening)?;
        let session =
            options.token.map(|token| BrowserSession::new(token, address.port())).transpose()?;
        let hosts = Hosts::of(address, options.allowed_hosts);
        let gatekeeper = Arc::new(Gatekeeper { hosts, session });
        let pages =
            ALL.iter().fold(Router::new(), |router, page| router.route(page.path, (page.route)()));
        let router = pages
            .fallback(|| async { PageFailure::NotFound })
            .layer(axum::middleware::from_fn_with_state(gatekeeper, watch))
            .with_state(Arc::new(site));
        Ok(BoundServer { listener, address, router })
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves on its own thread, until the result is dropped.
    pub fn start(self) -> Result<RunningServer> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(MADE_AT_ONCE)
            .build()
            .context("starting the server")?;
        let (stop, stopped) = oneshot::channel::<()>();
        let serve = move || {
            let _ = runtime.block_on(async {
                tokio::select! {
                    done = accept(self.listener, self.router) => done,
                    _ = stopped => Ok(()),
                }
            });
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new().name("dyno-web".to_string()).spawn(serve);
        Ok(RunningServer { stop: Some(stop), thread: Some(thread.context("starting the server")?) })
    }
}

/// An active server.
pub struct RunningServer {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl RunningServer {
    /// Returns when it ends on its own.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn accept(listener: TcpListener, router: Router) -> Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener).context("listening")?;
    let connections = Connections::default();
    loop {
        match listener.accept().await {
            Ok((stream, from)) => {
                let address = ClientAddress::of(from.ip());
                if let Some((slot, evicted)) = connections.slot(address) {
                    let talk = converse(stream, router.clone(), slot, evicted);
                    tokio::spawn(CLIENT.scope(address, talk));
                }
            }
            // An error of one client, or too many open files: open connections will be closed.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Serves one connection until it ends, or its slot is needed.
async fn converse(
    stream: TcpStream,
    router: Router,
    slot: ConnectionSlot,
    evicted: oneshot::Receiver<()>,
) {
    let _ = stream.set_nodelay(true);
    // Also for an unreachable host.
    let within_ms = TAKEN_WITHIN.as_millis() as u32;
    let _ = rustix::net::sockopt::set_tcp_user_timeout(&stream, within_ms);
    let stream = TimedStream::new(stream, TAKEN_WITHIN, slot.stall());
    let slot = Arc::new(slot);
    let answering = slot.clone();
    let pages = TowerToHyperService::new(router);
    let service = service_fn(move |request: Request<Incoming>| {
        let answer = answering.answer();
        let answered = pages.call(request.map(Body::new));
        async move { answered.await.map(|response| response.map(|body| answer.until_sent(body))) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .max_buf_size(MOST_HEAD)
        .max_headers(MOST_HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        _ = connection => {}
        _ = evicted => {}
    }
    drop(slot);
}
