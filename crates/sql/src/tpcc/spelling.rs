//! TPC-C's statements in a server's spelling. They are written once, in the form that MySQL and
//! PostgreSQL accept.

use std::borrow::Cow;

use dyno_core::measure::sql::Dialect;

/// The statement in this server's spelling.
pub fn spelled<'s>(sql: &'s str, dialect: &dyn Dialect) -> Cow<'s, str> {
    let (bare, locked) = sql.strip_suffix(" FOR UPDATE").map_or((sql, false), |bare| (bare, true));
    let (bare, rows) = bare.strip_suffix(" LIMIT 1").map_or((bare, None), |bare| (bare, Some(1)));
    dialect.query(bare, rows, locked)
}

#[cfg(test)]
mod tests {
    use sqlparser::dialect::MsSqlDialect;
    use sqlparser::parser::Parser;

    use super::super::consistency::CONDITIONS;
    use super::super::inputs::MOST_LINES;
    use super::super::schema::TABLES;
    use super::super::statements::{Deliveries, Fixed, Several};
    use super::*;
    use crate::engine::postgres::Postgres;
    use crate::engine::sqlserver::SqlServer;
    use dyno_core::measure::sql::answers::Answers;
    use dyno_core::measure::sql::{Param, SqlResult, SqlSession, StatementBatch, StatementId};

    /// Records prepared statements.
    struct Listener(&'static dyn Dialect, Vec<String>);

    impl SqlSession for Listener {
        fn dialect(&self) -> &'static dyn Dialect {
            self.0
        }
        fn version(&self) -> &str {
            ""
        }
        fn prepare(&mut self, sql: &str) -> SqlResult<StatementId> {
            self.1.push(sql.to_string());
            Ok(StatementId(self.1.len() as u32 - 1))
        }
        fn execute(&mut self, _: StatementId, _: &[Param<'_>]) -> SqlResult<u64> {
            Ok(0)
        }
        fn query_all(&mut self, _: &StatementBatch<'_>, _: &mut Answers) -> SqlResult<()> {
            Ok(())
        }
        fn run(&mut self, _: &str) -> SqlResult<()> {
            Ok(())
        }
        fn rows(&mut self, _: &str) -> SqlResult<Answers> {
            Ok(Answers::default())
        }
        fn load(&mut self, _: &str, _: &str, _: &[u8]) -> SqlResult<u64> {
            Ok(0)
        }
        fn begin(&mut self) -> SqlResult<()> {
            Ok(())
        }
        fn commit(&mut self) -> SqlResult<()> {
            Ok(())
        }
        fn rollback(&mut self) -> SqlResult<()> {
            Ok(())
        }
        fn reconnect(&mut self) -> SqlResult<()> {
            Ok(())
        }
    }

    fn prepared(dialect: &'static dyn Dialect) -> Vec<String> {
        let mut session = Listener(dialect, Vec::new());
        Fixed::prepare(&mut session).unwrap();
        Several::prepare(&mut session).unwrap();
        Deliveries::prepare(&mut session).unwrap();
        session.1
    }

    #[test]
    fn every_statement_definition_and_condition_is_t_sql_as_the_parser_knows_it() {
        let conditions =
            CONDITIONS.iter().map(|(_, sql)| SqlServer.query(sql, Some(3), false).into_owned());
        let definitions = TABLES.iter().flat_map(|table| table.definition(&SqlServer));
        let all: Vec<String> =
            prepared(&SqlServer).into_iter().chain(definitions).chain(conditions).collect();
        assert_eq!(all.len(), 20 + 4 * MOST_LINES + 6 + 9 + 2 + 12);
        for sql in all {
            // The session numbers the parameters; the parser knows them as `@P`.
            let parsed = Parser::parse_sql(&MsSqlDialect {}, &sql.replace('?', "@P"));
            assert!(
                parsed.as_ref().is_ok_and(|statements| statements.len() == 1),
                "{sql}: {parsed:?}"
            );
            for foreign in ["LIMIT", "FOR UPDATE", "TIMESTAMP", "TIME_AND_DATE"] {
                assert!(!sql.contains(foreign), "{sql}");
            }
            assert!(
                sql.matches('?').count() <= 2100,
                "SQL Server takes 2,100 parameters at most: {sql}"
            );
        }
    }

    /// The parser is lenient; this adds the checks that it lacks.
    #[test]
    fn conditions_compare_no_truth_values_which_t_sql_has_none_of() {
        for (number, sql) in &CONDITIONS {
            assert!(!sql.contains("NULL) ="), "condition {number}");
            assert!(!sql.contains("NULL) <>"), "condition {number}");
        }
    }

    #[test]
    fn what_is_read_to_be_written_is_locked_in_each_server_s_own_words() {
        let (ours, theirs) = (prepared(&Postgres), prepared(&SqlServer));
        let locked = ours.iter().zip(&theirs).filter(|(ours, _)| ours.ends_with(" FOR UPDATE"));
        let count = locked
            .map(|(_, sql)| assert!(sql.contains(" WITH (UPDLOCK, ROWLOCK) WHERE "), "{sql}"))
            .count();
        assert_eq!(count, 4 + MOST_LINES);
        assert_eq!(
            spelled(
                "SELECT no_o_id FROM new_order WHERE no_w_id = ? ORDER BY no_o_id LIMIT 1 FOR \
                 UPDATE",
                &SqlServer
            ),
            "SELECT TOP (1) no_o_id FROM new_order WITH (UPDLOCK, ROWLOCK) WHERE no_w_id = ? ORDER \
             BY no_o_id"
        );
    }
}
