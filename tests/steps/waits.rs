//! A step that was carried out is never marked as one that waits, whatever its worker waits for next.

use cct::config::Settings;
use cct::harness::Explorer;
use cct::operation::Operation;
use cct::trace::Outcome;
use cct_shims::std::sync::mpsc::{channel, sync_channel};
use cct_shims::std::sync::{Mutex, RwLock};
use cct_shims::std::thread;

/// An operation that the main thread repeats, how often it is carried out, and the program, which then
/// waits for ever by one more.
const PROGRAMS: [(Operation, usize, fn()); 5] = [
    (Operation::Lock, 1, || {
        let lock = Mutex::new(());
        let _first = lock.lock().unwrap();
        drop(lock.lock());
    }),
    (Operation::Write, 1, || {
        let lock = RwLock::new(());
        let _first = lock.write().unwrap();
        drop(lock.write());
    }),
    (Operation::Send, 2, || {
        let (sender, _receiver) = sync_channel(2);
        for number in 0..3 {
            sender.send(number).unwrap();
        }
    }),
    (Operation::Recv, 2, || {
        let (sender, receiver) = channel();
        sender.send(1).unwrap();
        sender.send(2).unwrap();
        for _ in 0..3 {
            receiver.recv().unwrap();
        }
    }),
    (Operation::Park, 1, || {
        thread::current().unpark();
        for _ in 0..2 {
            thread::park();
        }
    }),
];

/// The marks of each program are right.
pub(crate) fn are_steps_of_their_own(explorer: &mut Explorer) {
    for (operation, count, body) in PROGRAMS {
        let found = explorer.explore(&Settings::default(), body).found;
        let found = found.unwrap_or_else(|| panic!("{operation:?} waits for ever"));
        let trace = explorer.replay(&found.schedule, body).trace;
        let steps = trace.steps.iter();
        let own = steps.filter(|step| step.operation == operation as u8);
        let outcomes: Vec<Outcome> = own.map(|step| step.outcome).collect();
        let mut expected = vec![Outcome::Done; count];
        expected.push(Outcome::Waits);
        assert_eq!(outcomes, expected, "{operation:?}");
    }
}
