//! TPC-C as received by the stand-in for SQL Server: canned answers to each statement, and the
//! transactions reassembled from the requests.

use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use crate::tds::wire::{Cell, Kind};
use crate::tds::{Answer, Heard, What, rows};

const ID: Kind = Kind::Int;
const NAME: Kind = Kind::VarChar(24);
const MONEY: Kind = Kind::Decimal(12, 2);
const RATE: Kind = Kind::Decimal(4, 4);
const TIME: Kind = Kind::DateTime2(0);

/// The next order of any district.
const NEXT: &str = "3001";

/// One district's stock of one item.
const STOCK: i64 = 50;

static READINGS: AtomicI64 = AtomicI64::new(0);

/// A warehouse that is always the same.
pub fn answers(heard: &Heard) -> Option<Answer> {
    match &heard.what {
        What::Batch(text) => batch(text),
        What::Call { text, params, .. } => call(text, params),
        _ => None,
    }
}

fn batch(text: &str) -> Option<Answer> {
    if text == "SELECT COUNT(*) FROM warehouse" || text == "SELECT w_id FROM warehouse" {
        return Some(rows(&[ID], &[&["1"]]));
    }
    if text.contains("sys.dm_os_performance_counters") {
        let reading = READINGS.fetch_add(1000, Relaxed).to_string();
        return Some(rows(&[Kind::NVarChar(128), Kind::BigInt], &[&["Batch Requests", &reading]]));
    }
    // A condition without violations.
    text.starts_with("SELECT TOP (3) ").then(|| rows(&[ID], &[]))
}

fn call(text: &str, params: &[Cell]) -> Option<Answer> {
    let number = |i: usize| params[i].as_deref().unwrap().parse::<i64>().unwrap();
    let starts = |start: &str| text.starts_with(start);
    if starts("UPDATE ") || starts("INSERT ") || starts("DELETE ") {
        return Some(Answer::Done(1));
    }
    if starts("SELECT i_id, ") {
        let there = params.iter().flatten().filter(|id| id.parse::<i64>().unwrap() <= 100_000);
        let found: Vec<[&str; 4]> =
            there.map(|id| [id.as_str(), "12.34", "a thing", "its data"]).collect();
        let found: Vec<&[&str]> = found.iter().map(|row| &row[..]).collect();
        return Some(rows(&[ID, Kind::Decimal(5, 2), NAME, NAME], &found));
    }
    if starts("SELECT s_i_id, ") {
        let (stock, dist) = (STOCK.to_string(), format!("{:024}", number(0)));
        let found: Vec<[&str; 4]> =
            params[2..].iter().flatten().map(|id| [id, stock.as_str(), "", &dist]).collect();
        let found: Vec<&[&str]> = found.iter().map(|row| &row[..]).collect();
        return Some(rows(&[ID, ID, NAME, Kind::Char(24)], &found));
    }
    if starts("SELECT c_credit, ") {
        let credit = if number(2) % 2 == 0 { "GC" } else { "BC" };
        let mut kinds = [NAME; 14];
        (kinds[10], kinds[11], kinds[12], kinds[13]) = (MONEY, RATE, MONEY, TIME);
        let mut row = ["x"; 14];
        (row[0], row[10], row[11], row[12], row[13]) =
            (credit, "50000.00", "0.1000", "-10.00", "2026-01-31 12:00:00");
        return Some(rows(&kinds, &[&row]));
    }
    if starts("SELECT o_d_id, o_c_id ") {
        return Some(each_district(ID, "42"));
    }
    if starts("SELECT ol_d_id, SUM(ol_amount) ") {
        return Some(each_district(Kind::Decimal(38, 2), "100.50"));
    }
    let answers: [(&str, &[Kind], &[&str]); 10] = [
        (
            "SELECT c_discount, ",
            &[RATE, NAME, Kind::Char(2), RATE],
            &["0.1000", "BAR", "GC", "0.0500"],
        ),
        ("SELECT d_next_o_id, d_tax ", &[ID, RATE], &[NEXT, "0.0100"]),
        ("SELECT d_next_o_id FROM ", &[ID], &[NEXT]),
        (
            "SELECT w_name, ",
            &[NAME; 12],
            &["W", "s", "s", "c", "ST", "z", "D", "s", "s", "c", "ST", "z"],
        ),
        ("SELECT c_id FROM ", &[ID], &["77"]),
        ("SELECT c_data ", &[Kind::VarChar(500)], &["before"]),
        ("SELECT c_balance, ", &[MONEY, NAME, Kind::Char(2), NAME], &["-10.00", "A", "OE", "BAR"]),
        ("SELECT TOP (1) o_id, ", &[ID, ID, TIME], &["3000", "NULL", "2026-01-31 12:00:00"]),
        ("SELECT TOP (1) no_o_id ", &[ID], &["2101"]),
        ("SELECT COUNT(DISTINCT s_i_id) ", &[ID], &["3"]),
    ];
    if starts("SELECT ol_i_id, ") {
        let row: [&str; 5] = ["1", "1", "5", "9.99", "NULL"];
        return Some(rows(&[ID, ID, ID, Kind::Decimal(6, 2), TIME], &[&row]));
    }
    let found = answers.iter().find(|(start, ..)| starts(start));
    found.map(|(_, kinds, row)| rows(kinds, &[row]))
}

