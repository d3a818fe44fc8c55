//! The worked examples of the pages on write cost, meters and power cuts, recomputed.

use dyno::analysis::cost::life::{joules_per_tb, price_per_tb_written, rated_bytes};
use dyno::analysis::facts::Life;
use dyno::plan::specification::{Price, Specification};
use dyno::stats::amplification::{Growth, ratio};
use dyno::stats::energy;
use dyno::stats::never_seen::{interval, upper_bound};

/// A page without line breaks.
fn page(name: &str) -> String {
    let path = format!("{}/docs/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn says(page: &str, words: &str) {
    assert!(page.contains(words), "'{words}' is not on the page");
}

#[test]
fn the_examples_of_the_page_on_write_cost_are_right() {
    let page = page("write-cost.md");
    let (host, media) = (100e6 * 20.0, 250e6 * 20.0);
    // Half of the change between two readings of the host's counter, at both ends.
    let open = 0.5 * 100e6 * 0.5 * 2.0;
    let growth = |bytes, resolution| Growth { bytes, resolution, seconds: 20.0 };
    let waf = ratio(growth(media, 0.0), growth(host, open)).unwrap();
    says(&page, &format!("u_host = 0.5 × 100 × 0.5 × 2 = {:.0} MB", open / 1e6));
    let (value, low, high) = (waf.value, waf.low, waf.high);
    says(&page, &format!("WAF = {value:.2}, between {low:.2} and {high:.2}"));

    let drive = Specification {
        capacity: Some("7.68TB".into()),
        endurance: Some("1 DWPD".into()),
        warranty: Some("5 years".into()),
        price: Some(Price {
            amount: 800.0,
            currency: "EUR".into(),
            date: "2026-11-22".into(),
            source: "a shop".into(),
        }),
        ..Specification::default()
    };
    let rated = rated_bytes(&drive);
    let life = Life::at(200e6, drive.bytes(), rated).unwrap();
    let dwpd = life.drive_writes_per_day.unwrap();
    says(&page, &format!("200 × 86,400 ÷ 7,680,000 = {dwpd:.2} DWPD"));
    assert_eq!(rated.map(|bytes| (bytes / 1e12).round()), Some(14_016.0));
    says(&page, &format!("14,016 ÷ (0.0002 × 86,400 × 365) = {:.2} years", life.years.unwrap()));
    let joules = dyno::base::units::grouped(joules_per_tb(12.0, 2e9).unwrap() as u64);
    says(&page, &format!("12 ÷ 0.002 = {joules} J/TB"));
    says(&page, &format!("{:.2} EUR per 1,000 ops/s", 800.0 / 500_000.0 * 1e3));
    says(&page, &format!("{:.3} EUR per TB", price_per_tb_written(&drive).unwrap()));
}

#[test]
fn the_example_of_the_page_on_meters_is_right() {
    let page = page("meters.md");
    let readings = [(0.0, 10.0), (1.0, 12.0), (2.0, 14.0), (3.0, 12.0)];
    let power = energy::over_late(&readings, Some(0.0), 0.0, 3.0).unwrap();
    let (joules, watts) = (power.joules.unwrap(), power.mean_watts);
    says(&page, &format!("= {joules} J, and the mean 37 ÷ 3 = {watts:.1} W"));
    let per_watt = dyno::base::units::grouped((50_000.0 / watts).round() as u64);
    says(&page, &format!("{per_watt} ops/s/W and {:.3} mJ/op", joules / 150_000.0 * 1e3));
}

#[test]
fn the_bounds_of_the_page_on_power_cuts_are_right() {
    let page = page("powercut.md");
    for (cuts, words) in [(30, "30 cuts: "), (60, "60: "), (300, "300: ")] {
        says(&page, &format!("{words}{:.1} %", 100.0 * upper_bound(cuts)));
    }
    let (low, high) = interval(2, 30);
    says(&page, &format!("2 of 30 cuts are {:.1} to {:.1} %", 100.0 * low, 100.0 * high));
}
