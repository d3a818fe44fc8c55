//! Verdicts on tables small enough to be checked by hand.
