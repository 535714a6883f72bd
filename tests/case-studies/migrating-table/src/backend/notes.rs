//! Notes: the meaning of the call before.

use super::{Backend, Point, gone};
use crate::operation::{CallError, Done};
use crate::tables::{Annotate, Note, Outcome};
use crate::value::{Etag, Key};

impl Backend {
    /// Reports that the last call was of no importance to the virtual table.
    ///
    /// # Errors
    ///
    /// There are no tables any more.
    pub async fn note_nothing(&mut self) -> Result<(), CallError> {
        self.annotate(Note::Nothing).await.map(drop)
    }

    /// Reports that the last call changed a version, and nothing else.
    ///
    /// # Errors
    ///
    /// The reference has no such row.
    pub async fn note_etag(&mut self, key: Key, etag: Etag) -> Result<(), CallError> {
        self.annotate(Note::Etag(key, etag)).await.map(drop)
    }

    /// Reports that the last call was the linearization point of the operation. A batch that succeeds has
    /// these results.
    ///
    /// # Errors
    ///
    /// The operation is not valid.
    pub async fn note_point(&mut self, done: &[Done]) -> Result<(), CallError> {
        let request = self.request.clone();
        let request = request.ok_or_else(|| CallError::Internal("no operation".to_owned()))?;
        let done = done.to_vec();
        let outcome = self.annotate(Note::Point(request, done.clone())).await?;
        self.points
            .extend(outcome.map(|outcome| Point { done, outcome }));
        Ok(())
    }

    async fn annotate(&mut self, note: Note) -> Result<Option<Outcome>, CallError> {
        let answer = self.tables.ask(|reply| Annotate(note, reply)).await;
        answer.ok_or_else(gone)?
    }
}
