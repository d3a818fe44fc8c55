//! `dyno serve`: pages of a folder's bundles for browsers.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use crate::base::error::Result;
use crate::web::security::hosts;
use crate::web::security::token::Token;
use crate::web::{Options, Server, Site};

/// What is served, and where.
#[derive(Args)]
pub struct ServeArgs {
    /// Folder of bundles; folders within it are looked into. Or one bundle, alone
    #[arg(default_value = ".")]
    folder: PathBuf,
    #[command(flatten)]
    listen: ListenOptions,
}

/// Where a server listens, and what it asks for.
#[derive(Args)]
pub struct ListenOptions {
    /// Address and port to listen at; port 0 is any that is free. Every address but loopback needs
    /// a token
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7070")]
    pub listen: SocketAddr,
    /// File with a token that clients must know, readable by you alone [default: DYNO_TOKEN of the
    /// environment, where it is set]
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Host name by which browsers may address the server, besides its addresses and localhost;
    /// repeatable
    #[arg(long, value_name = "NAME", value_parser = hosts::name)]
    pub allowed_host: Vec<String>,
}

impl ListenOptions {
    /// The same for the server.
    pub fn options(&self) -> Result<Options> {
        let token = match &self.token_file {
            Some(path) => Some(Token::of_file(path)?),
            None => Token::of_environment()?,
        };
        Ok(Options { listen: self.listen, token, allowed_hosts: self.allowed_host.clone() })
    }
}

/// Serves until it is interrupted.
pub fn serve(args: &ServeArgs, out: &mut dyn Write) -> Result<()> {
    let site = match args.folder.is_file() {
        true => Site::of_bundle(&args.folder)?,
        false => Site::of_folder(&args.folder)?,
    };
    let server = Server::bind(site, args.listen.options()?)?;
    let address = server.address();
    let running = server.start()?;
    writeln!(out, "http://{address}/")?;
    out.flush()?;
    running.wait();
    Ok(())
}
