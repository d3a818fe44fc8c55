//! The sums of intervals, second by second.

use super::*;

#[test]
fn a_second_sums_its_drives_and_a_rest_of_a_second_is_left_out() {
    let at = |drive, start_ns, end_ns, ops| RateInterval {
        stream: "read".into(),
        drive,
        instance: 0,
        class: Class::READ,
        start_ns,
        end_ns,
        ops,
        bytes: 0,
        response_sum_ns: None,
        timed: ops,
    };
    let s = 1_000_000_000;
    let rates = [
        at(0, 0, s, 10),
        at(1, 0, s, 30),
        at(0, s, 3 * s / 2 + s / 4, 15),
        at(0, 2 * s, 2 * s + 9, 99),
    ];
    assert_eq!(series_of(&rates, &|_| true), [(0.5, 40.0), (1.5, 20.0)]);
    assert_eq!(series_of(&rates, &|r| r.stream == "write"), []);
}
