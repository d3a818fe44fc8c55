//! `dyno serve`: web pages of the bundles in a folder.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use crate::base::error::Result;
use crate::web::security::hosts;
use crate::web::security::token::Token;
use crate::web::{BoundServer, ServedFolder, ServerOptions};

/// The folder, and the server's settings.
#[derive(Args)]
pub struct ServeArgs {
    /// Folder of bundles, searched recursively; or a single bundle
    #[arg(default_value = ".")]
    folder: PathBuf,
    #[command(flatten)]
    listen: ListenOptions,
}

/// The server's address and access control.
#[derive(Args)]
pub struct ListenOptions {
    /// Address and port to listen on; port 0 selects a free port. An address other than loopback
    /// requires a token
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7070")]
    pub listen: SocketAddr,
    /// File with the token that clients must present; only you may have permission to read it
    /// [default: the environment variable DYNO_TOKEN, if set]
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Additional host name by which browsers may address the server; repeatable
    #[arg(long, value_name = "NAME", value_parser = hosts::name)]
    pub allowed_host: Vec<String>,
}

impl ListenOptions {
    /// The same for the server.
    pub fn options(&self) -> Result<ServerOptions> {
        let token = match &self.token_file {
            Some(path) => Some(Token::of_file(path)?),
            None => Token::of_environment()?,
        };
        Ok(ServerOptions { listen: self.listen, token, allowed_hosts: self.allowed_host.clone() })
    }
}

/// Serves until interrupted.
pub fn serve(args: &ServeArgs, out: &mut dyn Write) -> Result<()> {
    let site = match args.folder.is_file() {
        true => ServedFolder::of_bundle(&args.folder)?,
        false => ServedFolder::of_folder(&args.folder)?,
    };
    let server = BoundServer::bind(site, args.listen.options()?)?;
    let address = server.address();
    let running = server.start()?;
    writeln!(out, "http://{address}/")?;
    out.flush()?;
    running.wait();
    Ok(())
}