fn each_district(kind: Kind, value: &str) -> Answer {
    let found: Vec<[String; 2]> = (1..=10).map(|d| [d.to_string(), value.to_string()]).collect();
    let found: Vec<[&str; 2]> =
        found.iter().map(|[d, value]| [d.as_str(), value.as_str()]).collect();
    let found: Vec<&[&str]> = found.iter().map(|row| &row[..]).collect();
    rows(&[ID, kind], &found)
}

/// An executed statement.
#[derive(Clone, Debug)]
pub struct Call {
    pub text: String,
    pub declared: String,
    pub params: Vec<String>,
}

/// The calls from each BEGIN to its COMMIT, for completed transactions.
pub fn transactions(heard: &[Heard]) -> Vec<Vec<Call>> {
    let (mut all, mut open) = (Vec::new(), None);
    for what in heard.iter().map(|h| &h.what) {
        match what {
            What::Begin => open = Some(Vec::new()),
            What::Commit => all.extend(open.take()),
            What::Call { text, declared, params } => {
                let cell = |cell: &Cell| cell.clone().unwrap_or("NULL".into());
                let params = params.iter().map(cell).collect();
                let calls = open.as_mut().expect("a statement outside of a transaction");
                calls.push(Call { text: text.clone(), declared: declared.clone(), params });
            }
            _ => {}
        }
    }
    all
}

/// The first transaction with this beginning.
fn first<'a>(all: &'a [Vec<Call>], start: &str) -> &'a [Call] {
    all.iter()
        .find(|calls| calls[0].text.starts_with(start))
        .unwrap_or_else(|| panic!("no transaction: {start}"))
}

#[track_caller]
fn expect(call: &Call, text: &str, declared: &str, params: &[&str]) {
    assert_eq!(call.text, text);
    assert_eq!(call.declared, declared, "{text}");
    assert_eq!(call.params, params, "{text}");
}

fn ints(n: usize) -> String {
    (1..=n).map(|i| format!("@dyno{i} int")).collect::<Vec<_>>().join(", ")
}

