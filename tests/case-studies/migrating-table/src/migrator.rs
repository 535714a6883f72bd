//! The migrator, which moves all rows while clients use them.

use cct::actor::ActorRef;

use crate::backend::Backend;
use crate::bug::Bug;
use crate::config::{Config, ConfigService, Subscription, push};
use crate::filter::Filter;
use crate::names::{exported, is_internal, is_tombstone};
use crate::operation::{CallError, IfMatch, Kind, Operation, Status};
use crate::tables::Side;
use crate::value::{Key, Properties, Row};

/// Moves all rows from the old table to the new one. It can be started again after it was stopped.
#[derive(Debug)]
pub struct Migrator {
    backend: Backend,
    config: ActorRef<ConfigService>,
    persistence: Persistence,
}

/// Starts the migration, or goes on with it.
#[derive(Debug)]
pub struct Migrate(pub Persistence);

/// Whether the migration comes to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Persistence {
    /// It does.
    Complete,
    /// It may stop before any row, or phase.
    MayStop,
}

/// The reason why the migration stops early.
enum Stop {
    Chosen,
    Error(CallError),
}

impl From<CallError> for Stop {
    fn from(error: CallError) -> Stop {
        Stop::Error(error)
    }
}

#[cct::actor]
impl Migrator {
    #[on]
    async fn migrate(&mut self, Migrate(persistence): Migrate) -> Result<(), CallError> {
        self.persistence = persistence;
        match self.run().await {
            Ok(()) | Err(Stop::Chosen) => Ok(()),
            Err(Stop::Error(error)) => Err(error),
        }
    }
}

impl Migrator {
    /// Creates the migrator of these tables.
    #[must_use]
    pub fn new(backend: Backend, config: ActorRef<ConfigService>) -> Migrator {
        Migrator {
            backend,
            config,
            persistence: Persistence::Complete,
        }
    }

    /// Chooses whether to stop.
    fn may_stop(&self) -> Result<(), Stop> {
        let stops = self.persistence == Persistence::MayStop && cct::nondet_index(8) == 7;
        if stops { Err(Stop::Chosen) } else { Ok(()) }
    }

    async fn run(&mut self) -> Result<(), Stop> {
        let (current, subscription) = Subscription::new(&self.config, None).await?;
        drop(subscription);
        if current <= Config::PreferNew {
            self.go_to(current, Config::PreferOld).await?;
            self.go_to(current, Config::PreferNew).await?;
            self.copy_all().await?;
        }
        self.go_to(current, Config::UseNewWithTombstones).await?;
        self.go_to(current, Config::UseNewHideMetadata).await?;
        self.clean(Side::New).await?;
        self.clean(Side::Old).await
    }

    /// Changes the configuration, unless that was done before.
    async fn go_to(&mut self, current: Config, config: Config) -> Result<(), Stop> {
        let skipped = match config {
            Config::PreferOld => Some(Bug::MigrateSkipPreferOld),
            Config::PreferNew => Some(Bug::InsertBehindMigrator),
            Config::UseNewWithTombstones => Some(Bug::MigrateSkipUseNewWithTombstones),
            _ => None,
        };
        if current >= config || skipped.is_some_and(|bug| self.backend.has(bug)) {
            return Ok(());
        }
        self.may_stop()?;
        Ok(push(&self.config, config).await?)
    }

    async fn copy_all(&mut self) -> Result<(), Stop> {
        let mut partition = None;
        let mut stream = (self.backend)
            .open(Side::Old, Filter::All, Key::default())
            .await?;
        while let Some(row) = self.backend.read(stream).await? {
            self.may_stop()?;
            if partition.as_ref() != Some(&row.key.partition) {
                let name = row.key.partition.clone();
                self.backend.ensure_switched(&name).await?;
                let start = Key::new(&name, "");
                partition = Some(name);
                if self.backend.has(Bug::InsertBehindMigrator) {
                    self.backend.close(stream).await?;
                    stream = self.backend.open(Side::Old, Filter::All, start).await?;
                    continue;
                }
            }
            if !is_internal(&row.key) {
                self.backend.copy(&row).await?;
            }
        }
        Ok(self.backend.close(stream).await?)
    }

    /// Removes all traces of the migration from one table.
    async fn clean(&mut self, side: Side) -> Result<(), Stop> {
        let stream = self.backend.open(side, Filter::All, Key::default()).await?;
        while let Some(row) = self.backend.read(stream).await? {
            self.may_stop()?;
            self.clean_row(side, row).await?;
        }
        Ok(self.backend.close(stream).await?)
    }

    async fn clean_row(&mut self, side: Side, mut row: Row) -> Result<(), CallError> {
        loop {
            let key = row.key.clone();
            let is_removed = side == Side::Old || is_tombstone(&row);
            let operation = match exported(&row, &Filter::All) {
                Some(row) if !is_removed => {
                    Operation::new(Kind::Replace, key.clone(), row.properties)
                }
                _ => Operation::new(Kind::Delete, key.clone(), Properties::new()),
            };
            let operation = operation.if_match(IfMatch::Etag(row.etag));
            let result = self.backend.batch(side, vec![operation]).await;
            match result {
                Ok(done) => {
                    return match done[0].etag {
                        Some(etag) => self.backend.note_etag(key, etag).await,
                        None => self.backend.note_nothing().await,
                    };
                }
                Err(CallError::Table(error)) if error.status == Status::NotFound => {
                    return self.backend.note_nothing().await;
                }
                Err(CallError::Table(error)) if error.status == Status::PreconditionFailed => {
                    self.backend.note_nothing().await?;
                }
                Err(other) => return Err(other.unexpected()),
            }
            let found = self.backend.retrieve(side, key).await?;
            self.backend.note_nothing().await?;
            match found {
                Some(found) => row = found,
                None => return Ok(()),
            }
        }
    }
}
