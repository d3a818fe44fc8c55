//! A toy figure: a disc for each step.

use dyno::chart::{self, Chart, OfStep, Palette, Plot, StepDrawing};

pub fn add() {
    chart::OF_STEP.add(OfStep { section: "results", figures });
}

fn figures(drawing: &StepDrawing<'_>) -> Vec<Chart> {
    let name = &drawing.step.name;
    vec![Chart::of_step(name, "disc", Disc(name.clone()))]
}

struct Disc(String);

impl Plot for Disc {
    fn caption(&self) -> String {
        format!("a disc for {}", self.0)
    }

    fn svg(&self, palette: &Palette) -> String {
        let circle = format!("<circle cx=\"50\" cy=\"50\" r=\"40\" fill=\"{}\"/>", palette.of(0));
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100 100\">{circle}</svg>")
    }
}
