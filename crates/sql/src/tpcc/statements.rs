//! The statements of the five transactions, prepared once per session. The text is the same for all
//! dialects except for the parts that `spelling` requests from the dialect.

use super::inputs::{DISTRICTS, MOST_LINES};
use super::spelling::spelled;
use dyno_core::measure::sql::{SqlResult, SqlSession, StatementId};

macro_rules! statements {
    ($($name:ident = $sql:expr;)*) => {
        /// The statements by name.
        #[derive(Clone, Copy)]
        pub struct Fixed {
            $(pub $name: StatementId,)*
        }

        impl Fixed {
            pub fn prepare(session: &mut dyn SqlSession) -> SqlResult<Fixed> {
                Ok(Fixed { $($name: session.prepare(&spelled($sql, session.dialect()))?,)* })
            }
        }
    };
}

statements! {
    // New-Order (clause 2.4.2.2)
    customer_and_warehouse = "SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse \
        WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?";
    next_order = "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ? FOR UPDATE";
    take_order = "UPDATE district SET d_next_o_id = ? WHERE d_w_id = ? AND d_id = ?";
    insert_order = "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, \
        o_all_local) VALUES (?, ?, ?, ?, ?, ?, ?)";
    insert_new_order = "INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)";
    // Payment (clause 2.5.2.2)
    pay_warehouse = "UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?";
    pay_district = "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?";
    read_places = "SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip, \
        d_name, d_street_1, d_street_2, d_city, d_state, d_zip FROM warehouse, district \
        WHERE w_id = ? AND d_w_id = w_id AND d_id = ?";
    ids_of_name = "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER \
                   BY c_first";
    lock_customer = "SELECT c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, \
        c_state, c_zip, c_phone, c_credit_lim, c_discount, c_balance, c_since FROM customer WHERE \
        c_w_id = ? AND c_d_id = ? AND c_id = ? FOR UPDATE";
    // Already locked; an unlocked read would return its state at the transaction's first read.
    customer_data = "SELECT c_data FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ? FOR \
                     UPDATE";
    pay_customer = "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + \
        ?, c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
    pay_bad_customer = "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = \
        c_ytd_payment + ?, c_payment_cnt = c_payment_cnt + 1, c_data = ? WHERE c_w_id = ? AND \
        c_d_id = ? AND c_id = ?";
    insert_history = "INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, \
        h_amount, h_data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    // Order-Status (clause 2.6.2.2)
    balance = "SELECT c_balance, c_first, c_middle, c_last FROM customer \
        WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";
    last_order = "SELECT o_id, o_carrier_id, o_entry_d FROM orders WHERE o_w_id = ? AND o_d_id = ? \
        AND o_c_id = ? ORDER BY o_id DESC LIMIT 1";
    lines_of_order = "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM \
        order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";
    // Delivery (clause 2.7.4.2)
    oldest_new_order = "SELECT no_o_id FROM new_order WHERE no_w_id = ? AND no_d_id = ? ORDER BY \
        no_o_id LIMIT 1 FOR UPDATE";
    // Stock-Level (clause 2.8.2.2)
    next_order_id = "SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?";
    low_stock = "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = ? AND \
        ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ? AND s_w_id = ? AND s_i_id = ol_i_id AND \
        s_quantity < ?";
}

/// Statements for several lines of an order at once; by the number of lines, from 1.
#[derive(Clone, Default)]
pub struct Several {
    pub items: Vec<StatementId>,
    pub stock: Vec<StatementId>,
    pub update_stock: Vec<StatementId>,
    pub insert_lines: Vec<StatementId>,
}

impl Several {
    pub fn prepare(session: &mut dyn SqlSession) -> SqlResult<Several> {
        let mut several = Several::default();
        let dist = cases("? + 0", (1..=10).map(|d| format!("WHEN {d} THEN s_dist_{d:02}")));
        for n in 1..=MOST_LINES {
            let marks = vec!["?"; n].join(", ");
            // Adding zero marks it as a whole number, because PostgreSQL could not infer the type
            // otherwise.
            let by_item = cases("s_i_id", std::iter::repeat_n("WHEN ? THEN ? + 0".to_string(), n));
            let items =
                format!("SELECT i_id, i_price, i_name, i_data FROM item WHERE i_id IN ({marks})");
            let stock = format!(
                "SELECT s_i_id, s_quantity, s_data, {dist} FROM stock WHERE s_w_id = ? AND s_i_id \
                 IN ({marks}) FOR UPDATE"
            );
            let update = format!(
                "UPDATE stock SET s_quantity = {by_item}, s_ytd = s_ytd + {by_item}, s_order_cnt = \
                 s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id IN \
                 ({marks})"
            );
            let lines = format!(
                "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, \
                 ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) VALUES {}",
                vec!["(?, ?, ?, ?, ?, ?, ?, ?, ?)"; n].join(", ")
            );
            several.items.push(session.prepare(&items)?);
            several.stock.push(session.prepare(&spelled(&stock, session.dialect()))?);
            several.update_stock.push(session.prepare(&update)?);
            several.insert_lines.push(session.prepare(&lines)?);
        }
        Ok(several)
    }
}

/// Delivery's statements for one order of each district (clause 2.7.4.2). Districts without one use
/// order 0, which does not exist.
#[derive(Clone, Copy)]
pub struct Deliveries {
    pub delete_new_orders: StatementId,
    pub carry_orders: StatementId,
    pub deliver_lines: StatementId,
    pub customers: StatementId,
    pub amounts: StatementId,
    pub credit: StatementId,
}

impl Deliveries {
    pub fn prepare(session: &mut dyn SqlSession) -> SqlResult<Deliveries> {
        let places = |prefix: &str, id: &str| {
            let each: Vec<String> = (1..=DISTRICTS)
                .map(|d| format!("({prefix}_d_id = {d} AND {prefix}_{id} = ?)"))
                .collect();
            format!("{prefix}_w_id = ? AND ({})", each.join(" OR "))
        };
        let orders = places("o", "id");
        let lines = places("ol", "o_id");
        let amounts = cases(
            "c_d_id",
            (1..=DISTRICTS).map(|d| format!("WHEN {d} THEN CAST(? AS DECIMAL(12, 2))")),
        );
        let mut prepare = |sql: String| session.prepare(&sql);
        Ok(Deliveries {
            delete_new_orders: prepare(format!(
                "DELETE FROM new_order WHERE {}",
                places("no", "o_id")
            ))?,
            carry_orders: prepare(format!("UPDATE orders SET o_carrier_id = ? WHERE {orders}"))?,
            deliver_lines: prepare(format!(
                "UPDATE order_line SET ol_delivery_d = ? WHERE {lines}"
            ))?,
            customers: prepare(format!("SELECT o_d_id, o_c_id FROM orders WHERE {orders}"))?,
            amounts: prepare(format!(
                "SELECT ol_d_id, SUM(ol_amount) FROM order_line WHERE {lines} GROUP BY ol_d_id"
            ))?,
            credit: prepare(format!(
                "UPDATE customer SET c_balance = c_balance + {amounts}, c_delivery_cnt = \
                 c_delivery_cnt + 1 WHERE {}",
                places("c", "id")
            ))?,
        })
    }
}

fn cases(of: &str, each: impl Iterator<Item = String>) -> String {
    format!("CASE {of} {} END", each.collect::<Vec<_>>().join(" "))
}
