//! A connection to PostgreSQL: the library logs in, then Dyno uses the socket directly.

use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Builder;
use tokio_postgres::config::Host;
use tokio_postgres::{Config, NoTls};

use super::super::stream::lost;
use super::error::of_library;
use dyno_core::measure::sql::{SqlError, SqlResult};

const PORT: u16 = 5432;

/// One that blocks.
pub enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl From<UnixStream> for Socket {
    fn from(stream: UnixStream) -> Socket {
        Socket::Unix(stream)
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Socket::Tcp(stream) => stream.as_fd(),
            Socket::Unix(stream) => stream.as_fd(),
        }
    }
}

/// Connects to the first host that answers, and logs in.
pub fn connect(config: &Config) -> SqlResult<Socket> {
    let mut last = SqlError::wrong("the connection string has no host");
    for (i, host) in config.get_hosts().iter().enumerate() {
        let ports = config.get_ports();
        let port = ports.get(i).or(ports.first()).copied().unwrap_or(PORT);
        match open(host, port) {
            Ok(socket) => return login(config, socket),
            Err(error) => last = lost(error),
        }
    }
    Err(last)
}

fn open(host: &Host, port: u16) -> std::io::Result<Socket> {
    Ok(match host {
        Host::Tcp(name) => {
            let stream = TcpStream::connect((name.as_str(), port))?;
            stream.set_nodelay(true)?;
            Socket::Tcp(stream)
        }
        Host::Unix(folder) => {
            Socket::Unix(UnixStream::connect(folder.join(format!(".s.PGSQL.{port}")))?)
        }
    })
}

/// The library keeps a second descriptor of the socket during login, and reads nothing after it.
/// Its end is dropped without notifying the server.
fn login(config: &Config, socket: Socket) -> SqlResult<Socket> {
    let runtime = Builder::new_current_thread().enable_io().build().map_err(lost)?;
    match &socket {
        Socket::Tcp(stream) => {
            stream.set_nonblocking(true).map_err(lost)?;
            let second = stream.try_clone().map_err(lost)?;
            runtime.block_on(async {
                log_in(config, tokio::net::TcpStream::from_std(second).map_err(lost)?).await
            })?;
            stream.set_nonblocking(false).map_err(lost)?;
        }
        Socket::Unix(stream) => {
            stream.set_nonblocking(true).map_err(lost)?;
            let second = stream.try_clone().map_err(lost)?;
            runtime.block_on(async {
                log_in(config, tokio::net::UnixStream::from_std(second).map_err(lost)?).await
            })?;
            stream.set_nonblocking(false).map_err(lost)?;
        }
    }
    Ok(socket)
}

async fn log_in(config: &Config, stream: impl AsyncRead + AsyncWrite + Unpin) -> SqlResult<()> {
    config.connect_raw(stream, NoTls).await.map(drop).map_err(of_library)
}
