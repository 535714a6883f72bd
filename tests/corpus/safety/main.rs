//! A monitor or an invariant says that something must not happen, and it does.

mod bounded_store;
mod mutual_exclusion;
