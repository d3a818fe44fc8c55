//! Dyno's own files and folders, held open by descriptor and locked.

pub mod beneath;
pub mod data;
pub mod feed;
pub(in crate::lab) mod file_state;
pub mod files;
pub mod lock;
pub mod pin;
