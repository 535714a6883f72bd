//! The situations that are tested.

use super::random::HAPPY;
use super::service::Action;
use crate::config::Config;
use crate::filter::Filter;
use crate::migrator::Persistence;
use crate::operation::{Kind, Operation};
use crate::value::{Key, Properties, Value};

/// A situation: rows to begin with, and clients.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The rows of the old table.
    pub rows: Vec<(Key, Properties)>,
    /// The clients.
    pub clients: Vec<Client>,
    /// Whether the first migration comes to its end, or is followed by another one.
    pub migrator: Persistence,
}

/// The plan of a client.
#[derive(Clone, Debug)]
pub enum Client {
    /// It does something at random.
    Random,
    /// It does this.
    Now(Action),
    /// It does something when it learns of configurations.
    Hooked(Vec<Trigger>),
}

/// Actions that a configuration sets off.
#[derive(Clone, Debug)]
pub struct Trigger {
    /// The configuration.
    pub config: Config,
    /// Whether the client acknowledges before it has acted, or after.
    pub when: When,
    /// The actions.
    pub actions: Vec<Action>,
}

/// The order of action and acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// It acts first. No other configuration can come meanwhile.
    Blocking,
    /// It acknowledges first.
    After,
}

impl Scenario {
    fn new(rows: Vec<(Key, Properties)>, clients: Vec<Client>) -> Scenario {
        Scenario {
            rows,
            clients,
            migrator: Persistence::Complete,
        }
    }

    /// Has the migrator stop at some moment, and start again.
    #[must_use]
    pub fn with_restart(self) -> Scenario {
        let migrator = Persistence::MayStop;
        Scenario { migrator, ..self }
    }

    /// Two clients, each of which makes one streamed query or two other operations at random.
    #[must_use]
    pub fn random() -> Scenario {
        Scenario::new(happy_rows(), vec![Client::Random, Client::Random])
    }

    /// A client changes a row so that it no longer matches its streamed query.
    #[must_use]
    pub fn streamed_filter_shadowing() -> Scenario {
        let rows_that_match = Filter::property_is(HAPPY, Value::Bool(true));
        let update = batch(Kind::InsertOrMerge, "0", false);
        let actions = vec![update, Action::Stream(rows_that_match)];
        Scenario::new(happy_rows(), vec![blocking(Config::PreferNew, actions)])
    }

    /// A client adds a row to the new table while another one has not heard of it.
    #[must_use]
    pub fn skip_prefer_old() -> Scenario {
        let actions = vec![batch(Kind::Insert, "5", true)];
        Scenario::new(
            happy_rows(),
            vec![
                blocking(Config::PreferNew, actions),
                Client::Now(query_all()),
            ],
        )
    }

    /// A client deletes a row for good while another one reads both tables.
    #[must_use]
    pub fn skip_use_new_with_tombstones() -> Scenario {
        let actions = vec![batch(Kind::Delete, "0", true)];
        let reader = after(Config::PreferNew, vec![query_all()]);
        Scenario::new(
            happy_rows(),
            vec![
                blocking(Config::UseNewHideMetadata, actions),
                Client::Hooked(vec![reader]),
            ],
        )
    }

    /// A client begins a streamed query when it no longer reads the old table.
    #[must_use]
    pub fn late_stream() -> Scenario {
        let reader = after(
            Config::UseNewWithTombstones,
            vec![Action::Stream(Filter::All)],
        );
        let clients = vec![Client::Hooked(vec![reader]), Client::Random];
        Scenario::new(happy_rows(), clients)
    }

    /// A client adds a row to the old table, and looks for it later.
    #[must_use]
    pub fn insert_behind_migrator() -> Scenario {
        let insert = after(Config::PreferOld, vec![batch(Kind::Insert, "0", true)]);
        let look = Trigger {
            config: Config::UseNewWithTombstones,
            when: When::Blocking,
            actions: vec![query_all()],
        };
        Scenario::new(Vec::new(), vec![Client::Hooked(vec![insert, look])])
    }
}

/// The rows that most scenarios begin with.
fn happy_rows() -> Vec<(Key, Properties)> {
    let rows = [("0", true), ("1", false), ("3", false), ("4", true)];
    let row = |(row, is_happy)| (Key::new("", row), happy(is_happy));
    rows.map(row).into()
}

fn happy(is_happy: bool) -> Properties {
    [(HAPPY.to_owned(), Value::Bool(is_happy))].into()
}

fn batch(kind: Kind, row: &str, is_happy: bool) -> Action {
    Action::Batch(vec![Operation::new(
        kind,
        Key::new("", row),
        happy(is_happy),
    )])
}

fn query_all() -> Action {
    Action::Query(Filter::All)
}

fn blocking(config: Config, actions: Vec<Action>) -> Client {
    let when = When::Blocking;
    Client::Hooked(vec![Trigger {
        config,
        when,
        actions,
    }])
}

fn after(config: Config, actions: Vec<Action>) -> Trigger {
    let when = When::After;
    Trigger {
        config,
        when,
        actions,
    }
}