/// Clause 2.4.2.2, statement by statement.
pub fn new_order(all: &[Vec<Call>]) {
    let calls = first(all, "SELECT c_discount");
    let [w, d, c] = [0, 1, 2].map(|i| calls[0].params[i].as_str());
    expect(
        &calls[0],
        "SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse WHERE w_id = \
         @dyno1 AND c_w_id = w_id AND c_d_id = @dyno2 AND c_id = @dyno3",
        &ints(3),
        &[w, d, c],
    );
    expect(
        &calls[1],
        "SELECT d_next_o_id, d_tax FROM district WITH (UPDLOCK, ROWLOCK) WHERE d_w_id = @dyno1 AND \
         d_id = @dyno2",
        &ints(2),
        &[w, d],
    );
    assert!(calls[2].text.starts_with(
        "SELECT i_id, i_price, i_name, i_data FROM item WHERE i_id IN (@dyno1, @dyno2, "
    ));
    let lines = calls[2].params.len();
    assert!((5..=15).contains(&lines));
    let stock = &calls[3];
    assert!(stock.text.contains(
        " END FROM stock WITH (UPDLOCK, ROWLOCK) WHERE s_w_id = @dyno2 AND s_i_id IN (@dyno3, "
    ));
    assert_eq!(
        (stock.params[0].as_str(), stock.params[1].as_str(), stock.params.len()),
        (d, w, lines + 2)
    );
    expect(
        &calls[4],
        "UPDATE district SET d_next_o_id = @dyno1 WHERE d_w_id = @dyno2 AND d_id = @dyno3",
        &ints(3),
        &["3002", w, d],
    );
    assert!(calls[5].text.starts_with("INSERT INTO orders "));
    assert_eq!(
        calls[5].declared,
        "@dyno1 int, @dyno2 int, @dyno3 int, @dyno4 int, @dyno5 datetime2(6), @dyno6 int, \
         @dyno7 int"
    );
    assert_eq!(calls[5].params[..4], [NEXT, d, w, c]);
    assert_eq!(calls[5].params[5..], [&lines.to_string(), "1"]);
    expect(
        &calls[6],
        "INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (@dyno1, @dyno2, @dyno3)",
        &ints(3),
        &[NEXT, d, w],
    );
    // All lines' stock at once, except for an item that occurs twice: item and remaining stock,
    // item and quantity, whether it is remote, its warehouse, and the items.
    let mut written = 0;
    for update in &calls[7..calls.len() - 1] {
        assert!(
            update.text.starts_with(
                "UPDATE stock SET s_quantity = CASE s_i_id WHEN @dyno1 THEN @dyno2 + 0 "
            )
        );
        assert!(
            update.text.contains(
                " END, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + @dyno"
            )
        );
        let n = (update.params.len() - 2) / 5;
        assert_eq!(
            (update.params.len(), update.declared.as_str()),
            (5 * n + 2, ints(5 * n + 2).as_str())
        );
        assert_eq!(update.params[4 * n..4 * n + 2], ["0", w]);
        for line in 0..n {
            let [item, left, same, taken] =
                [2 * line, 2 * line + 1, 2 * (n + line), 2 * (n + line) + 1]
                    .map(|i| update.params[i].parse::<i64>().unwrap());
            assert_eq!(
                (item, update.params[4 * n + 2 + line].as_str()),
                (same, item.to_string().as_str())
            );
            assert!((1..=10).contains(&taken) && left <= STOCK - taken);
        }
        written += n;
    }
    assert_eq!(written, lines);
    let inserted = calls.last().unwrap();
    assert!(
        inserted.text.starts_with("INSERT INTO order_line (ol_o_id, ")
            && inserted.params.len() == 9 * lines
    );
    assert!(inserted.declared.ends_with(&format!(
        "@dyno{} decimal(19,2), @dyno{} varchar(8000)",
        9 * lines - 1,
        9 * lines
    )));
    // Its price was 12.34: a line's amount is that times its quantity, to the cent.
    let (quantity, amount) =
        (inserted.params[6].parse::<u64>().unwrap(), inserted.params[7].replace('.', ""));
    assert_eq!(amount.parse::<u64>().unwrap(), 1234 * quantity);
    assert_eq!(inserted.params[8], format!("{:024}", d.parse::<u64>().unwrap()));
}

