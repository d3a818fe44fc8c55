//! stub
pub mod theme {
    pub const COLOURS: [&str; 8] =
        ["#0b5cad", "#e07b00", "#2a9d60", "#8a4fbf", "#c0392b", "#16a2b8", "#7f8c2d", "#555555"];
}
pub fn png(_svg: &str, _s: f32) -> crate::base::error::Result<Vec<u8>> {
    Ok(Vec::new())
}
pub mod bars {
    pub struct Bar {
        pub value: f64,
        pub low: f64,
        pub high: f64,
    }
    pub struct BarSeries {
        pub name: String,
        pub values: Vec<Option<Bar>>,
    }
    pub struct GroupedBars {
        pub title: String,
        pub subtitle: String,
        pub x_label: String,
        pub y_label: String,
        pub groups: Vec<String>,
        pub series: Vec<BarSeries>,
    }
    impl GroupedBars {
        pub fn svg(&self) -> String {
            format!("<svg viewBox='0 0 600 360'><text y='40'>{}</text></svg>", self.title)
        }
    }
}
pub mod curve {
    pub struct CurvePoint {
        pub x: f64,
        pub y: f64,
        pub label: String,
        pub low: f64,
        pub high: f64,
    }
    pub struct CurveSeries {
        pub name: String,
        pub points: Vec<CurvePoint>,
    }
    pub struct Curve {
        pub title: String,
        pub subtitle: String,
        pub x_label: String,
        pub y_label: String,
        pub log_y: bool,
        pub series: Vec<CurveSeries>,
    }
    impl Curve {
        pub fn svg(&self) -> String {
            format!("<svg viewBox='0 0 600 360'><text y='40'>{}</text></svg>", self.title)
        }
    }
}
