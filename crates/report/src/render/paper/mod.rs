//! Layout of PDF pages.

pub(in crate::render) mod columns;
pub(in crate::render) mod grid;
pub(in crate::render) mod layout;
pub(in crate::render) mod pages;
pub(in crate::render) mod pdf;
pub(in crate::render) mod pen;
mod piece;
pub(in crate::render) mod tags;