/// Clause 2.5.2.2, statement by statement, for one customer with good credit, selected by number,
/// and one with bad.
pub fn payment(all: &[Vec<Call>]) {
    let calls = first(all, "UPDATE warehouse");
    let (amount, w, d) = (&calls[0].params[0], &calls[0].params[1], &calls[1].params[2]);
    expect(
        &calls[0],
        "UPDATE warehouse SET w_ytd = w_ytd + @dyno1 WHERE w_id = @dyno2",
        "@dyno1 decimal(19,2), @dyno2 int",
        &[amount, w],
    );
    expect(
        &calls[1],
        "UPDATE district SET d_ytd = d_ytd + @dyno1 WHERE d_w_id = @dyno2 AND d_id = @dyno3",
        "@dyno1 decimal(19,2), @dyno2 int, @dyno3 int",
        &[amount, w, d],
    );
    assert!(calls[2].text.ends_with(
        " FROM warehouse, district WHERE w_id = @dyno1 AND d_w_id = w_id AND d_id = @dyno2"
    ));
    let by_name = all
        .iter()
        .flatten()
        .find(|call| call.text.starts_with("SELECT c_id FROM customer "))
        .unwrap();
    assert!(by_name.text.ends_with(
        "WHERE c_w_id = @dyno1 AND c_d_id = @dyno2 AND c_last = @dyno3 ORDER BY c_first"
    ));
    // Narrow like the column, so that an index seek is possible.
    assert_eq!(by_name.declared, "@dyno1 int, @dyno2 int, @dyno3 varchar(8000)");
    let customer = calls.iter().find(|call| call.text.starts_with("SELECT c_credit, ")).unwrap();
    assert!(customer.text.ends_with(
        "FROM customer WITH (UPDLOCK, ROWLOCK) WHERE c_w_id = @dyno1 AND c_d_id = @dyno2 \
         AND c_id = @dyno3"
    ));
    let history = calls.last().unwrap();
    assert!(history.text.starts_with("INSERT INTO history "));
    assert_eq!(history.params[3..5], [d.as_str(), w.as_str()]);
    assert_eq!(history.params[6..], [amount.as_str(), "W    D"]);
    let bad = all.iter().flatten().find(|call| call.text.contains("c_data = @dyno3")).unwrap();
    assert!(bad.params[2].ends_with("|before"), "{bad:?}");
}

/// Clause 2.7.4.2: the oldest new order of each of the ten districts, and then all of them at once.
pub fn delivery(all: &[Vec<Call>]) {
    let calls = first(all, "SELECT TOP (1) no_o_id");
    assert!(calls[..10].iter().all(|call| call.text == calls[0].text));
    let w = calls[0].params[0].as_str();
    let districts: Vec<&str> = calls[..10].iter().map(|call| call.params[1].as_str()).collect();
    assert_eq!(districts, ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
    let place: Vec<&str> = std::iter::once(w).chain(["2101"; 10]).collect();
    let starts = [
        "DELETE FROM new_order WHERE no_w_id = @dyno1 AND ((no_d_id = 1 AND no_o_id = @dyno2) OR \
         (no_d_id = 2 AND ",
        "UPDATE orders SET o_carrier_id = @dyno1 WHERE o_w_id = @dyno2 AND ((o_d_id = 1 AND o_id \
         = @dyno3) OR ",
        "UPDATE order_line SET ol_delivery_d = @dyno1 WHERE ol_w_id = @dyno2 AND ((ol_d_id = 1 AND \
         ol_o_id = @dyno3) OR ",
        "SELECT o_d_id, o_c_id FROM orders WHERE o_w_id = @dyno1 AND ",
        "SELECT ol_d_id, SUM(ol_amount) FROM order_line WHERE ol_w_id = @dyno1 AND ",
        "UPDATE customer SET c_balance = c_balance + CASE c_d_id WHEN 1 THEN CAST(@dyno1 AS \
         DECIMAL(12, 2)) WHEN 2 ",
    ];
    assert_eq!(calls.len(), 10 + starts.len());
    for (call, start) in calls[10..].iter().zip(starts) {
        assert!(call.text.starts_with(start), "{}", call.text);
    }
    for params in [&calls[10].params[..], &calls[11].params[1..], &calls[12].params[1..]] {
        assert_eq!(params, place);
    }
    let credit: Vec<&str> = ["100.50"; 10].into_iter().chain([w]).chain(["42"; 10]).collect();
    assert_eq!(calls[15].params, credit);
    assert!(calls[15].declared.starts_with("@dyno1 decimal(19,2), @dyno2 decimal(19,2), "));
}
