//! The format requested by a client (RFC 9110, section 12.5.1).

use super::text::MetricsFormat;

/// OpenMetrics if requested in a supported version with at least the weight of plain text.
pub fn format(accept: &str) -> MetricsFormat {
    let (mut open, mut plain) = (0.0_f64, 0.0_f64);
    for range in accept.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
        let parameters: Vec<(String, &str)> = parts
            .filter_map(|part| part.split_once('='))
            .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().trim_matches('"')))
            .collect();
        let of = |name: &str| parameters.iter().find(|(n, _)| n == name).map(|(_, value)| *value);
        let wanted = of("q").and_then(|q| q.parse().ok()).unwrap_or(1.0);
        match kind.as_str() {
            "application/openmetrics-text" if of("version").is_none_or(|v| v == "1.0.0") => {
                open = open.max(wanted);
            }
            "text/plain" | "text/*" | "*/*" => plain = plain.max(wanted),
            _ => {}
        }
    }
    if open > 0.0 && open >= plain { MetricsFormat::OpenMetrics } else { MetricsFormat::Text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openmetrics_is_for_those_who_ask_for_it() {
        // As requested by Prometheus 2.42, curl, and a browser.
        for (accept, wanted) in [
            (
                "application/openmetrics-text;version=1.0.0,application/openmetrics-text;\
                 version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
                MetricsFormat::OpenMetrics,
            ),
            (
                "application/openmetrics-text; version=1.0.0; charset=utf-8",
                MetricsFormat::OpenMetrics,
            ),
            ("application/openmetrics-text", MetricsFormat::OpenMetrics),
            ("application/openmetrics-text;version=0.0.1", MetricsFormat::Text),
            ("application/openmetrics-text;q=0, text/plain", MetricsFormat::Text),
            ("text/plain, application/openmetrics-text;q=0.5", MetricsFormat::Text),
            ("*/*", MetricsFormat::Text),
            (
                "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
                MetricsFormat::Text,
            ),
            ("", MetricsFormat::Text),
        ] {
            assert_eq!(format(accept), wanted, "{accept}");
        }
    }
}
