//! A toy exporter: the form `lines`, one value per line.

use std::io::Write;

use dyno::base::error::Result;
use dyno::export::{self, Column, ExportForm, RowSink, ExportValue};

struct Lines;

pub fn add() {
    export::FORMS.add(&Lines);
}

impl ExportForm for Lines {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn writer<'a>(
        &self,
        columns: &[Column],
        out: Box<dyn Write + Send + 'a>,
    ) -> Result<Box<dyn RowSink + 'a>> {
        Ok(Box::new(OneALine { names: columns.iter().map(|(name, _)| *name).collect(), out }))
    }
}

struct OneALine<'a> {
    names: Vec<&'static str>,
    out: Box<dyn Write + Send + 'a>,
}

impl RowSink for OneALine<'_> {
    fn row(&mut self, values: Vec<ExportValue>) -> Result<()> {
        for (name, value) in self.names.iter().zip(values) {
            writeln!(self.out, "{name}: {value:?}")?;
        }
        Ok(())
    }

    fn end(mut self: Box<Self>) -> Result<()> {
        Ok(self.out.flush()?)
    }
}
