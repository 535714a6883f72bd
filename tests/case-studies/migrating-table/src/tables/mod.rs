//! The machine that has all tables: old, new, and the reference that they are compared with.
//!
//! After a call that belongs to an operation of a client it does nothing else until the caller has said
//! whether the call was the operation's linearization point. If so, it executes the operation on the
//! reference in the same moment. So nobody ever sees the tables out of step.

mod events;

use std::collections::BTreeMap;

pub use events::{
    Annotate, Batch, CloseStream, Dump, Note, OpenStream, Outcome, Query, ReadReference,
    ReadReferenceStream, ReadStream, Request, Retrieve, Side, StreamId,
};

use crate::filter::Filter;
use crate::operation::{CallError, Done, Kind, Operation, Status};
use crate::spec::SpecTable;
use crate::value::{Key, Properties, Row};

/// The state in which it does what it is asked for.
#[derive(Debug)]
pub struct Ready;

/// The state in which it waits for a note.
#[derive(Debug)]
pub struct WaitingForNote;

/// All tables.
#[derive(Debug)]
pub struct Tables {
    old: SpecTable,
    new: SpecTable,
    reference: SpecTable,
    streams: BTreeMap<StreamId, BackendStream>,
    next_stream: u32,
}

#[derive(Debug)]
struct BackendStream {
    side: Side,
    filter: Filter,
    start: usize,
    position: Key,
}

impl Tables {
    /// Creates tables with these rows in the old one.
    ///
    /// # Errors
    ///
    /// The rows are not valid.
    pub fn new(rows: &[(Key, Properties)]) -> Result<Tables, CallError> {
        let mut old = SpecTable::new('o');
        let mut reference = SpecTable::new('r');
        for (key, properties) in rows {
            let insert = [Operation::new(
                Kind::Insert,
                key.clone(),
                properties.clone(),
            )];
            let done = old.batch(&insert)?;
            reference.mirror(&insert, &done)?;
        }
        Ok(Tables {
            old,
            new: SpecTable::new('n'),
            reference,
            streams: BTreeMap::new(),
            next_stream: 0,
        })
    }

    fn table(&mut self, side: Side) -> &mut SpecTable {
        match side {
            Side::Old => &mut self.old,
            Side::New => &mut self.new,
        }
    }

    /// Does to the reference what a note says.
    fn follow(&mut self, note: Note) -> Result<Option<Outcome>, CallError> {
        match note {
            Note::Nothing => Ok(None),
            Note::Point(Request::Query(filter), _) => {
                Ok(Some(Outcome::Query(self.reference.query(&filter))))
            }
            Note::Point(Request::Batch(operations), done) => {
                let outcome = match self.reference.mirror(&operations, &done) {
                    Ok(done) => Ok(done),
                    Err(CallError::Table(error)) => Err(error),
                    Err(other) => return Err(other),
                };
                Ok(Some(Outcome::Batch(outcome)))
            }
            Note::Etag(key, etag) => {
                let merge = [Operation::new(Kind::Merge, key, Properties::new())];
                let (status, etag) = (Status::NoContent, Some(etag));
                (self.reference.mirror(&merge, &[Done { status, etag }]))
                    .map_err(CallError::unexpected)?;
                Ok(None)
            }
        }
    }

    /// Reads a row that a stream may return now, whichever the strategy chooses.
    fn read(&mut self, id: StreamId) -> Result<Option<Row>, CallError> {
        let stream =
            (self.streams.get_mut(&id)).ok_or(CallError::Invalid("a stream that has ended"))?;
        let table = match stream.side {
            Side::Old => &self.old,
            Side::New => &self.new,
        };
        let rows = table.valid_stream_rows(stream.start, &stream.filter, &stream.position);
        let row = match rows.as_slice() {
            [row] => row,
            rows => cct::choose(rows),
        };
        if let Some(row) = row {
            stream.position = row.key.after();
        }
        Ok(row.clone())
    }
}

#[cct::machine(start = Ready)]
#[defer(WaitingForNote: Batch, Query, Retrieve, OpenStream, ReadStream, CloseStream)]
#[defer(WaitingForNote: ReadReference, ReadReferenceStream, Dump)]
impl Tables {
    #[on]
    fn batch(&mut self, _: &mut Ready, Batch(side, operations, reply): Batch) -> WaitingForNote {
        let _ = reply.send(self.table(side).batch(&operations));
        WaitingForNote
    }

    #[on]
    fn query(&mut self, _: &mut Ready, Query(side, filter, reply): Query) -> WaitingForNote {
        let _ = reply.send(self.table(side).query(&filter));
        WaitingForNote
    }

    #[on]
    fn retrieve(&mut self, _: &mut Ready, Retrieve(side, key, reply): Retrieve) -> WaitingForNote {
        let _ = reply.send(self.table(side).retrieve(&key));
        WaitingForNote
    }

    #[on]
    fn annotate(&mut self, _: &mut WaitingForNote, Annotate(note, reply): Annotate) -> Ready {
        let _ = reply.send(self.follow(note));
        Ready
    }

    #[on]
    fn open_stream(&mut self, _: &mut Ready, open: OpenStream) {
        let OpenStream(side, filter, position, reply) = open;
        let id = StreamId(self.next_stream);
        self.next_stream += 1;
        let stream = BackendStream {
            side,
            filter,
            start: self.table(side).revision(),
            position,
        };
        self.streams.insert(id, stream);
        let _ = reply.send(id);
    }

    #[on]
    fn read_stream(&mut self, _: &mut Ready, ReadStream(id, reply): ReadStream) {
        let _ = reply.send(self.read(id));
    }

    #[on]
    fn close_stream(&mut self, _: &mut Ready, CloseStream(id, reply): CloseStream) {
        self.streams.remove(&id);
        let _ = reply.send(());
    }

    #[on]
    fn read_reference(&mut self, _: &mut Ready, ReadReference(reply): ReadReference) {
        let _ = reply.send((
            self.reference.revision(),
            self.reference.query(&Filter::All),
        ));
    }

    #[on]
    fn read_reference_stream(&mut self, _: &mut Ready, read: ReadReferenceStream) {
        let ReadReferenceStream(start, filter, position, reply) = read;
        let _ = reply.send((self.reference).valid_stream_rows(start, &filter, &position));
    }

    #[on]
    fn dump(&mut self, _: &mut Ready, Dump(side, reply): Dump) {
        let _ = reply.send(self.table(side).query(&Filter::All));
    }
}
