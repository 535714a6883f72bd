//! Streamed queries, which live through changes of the configuration.

mod adapter;
mod lock;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cct::actor::{ActorRef, Runtime};

pub use adapter::Adapter;
pub use lock::{Acquire, Lock, Permit, Release};

use crate::backend::Backend;
use crate::bug::Bug;
use crate::config::{Config, ConfigService, Subscription};
use crate::filter::Filter;
use crate::names::exported;
use crate::operation::CallError;
use crate::tables::{Side, StreamId};
use crate::value::{Key, Row};

/// A streamed query.
#[derive(Clone, Debug)]
pub struct Stream(Arc<Shared>);

/// The reader's and the adapter's.
#[derive(Debug)]
struct Shared {
    backend: Backend,
    filter: Filter,
    lock: ActorRef<Lock>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    config: Config,
    subscription: Option<Subscription>,
    old: Half,
    new: Half,
}

/// The query on one of the tables, with its next row.
#[derive(Default, Debug)]
struct Half {
    stream: Option<StreamId>,
    next: Option<Row>,
}

impl State {
    fn half(&mut self, side: Side) -> &mut Half {
        match side {
            Side::Old => &mut self.old,
            Side::New => &mut self.new,
        }
    }

    /// Returns the smaller key of the next rows.
    fn key(&self) -> Option<Key> {
        let rows = self.old.next.iter().chain(&self.new.next);
        rows.map(|row| &row.key).min().cloned()
    }
}

impl Stream {
    /// Begins a query.
    ///
    /// # Errors
    ///
    /// The backend fails.
    pub async fn open(
        runtime: &Runtime,
        service: &ActorRef<ConfigService>,
        backend: &Backend,
        filter: Filter,
    ) -> Result<Stream, CallError> {
        let stream = Stream(Arc::new(Shared {
            backend: backend.clone(),
            filter,
            lock: runtime.create(Lock),
            state: Mutex::new(State {
                config: Config::UseOldHideMetadata,
                subscription: None,
                old: Half::default(),
                new: Half::default(),
            }),
        }));
        let _permit = stream.enter().await?;
        let adapter = runtime.create(Adapter::new(stream.clone()));
        let recipient = Some(adapter.recipient());
        let (config, subscription) = Subscription::new(service, recipient).await?;
        {
            let mut state = stream.state();
            state.config = config;
            state.subscription = Some(subscription);
        }
        if config < Config::UseNewWithTombstones {
            stream.open_half(Side::Old, Key::default()).await?;
        }
        if config > Config::UseOldHideMetadata {
            stream.open_half(Side::New, Key::default()).await?;
        }
        Ok(stream)
    }

    /// Returns the next row; none at the end.
    ///
    /// # Errors
    ///
    /// The backend fails.
    pub async fn read(&self) -> Result<Option<Row>, CallError> {
        let _permit = self.enter().await?;
        loop {
            let Some(key) = self.state().key() else {
                return Ok(None);
            };
            let old = self.take(Side::Old, &key).await?;
            let new = self.take(Side::New, &key).await?;
            let row = new.or(old);
            let row = row.and_then(|row| exported(&row, &self.0.filter));
            if row.is_some() {
                return Ok(row);
            }
        }
    }

    /// Returns a key after the last row from which the query could be begun again; none at the end.
    ///
    /// # Errors
    ///
    /// The stream's lock is gone.
    pub async fn continuation(&self) -> Result<Option<Key>, CallError> {
        let _permit = self.enter().await?;
        Ok(self.state().key())
    }

    /// Adapts to a configuration.
    ///
    /// # Errors
    ///
    /// The backend fails.
    pub async fn apply(&self, config: Config) -> Result<(), CallError> {
        let _permit = self.enter().await?;
        let (current, key) = {
            let state = self.state();
            (state.config, state.key())
        };
        let mut is_fresh = false;
        if let (Config::UseOldHideMetadata, Some(key)) = (current, &key)
            && config > Config::UseOldHideMetadata
        {
            self.open_half(Side::New, key.clone()).await?;
            is_fresh = true;
        }
        let last = Config::UseNewHideMetadata;
        if config == last && current < last {
            self.close_half(Side::Old).await?;
            self.state().old.next = None;
            let backs_up = !is_fresh && !self.has(Bug::QueryStreamedBackUpNewStream);
            if let (true, Some(key)) = (backs_up, key) {
                self.close_half(Side::New).await?;
                self.open_half(Side::New, key).await?;
            }
        }
        if !self.has(Bug::QueryStreamedSaveNewConfig) {
            self.state().config = config;
        }
        Ok(())
    }

    /// Ends the query.
    ///
    /// # Errors
    ///
    /// The backend fails.
    pub async fn close(&self) -> Result<(), CallError> {
        let _permit = self.enter().await?;
        let subscription = self.state().subscription.take();
        drop(subscription);
        self.close_half(Side::Old).await?;
        self.close_half(Side::New).await
    }

    fn has(&self, bug: Bug) -> bool {
        self.0.backend.has(bug)
    }

    /// Waits until nobody else is at work on the stream.
    async fn enter(&self) -> Result<Option<Permit>, CallError> {
        if self.has(Bug::QueryStreamedLock) {
            return Ok(None);
        }
        let permit = self.0.lock.ask(Acquire).await;
        let error = || CallError::Internal("the stream's lock has ended".to_owned());
        permit.ok_or_else(error).map(Some)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn open_half(&self, side: Side, from: Key) -> Result<(), CallError> {
        // New rows that do not match hide old ones that do.
        let is_filtered = side == Side::Old || self.has(Bug::QueryStreamedFilterShadowing);
        let filter = if is_filtered {
            self.0.filter.clone()
        } else {
            Filter::All
        };
        let stream = self.0.backend.open(side, filter, from).await?;
        self.state().half(side).stream = Some(stream);
        self.advance(side).await
    }

    async fn close_half(&self, side: Side) -> Result<(), CallError> {
        let stream = self.state().half(side).stream.take();
        match stream {
            Some(stream) => self.0.backend.close(stream).await,
            None => Ok(()),
        }
    }

    /// Reads the next row of one table.
    async fn advance(&self, side: Side) -> Result<(), CallError> {
        let stream = self.state().half(side).stream;
        let error = || CallError::Internal(format!("nothing to read in {side:?}"));
        let row = self.0.backend.read(stream.ok_or_else(error)?).await?;
        self.state().half(side).next = row;
        Ok(())
    }

    /// Takes the next row of one table if it has this key.
    async fn take(&self, side: Side, key: &Key) -> Result<Option<Row>, CallError> {
        let next = self.state().half(side).next.clone();
        let row = next.filter(|row| row.key == *key);
        if row.is_some() {
            self.advance(side).await?;
        }
        Ok(row)
    }
}
