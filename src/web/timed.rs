//! A connection whose client must accept each response within a time limit, even if it reads
//! slowly: the kernel's own limit (TCP_USER_TIMEOUT) restarts with every byte.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::connections::Stall;

/// The connection. A response is accepted when everything written so far is flushed; an event of a
/// stream is one, too.
pub struct TimedStream<S> {
    stream: S,
    limit: Duration,
    stall: Stall,
    /// The deadline for the data being written.
    until: Option<Pin<Box<Sleep>>>,
}

impl<S> TimedStream<S> {
    /// Limits a connection.
    pub fn new(stream: S, limit: Duration, stall: Stall) -> TimedStream<S> {
        TimedStream { stream, limit, stall, until: None }
    }

    /// The result of a write; an error after the deadline.
    fn within<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            return written;
        }
        self.stall.begin();
        let limit = self.limit;
        let until = self.until.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        ready!(until.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.within(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        if flushed.is_ready() {
            self.until = None;
            self.stall.end();
            return flushed;
        }
        self.within(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[test]
    fn a_client_that_reads_too_slowly_is_given_up_however_often_it_reads() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (server, mut client) = duplex(16);
            let limit = Duration::from_millis(200);
            let mut server = TimedStream::new(server, limit, Stall::default());
            let reads = async {
                let mut byte = [0; 1];
                while client.read(&mut byte).await.is_ok_and(|read| read > 0) {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            };
            let writes = async {
                // A short response is accepted, and the time limit starts again.
                server.write_all(&[0; 16]).await.unwrap();
                server.flush().await.unwrap();
                let long = server.write_all(&[0; 4096]).await;
                drop(server);
                long.unwrap_err().kind()
            };
            let (kind, ()) = tokio::join!(writes, reads);
            assert_eq!(kind, io::ErrorKind::TimedOut);
        });
    }
}
