//! The pages of `dyno serve` in a real Chromium: at the widths of a phone and a desktop, in light
//! and dark mode, and with hostile names. It is driven by its developer tools' protocol
//! (browser.rs), which shows the page's requests and the policy's violations.

use std::path::Path;

use serde_json::json;

use crate::browser::Browser;
use crate::made;
use crate::support::dyno_well;
use crate::web::{Served, bundle, serve};

const WIDTHS: [u32; 2] = [390, 1440];

/// Pages without axe findings that fit their width.
pub fn is_accessible(browser: &mut Browser, served: &Served, path: &str) {
    let address = format!("http://{}{path}", served.address);
    for (width, dark) in WIDTHS.into_iter().flat_map(|width| [(width, false), (width, true)]) {
        browser.visit(&address, width, dark);
        let found = browser.axe();
        assert!(found["passes"].as_u64().unwrap_or(0) > 12, "axe looked at little: {found}");
        assert_eq!(found["violations"], json!([]), "{path} at {width} px, dark: {dark}");
        let wide = browser.eval("document.documentElement.scrollWidth").as_u64();
        assert!(wide.is_some_and(|wide| wide <= u64::from(width)), "{path}: {wide:?} at {width}");
        let own = |url: &String| url.starts_with(&format!("http://{}", served.address));
        let outside: Vec<_> =
            browser.asked.iter().filter(|url| !own(url) && !url.starts_with("data:")).collect();
        assert!(outside.is_empty(), "{path} asked for {outside:?}");
    }
}

/// The campaign `c` of two subjects, of which one was measured.
fn campaign(folder: &Path) {
    let step = "title = \"Null\"\nsource = \"test\"\n[[step]]\nname = \"a\"\nduration = \"1s\"\n\
                [[step.stream]]\nname = \"io\"\nengine = \"null\"\nworkload = \"random\"\n";
    std::fs::write(folder.join("null.toml"), step).expect("written");
    let text = "protocol = \"./null.toml\"\n[[host]]\nname = \"lab1\"\n[[subject]]\n\
                name = \"A\"\npath = \"/srv/a\"\n[[subject]]\nname = \"B\"\npath = \"/srv/b\"\n";
    std::fs::write(folder.join("c.toml"), text).expect("written");
    dyno_well(folder, &["fleet", "submit", "c.toml", "--dry-run"]);
}

#[test]
fn every_page_is_accessible_on_a_phone_and_a_desk_in_light_and_dark() {
    let Some(mut browser) = Browser::start() else { return };
    let made = made::folder();
    bundle(made.path(), "lab/a-run-with-a-rather-long-name-2026-11-22.dyno", &|_| true);
    bundle(made.path(), "cut.dyno", &|key| key.repeat == 1);
    std::fs::write(made.path().join("text.dyno"), "no bundle").expect("written");
    campaign(made.path());
    bundle(made.path(), "c/tasks/1/run-1.dyno", &|_| true);
    let served = serve(made.path());
    assert!(served.page("/campaigns").contains("2: B</th>"));
    let compare = "/compare?run=cut.dyno&run=lab/a-run-with-a-rather-long-name-2026-11-22.dyno";
    for path in ["/", "/?search=nothing+of+this", "/nothing", "/trends", "/campaigns", compare] {
        is_accessible(&mut browser, &served, path);
    }
}

#[test]
fn the_catalogue_is_searched_and_a_bundle_opened_and_its_script_runs() {
    let Some(mut browser) = Browser::start() else { return };
    let made = made::folder();
    bundle(made.path(), "a.dyno", &|_| true);
    bundle(made.path(), "b.dyno", &|key| key.repeat == 1);
    let served = serve(made.path());
    browser.visit(&format!("http://{}/", served.address), 1440, false);
    browser.follow(
        "document.querySelector('#search').value = 'cut'; \
                    document.querySelector('.search button').click()",
    );
    let found = browser.eval("[...document.querySelectorAll('.path')].map(p => p.textContent)");
    assert_eq!(found, json!(["b.dyno"]));
    browser.follow("document.querySelector('tbody a').click()");
    assert_eq!(browser.eval("document.querySelector('h1').textContent"), json!("Made"));
    // The brief's own script has made its figures reachable by keyboard, and its style is applied.
    assert_eq!(browser.eval("document.querySelector('figure').tabIndex"), json!(0));
    let family = browser.eval("getComputedStyle(document.body).fontFamily");
    assert!(family.as_str().is_some_and(|family| family.contains("Brief Sans")), "{family}");
    browser.follow("document.querySelector('nav a').click()");
    assert_eq!(browser.eval("location.pathname"), json!("/"));
}

#[test]
fn two_runs_are_compared_and_a_trend_is_looked_at() {
    let Some(mut browser) = Browser::start() else { return };
    let made = made::folder();
    crate::trends::runs(made.path(), 16, 9);
    let served = serve(made.path());
    browser.visit(&format!("http://{}/", served.address), 390, false);
    browser.follow(
        "[...document.querySelectorAll('input[name=run]')].slice(0, 2).forEach(b => b.click()); \
         document.querySelector('form[action=\"/compare\"] button').click()",
    );
    assert_eq!(browser.eval("document.querySelectorAll('fieldset').length"), json!(2));
    browser.follow("document.querySelector('main button').click()");
    let chips = browser.eval("[...document.querySelectorAll('.chips li')].map(c => c.textContent)");
    assert_eq!(chips.as_array().map(Vec::len), Some(4), "{chips}");
    browser.visit(&format!("http://{}/trends", served.address), 390, false);
    browser.follow("document.querySelector('.choice button').click()");
    let text = browser.eval("document.querySelector('main').textContent");
    assert!(text.as_str().is_some_and(|text| text.contains("firmware FW1 before")), "{text}");
    let path = browser.eval("location.pathname + location.search");
    is_accessible(&mut browser, &served, path.as_str().expect("an address"));
}

#[test]
fn scripts_in_names_are_not_executed() {
    let Some(mut browser) = Browser::start() else { return };
    let made = made::folder();
    crate::web_attacks::hostile(made.path(), "a.dyno");
    let served = serve(made.path());
    for path in ["/", "/brief/a.dyno"] {
        browser.visit(&format!("http://{}{path}", served.address), 1440, false);
        let title = browser.eval("document.title");
        assert!(title != json!("owned"), "{path}");
        assert_eq!(browser.eval("document.querySelectorAll('img').length"), json!(0), "{path}");
    }
}
