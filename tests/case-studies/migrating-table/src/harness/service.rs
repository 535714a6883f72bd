//! A client, which compares each of its operations with the reference.

use std::fmt;

use cct::actor::{ActorRef, Context, Runtime};

use super::random;
use crate::client::MigratingTable;
use crate::config::Done;
use crate::filter::Filter;
use crate::operation::{CallError, Operation};
use crate::tables::{Outcome, ReadReference, ReadReferenceStream, Request, Tables};
use crate::value::{Key, Row};

/// A client.
#[derive(Debug)]
pub struct Service {
    number: usize,
    table: MigratingTable,
}

/// Has the client do something at random.
#[derive(Debug)]
pub struct Start;

/// Has the client do something.
pub struct Act {
    /// The thing to do.
    pub action: Action,
    /// Says that it is done.
    pub done: Option<Done>,
}

impl Act {
    /// Makes the request of an action that nobody waits for.
    #[must_use]
    pub fn new(action: Action) -> Act {
        Act { action, done: None }
    }
}

impl fmt::Debug for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Act {:?}", self.action)
    }
}

/// Something to do. Queries are of the only partition that there is.
#[derive(Clone, Debug)]
pub enum Action {
    /// A batch.
    Batch(Vec<Operation>),
    /// An atomic query.
    Query(Filter),
    /// A streamed query.
    Stream(Filter),
}

#[cct::actor]
impl Service {
    #[on]
    async fn start(&mut self, _: Start, cx: &mut Context<Self>) -> Result<(), CallError> {
        if cct::nondet_bool() {
            return self.stream(cx.runtime(), &random::filter()).await;
        }
        for call in 0..2 {
            let (_, reference) = self.reference().await?;
            let action = random::atomic(self.number, call, &reference);
            self.perform(cx.runtime(), action).await?;
        }
        Ok(())
    }

    #[on]
    async fn act(&mut self, act: Act, cx: &mut Context<Self>) -> Result<(), CallError> {
        self.perform(cx.runtime(), act.action).await?;
        if let Some(done) = act.done {
            done();
        }
        Ok(())
    }
}

impl Service {
    /// Creates a client with this number.
    #[must_use]
    pub fn new(number: usize, table: MigratingTable) -> Service {
        Service { number, table }
    }

    async fn perform(&mut self, runtime: &Runtime, action: Action) -> Result<(), CallError> {
        match action {
            Action::Stream(filter) => self.stream(runtime, &filter).await,
            Action::Query(filter) => {
                let filter = Filter::partition("", filter);
                self.table.backend.begin(Request::Query(filter.clone()));
                let rows = self.table.query(&filter).await?;
                self.compare(&Outcome::Query(rows));
                Ok(())
            }
            Action::Batch(operations) => {
                let request = Request::Batch(operations.clone());
                self.table.backend.begin(request);
                let result = match self.table.batch(&operations).await {
                    Ok(done) => Ok(done),
                    Err(CallError::Table(error)) => Err(error),
                    Err(other) => return Err(other),
                };
                self.compare(&Outcome::Batch(result));
                Ok(())
            }
        }
    }

    /// Compares an outcome with that of the one linearization point.
    fn compare(&self, outcome: &Outcome) {
        let points = self.table.backend.points();
        assert_eq!(points.len(), 1, "there are so many linearization points");
        let point = &points[0];
        assert_eq!(*outcome, point.outcome, "the reference has another outcome");
        if let Outcome::Batch(Ok(done)) = outcome {
            assert_eq!(*done, point.done, "other results were reported");
        }
    }

    /// Makes a streamed query, each of whose rows must have been there at some time.
    async fn stream(&mut self, runtime: &Runtime, filter: &Filter) -> Result<(), CallError> {
        let (start, _) = self.reference().await?;
        let stream = self.table.stream(runtime, filter.clone()).await?;
        let mut position = Key::default();
        loop {
            let next = stream.continuation().await?;
            let went_back = next.as_ref().is_some_and(|next| *next < position);
            assert!(
                !went_back,
                "the query goes back to {next:?} from {position:?}"
            );
            let row = stream.read().await?;
            let valid = self.valid_rows(start, filter, &position).await?;
            let is_valid = valid.contains(&row);
            assert!(
                is_valid,
                "the query returns {row:?}, which is none of {valid:?}"
            );
            let Some(row) = row else { break };
            let is_before = next.as_ref().is_some_and(|next| *next <= row.key);
            assert!(
                is_before,
                "a query that begins at {next:?} would miss {row:?}"
            );
            position = row.key.after();
        }
        stream.close().await
    }

    async fn reference(&self) -> Result<(usize, Vec<Row>), CallError> {
        self.tables().ask(ReadReference).await.ok_or_else(gone)
    }

    async fn valid_rows(
        &self,
        start: usize,
        filter: &Filter,
        position: &Key,
    ) -> Result<Vec<Option<Row>>, CallError> {
        let (filter, position) = (filter.clone(), position.clone());
        let ask = |reply| ReadReferenceStream(start, filter, position, reply);
        self.tables().ask(ask).await.ok_or_else(gone)
    }

    fn tables(&self) -> &ActorRef<Tables> {
        self.table.backend.tables()
    }
}

fn gone() -> CallError {
    CallError::Internal("the tables have ended".to_owned())
}
