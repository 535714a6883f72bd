//! The test: clients that use the table while it moves.

mod hook;
mod random;
pub mod scenario;
mod service;

use cct::actor::{ActorRef, Runtime};

pub use hook::Hook;
pub use scenario::{Client, Scenario};
pub use service::{Act, Action, Service, Start};

use crate::backend::Backend;
use crate::bug::Bug;
use crate::client::MigratingTable;
use crate::config::{Config, ConfigService, Push, Subscribe};
use crate::filter::Filter;
use crate::migrator::{Migrate, Migrator, Persistence};
use crate::names::{exported, is_internal};
use crate::tables::{Dump, ReadReference, Side, Tables};

/// Runs a scenario, and compares the new table with the reference at its end.
///
/// # Panics
///
/// The virtual table is not like a single table.
pub fn run(runtime: &Runtime, scenario: Scenario, bug: Option<Bug>) {
    let tables = Tables::new(&scenario.rows).expect("the rows are valid");
    let tables = runtime
        .create_named("tables", tables)
        .expect("the name is free");
    let master = ConfigService::new(Config::UseOldHideMetadata);
    let master = runtime
        .create_named("configuration", master)
        .expect("the name is free");
    let backend = Backend::new(tables.clone(), bug);
    for (number, client) in scenario.clients.into_iter().enumerate() {
        start_client(runtime, &backend, &master, number, client);
    }
    let migrator = Migrator::new(backend, master);
    let migrator = runtime
        .create_named("migrator", migrator)
        .expect("the name is free");
    if scenario.migrator == Persistence::MayStop {
        migrator.send(Migrate(Persistence::MayStop));
    }
    migrator.send(Migrate(Persistence::Complete));
    if let Err(failure) = runtime.wait_until_idle() {
        panic!("{failure}");
    }
    check_end(&tables);
}

/// Creates a process: a client, and its mirror of the configuration.
fn start_client(
    runtime: &Runtime,
    backend: &Backend,
    master: &ActorRef<ConfigService>,
    number: usize,
    client: Client,
) {
    let mirror = ConfigService::new(Config::UseOldHideMetadata);
    let mirror = runtime.create_named(&format!("mirror {number}"), mirror);
    let mirror = mirror.expect("the name is free");
    master
        .ask(|reply| Subscribe(Some(mirror.recipient::<Push>()), reply))
        .wait();
    let table = MigratingTable::new(backend.clone(), mirror.clone());
    let service = Service::new(number, table);
    let service = runtime.create_named(&format!("service {number}"), service);
    let service = service.expect("the name is free");
    match client {
        Client::Random => service.send(Start),
        Client::Now(action) => service.send(Act::new(action)),
        Client::Hooked(triggers) => {
            for trigger in triggers {
                let hook = runtime.create(Hook::new(trigger, service.clone()));
                let recipient = Some(hook.recipient::<Push>());
                mirror.ask(|reply| Subscribe(recipient, reply)).wait();
            }
        }
    }
}

/// All has been moved, and nothing is left behind.
fn check_end(tables: &ActorRef<Tables>) {
    let dump = |side| {
        tables
            .ask(|reply| Dump(side, reply))
            .wait()
            .expect("there are tables")
    };
    let (_, reference) = tables.ask(ReadReference).wait().expect("there are tables");
    let new = dump(Side::New);
    let new: Vec<_> = new
        .iter()
        .filter_map(|row| exported(row, &Filter::All))
        .collect();
    assert_eq!(
        new, reference,
        "the new table is not the reference in the end"
    );
    let old = dump(Side::Old);
    let is_clean = old.iter().all(|row| is_internal(&row.key));
    assert!(is_clean, "rows are left in the old table: {old:?}");
}
