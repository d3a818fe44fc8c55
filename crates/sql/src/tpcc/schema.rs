//! The nine tables (clause 1.3), with go-tpc's names of tables and columns, so that its check works
//! on them, with primary keys and the two indexes that transactions use for look-ups.

use dyno_core::measure::sql::Dialect;

/// A table's name, its columns with types, and its primary key.
pub struct TpccTable {
    pub name: &'static str,
    pub columns: &'static str,
    pub keys: &'static str,
    /// An index in addition to the primary key: its name and columns.
    pub index: Option<(&'static str, &'static str)>,
}

const fn table(name: &'static str, columns: &'static str, keys: &'static str) -> TpccTable {
    TpccTable { name, columns, keys, index: None }
}

pub static TABLES: [TpccTable; 9] = [
    table(
        "warehouse",
        "w_id INT NOT NULL, w_name VARCHAR(10), w_street_1 VARCHAR(20), w_street_2 VARCHAR(20), \
         w_city VARCHAR(20), w_state CHAR(2), w_zip CHAR(9), w_tax DECIMAL(4, 4), w_ytd \
         DECIMAL(12, 2)",
        "w_id",
    ),
    table(
        "district",
        "d_id INT NOT NULL, d_w_id INT NOT NULL, d_name VARCHAR(10), d_street_1 VARCHAR(20), \
         d_street_2 VARCHAR(20), d_city VARCHAR(20), d_state CHAR(2), d_zip CHAR(9), d_tax \
         DECIMAL(4, 4), d_ytd DECIMAL(12, 2), d_next_o_id INT",
        "d_w_id, d_id",
    ),
    TpccTable {
        index: Some(("idx_customer", "c_w_id, c_d_id, c_last, c_first")),
        ..table(
            "customer",
            "c_id INT NOT NULL, c_d_id INT NOT NULL, c_w_id INT NOT NULL, c_first VARCHAR(16), \
             c_middle CHAR(2), c_last VARCHAR(16), c_street_1 VARCHAR(20), c_street_2 VARCHAR(20), \
             c_city VARCHAR(20), c_state CHAR(2), c_zip CHAR(9), c_phone CHAR(16), c_since \
             TIME_AND_DATE, c_credit CHAR(2), c_credit_lim DECIMAL(12, 2), c_discount DECIMAL(4, \
             4), c_balance DECIMAL(12, 2), c_ytd_payment DECIMAL(12, 2), c_payment_cnt INT, \
             c_delivery_cnt INT, c_data VARCHAR(500)",
            "c_w_id, c_d_id, c_id",
        )
    },
    table(
        "history",
        "h_c_id INT NOT NULL, h_c_d_id INT NOT NULL, h_c_w_id INT NOT NULL, h_d_id INT NOT NULL, \
         h_w_id INT NOT NULL, h_date TIME_AND_DATE, h_amount DECIMAL(6, 2), h_data VARCHAR(24)",
        "",
    ),
    table(
        "new_order",
        "no_o_id INT NOT NULL, no_d_id INT NOT NULL, no_w_id INT NOT NULL",
        "no_w_id, no_d_id, no_o_id",
    ),
    TpccTable {
        index: Some(("idx_order", "o_w_id, o_d_id, o_c_id, o_id")),
        ..table(
            "orders",
            "o_id INT NOT NULL, o_d_id INT NOT NULL, o_w_id INT NOT NULL, o_c_id INT, o_entry_d \
             TIME_AND_DATE, o_carrier_id INT, o_ol_cnt INT, o_all_local INT",
            "o_w_id, o_d_id, o_id",
        )
    },
    table(
        "order_line",
        "ol_o_id INT NOT NULL, ol_d_id INT NOT NULL, ol_w_id INT NOT NULL, ol_number INT NOT NULL, \
         ol_i_id INT NOT NULL, ol_supply_w_id INT, ol_delivery_d TIME_AND_DATE, ol_quantity INT, \
         ol_amount DECIMAL(6, 2), ol_dist_info CHAR(24)",
        "ol_w_id, ol_d_id, ol_o_id, ol_number",
    ),
    table(
        "stock",
        "s_i_id INT NOT NULL, s_w_id INT NOT NULL, s_quantity INT, s_dist_01 CHAR(24), s_dist_02 \
         CHAR(24), s_dist_03 CHAR(24), s_dist_04 CHAR(24), s_dist_05 CHAR(24), s_dist_06 CHAR(24), \
         s_dist_07 CHAR(24), s_dist_08 CHAR(24), s_dist_09 CHAR(24), s_dist_10 CHAR(24), s_ytd \
         INT, s_order_cnt INT, s_remote_cnt INT, s_data VARCHAR(50)",
        "s_w_id, s_i_id",
    ),
    table(
        "item",
        "i_id INT NOT NULL, i_im_id INT, i_name VARCHAR(24), i_price DECIMAL(5, 2), i_data \
         VARCHAR(50)",
        "i_id",
    ),
];

impl TpccTable {
    /// The statements that create it.
    pub fn definition(&self, dialect: &dyn Dialect) -> Vec<String> {
        let columns = self.columns.replace("TIME_AND_DATE", dialect.time_type());
        let keys = if self.keys.is_empty() {
            String::new()
        } else {
            format!(", PRIMARY KEY ({})", self.keys)
        };
        let index = self
            .index
            .map(|(name, columns)| format!("CREATE INDEX {name} ON {} ({columns})", self.name));
        [format!("CREATE TABLE {} ({columns}{keys})", self.name)].into_iter().chain(index).collect()
    }

    /// The names of the columns, for loading.
    pub fn column_names(&self) -> String {
        let name = |column: &'static str| column.split_whitespace().next();
        let mut depth = 0;
        let apart = self.columns.split(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            c == ',' && depth == 0
        });
        apart.filter_map(name).collect::<Vec<_>>().join(", ")
    }
}

/// The table with that name.
pub fn named(name: &str) -> &'static TpccTable {
    TABLES.iter().find(|t| t.name == name).unwrap_or(&TABLES[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_names_are_found_past_types_with_commas() {
        assert_eq!(named("item").column_names(), "i_id, i_im_id, i_name, i_price, i_data");
    }
}
