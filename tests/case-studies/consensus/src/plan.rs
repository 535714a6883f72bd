//! The moments of faults, by choice.

use cct::actor::SharedCounter;

/// Crashes and splits are chosen when a test begins, and happen at some disk write or message, so that each
/// is as likely as any other.
#[derive(Clone, Debug)]
pub struct Plan {
    crashes: Vec<Crash>,
    split: Option<Split>,
    writes: SharedCounter,
    messages: SharedCounter,
}

/// The crash of the replica that makes some write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Crash {
    write: i64,
    moment: Moment,
}

/// A crash comes before a write has an effect, after it, or once others were told of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// Nothing is written.
    Before,
    /// All is, and nobody knows.
    After,
    /// All is, and the messages are sent that follow from it.
    Told,
}

/// One replica is cut off from a message on, until another one.
#[derive(Clone, Copy, Debug)]
struct Split {
    replica: u32,
    begin: i64,
    end: i64,
}

/// A change of the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// This replica is cut off.
    CutOff(u32),
    /// All reach each other.
    Heal,
}

impl Plan {
    /// So many crashes among so many writes, and perhaps a split among so many messages, between so many
    /// replicas.
    #[must_use]
    pub fn choose(crashes: (u32, usize), split: Option<usize>, replicas: u32) -> Plan {
        let one_of = |number: usize| i64::from(index_below(number));
        let (number, writes) = crashes;
        let crashes = (0..number).map(|_| Crash {
            write: one_of(writes),
            moment: *cct::choose(&[Moment::Before, Moment::After, Moment::Told]),
        });
        let crashes = crashes.collect();
        let split = split.map(|messages| {
            let begin = one_of(messages);
            Split {
                replica: 1 + index_below(replicas as usize),
                begin,
                end: begin + 1 + one_of(messages),
            }
        });
        Plan {
            crashes,
            split,
            writes: SharedCounter::new(0),
            messages: SharedCounter::new(0),
        }
    }

    /// Counts a write: the moment at which its replica crashes, if it does.
    #[must_use]
    pub fn next_write(&self) -> Option<Moment> {
        let write = self.writes.increment();
        let crash = self.crashes.iter().find(|crash| crash.write == write)?;
        Some(crash.moment)
    }

    /// Counts a message: the change that comes before it.
    #[must_use]
    pub fn next_message(&self) -> Option<Change> {
        let message = self.messages.increment();
        let split = self.split?;
        if message == split.begin {
            Some(Change::CutOff(split.replica))
        } else {
            // Again and again: whoever cuts off may be late.
            (message >= split.end).then_some(Change::Heal)
        }
    }
}

fn index_below(number: usize) -> u32 {
    u32::try_from(cct::nondet_index(number)).expect("it is small")
}
