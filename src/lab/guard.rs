//! stand-in until merge
use crate::base::error::Result;
use crate::plan::Place;
pub fn pass(_p: &Place, _e: bool, _w: bool) -> Result<()> {
    Ok(())
}
pub fn holds(_p: &Place, _f: &std::path::Path) -> Result<bool> {
    Ok(false)
}
