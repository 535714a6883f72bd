//! The binary form of the values that cross the process boundary: little-endian, lengths first.
//!
//! One trait, implemented for the few shapes that are needed. Both sides are the same code, so there is
//! no schema; [`crate::wire::VERSION`] tells a foreign file apart.

/// The hash of bytes that is the same in each process: FNV-1a.
pub fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    hash_on(0xCBF2_9CE4_8422_2325, bytes)
}

/// The same, from a number on that is the bytes' before.
pub fn hash_on(before: u64, bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(before, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// A value with a binary form.
pub trait Wire: Sized {
    /// Appends the value.
    fn put(&self, out: &mut Vec<u8>);
    /// Takes the value off the front; `None` when the bytes are too short or make no sense.
    fn take(input: &mut &[u8]) -> Option<Self>;

    /// The value's bytes.
    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.put(&mut out);
        out
    }

    /// The value of exactly these bytes.
    fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let value = Self::take(&mut bytes)?;
        bytes.is_empty().then_some(value)
    }
}

macro_rules! numbers {
    ($($number:ty)*) => { $(
        impl Wire for $number {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn take(input: &mut &[u8]) -> Option<Self> {
                let (front, rest) = input.split_first_chunk()?;
                *input = rest;
                Some(<$number>::from_le_bytes(*front))
            }
        }
    )* };
}
numbers!(u8 u32 u64 i32);

impl Wire for f64 {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_bits().put(out);
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        Some(f64::from_bits(u64::take(input)?))
    }
}

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        match u8::take(input)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        put_length(self.len(), out);
        out.extend_from_slice(self.as_bytes());
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        let length = take_length(input)?;
        let (front, rest) = input.split_at_checked(length)?;
        *input = rest;
        String::from_utf8(front.to_vec()).ok()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        if bool::take(input)? {
            Some(Some(T::take(input)?))
        } else {
            Some(None)
        }
    }
}

impl<T: Wire> Wire for Box<T> {
    fn put(&self, out: &mut Vec<u8>) {
        T::put(self, out);
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        T::take(input).map(Box::new)
    }
}

impl<T: Wire, const N: usize> Wire for [T; N] {
    fn put(&self, out: &mut Vec<u8>) {
        for value in self {
            value.put(out);
        }
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        let values: Option<Vec<T>> = (0..N).map(|_| T::take(input)).collect();
        values?.try_into().ok()
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        put_length(self.len(), out);
        for value in self {
            value.put(out);
        }
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        let length = take_length(input)?;
        (0..length).map(|_| T::take(input)).collect()
    }
}

fn put_length(length: usize, out: &mut Vec<u8>) {
    u32::try_from(length)
        .expect("a message has fewer than 2^32 parts")
        .put(out);
}

fn take_length(input: &mut &[u8]) -> Option<usize> {
    let length = usize::try_from(u32::take(input)?).ok()?;
    // A part takes a byte at least: a wrong length must not make us allocate.
    (length <= input.len()).then_some(length)
}

/// Implements [`Wire`] for a struct by its fields in order. Fields behind a semicolon are the
/// reader's to fill in, and are not sent.
macro_rules! wire_struct {
    ($name:ident { $($field:ident),* $(,)? $(; $($own:ident),*)? }) => {
        impl $crate::codec::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $($crate::codec::Wire::put(&self.$field, out);)*
            }
            fn take(input: &mut &[u8]) -> Option<Self> {
                Some($name {
                    $($field: $crate::codec::Wire::take(input)?,)*
                    $($($own: Default::default(),)*)?
                })
            }
        }
        #[cfg(test)]
        impl $crate::fuzz::Drawn for $name {
            fn drawn(source: &mut &[u8]) -> Self {
                $name {
                    $($field: $crate::fuzz::Drawn::drawn(source),)*
                    $($($own: Default::default(),)*)?
                }
            }
        }
    };
}

/// Implements [`Wire`] for an enum of unit and one-field variants, each with its code.
macro_rules! wire_enum {
    ($name:ident { $($code:literal $variant:ident $(($field:ident))?),* $(,)? }) => {
        impl $crate::codec::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $($name::$variant $(($field))? => {
                        out.push($code);
                        $($crate::codec::Wire::put($field, out);)?
                    })*
                }
            }
            fn take(input: &mut &[u8]) -> Option<Self> {
                match <u8 as $crate::codec::Wire>::take(input)? {
                    $($code => Some($name::$variant $(({
                        let $field = $crate::codec::Wire::take(input)?;
                        $field
                    }))?),)*
                    _ => None,
                }
            }
        }
        #[cfg(test)]
        impl $crate::fuzz::Drawn for $name {
            fn drawn(source: &mut &[u8]) -> Self {
                let codes = [$($code),*];
                match codes[usize::from(u8::drawn(source)) % codes.len()] {
                    $($code => $name::$variant $(({
                        let $field = $crate::fuzz::Drawn::drawn(source);
                        $field
                    }))?,)*
                    _ => unreachable!("it is one of the codes"),
                }
            }
        }
    };
}

pub(crate) use {wire_enum, wire_struct};

#[cfg(test)]
mod tests {
    use super::Wire;
    use crate::strategy::Rng;
    use crate::trace::{
        Older, Outcome, Run, Schedule, Site, Step, Trace, Value, WorkerInfo, WorkerKind,
    };
    use crate::verdict::{Bug, BugKind, Consequence, Unpolled, Verdict, Wait};
    use crate::wire::{Counters, Event, Panic, Replayed};

    /// A value with a bit of everything, from random numbers.
    fn event(rng: &mut Rng) -> Event {
        let site = |rng: &mut Rng| Site {
            file: "é/".repeat(rng.below(3) as usize),
            line: rng.below(u32::MAX),
            column: 1,
        };
        let panics = (0..rng.below(3)).map(|worker| Panic {
            worker,
            name: (worker > 0).then(|| "n".to_owned()),
            message: String::new(),
            site: (worker == 0).then(|| site(rng)),
        });
        let unobserved_panics: Vec<Panic> = panics.collect();
        if rng.below(3) == 0 {
            return Event::Progress(Counters {
                steps: rng.bits(),
                sequential: rng.below(2) == 0,
                unobserved_panics,
                ..Counters::default()
            });
        }
        let steps = (0..rng.below(9)).map(|worker| Step {
            order: None,
            worker,
            operation: 3,
            object: (worker % 2 == 0).then_some(worker),
            site: 0,
            outcome: Outcome::Waits,
            read: Some(Value::Signed(rng.bits())),
            older: (rng.below(2) == 0).then(|| Older {
                step: Some(rng.below(9)),
                latest: Value::Bool(true),
            }),
            written: (worker > 4).then_some(Value::Bool(true)),
            choice_point: worker > 2,
            preempts: worker > 3,
            label: (worker > 3).then_some(worker),
            thread: (worker > 5).then_some(1),
            ahead_of: (0..worker % 3).collect(),
            note: worker > 6,
            unpicked: worker == 5,
            stack: (worker > 2).then_some(worker),
            caller: None,
            path: None,
        });
        let trace = Trace {
            steps: steps.collect(),
            schedule: Schedule {
                runs: (0..rng.below(9))
                    .map(|steps| Run { worker: 1, steps })
                    .collect(),
                choices: vec![rng.below(7); rng.below(4) as usize],
                ..Schedule::default()
            },
            workers: vec![WorkerInfo {
                name: None,
                spawned_at: Some(site(rng)),
                kind: WorkerKind::Root(7),
                made_by: Some(rng.below(9)),
            }],
            ..Trace::default()
        };
        let wait = Wait {
            worker: 1,
            operation: 2,
            address: rng.bits(),
            object: None,
            site: site(rng),
            holder: Some(2),
            spins: false,
            in_cycle: true,
            task: Some(Unpolled::Woken),
            caller: Some(site(rng)),
        };
        let led_to = Consequence {
            worker: 3,
            message: "n".to_owned(),
            site: Some(site(rng)),
        };
        let bug = Bug {
            waits: vec![wait; rng.below(3) as usize],
            led_to: (rng.below(2) == 0).then_some(led_to),
            ..Bug::new(BugKind::LockCycle, "m".to_owned(), None, None)
        };
        Event::Replayed(Replayed {
            verdict: Verdict::failed(bug),
            trace,
            divergence: None,
            unobserved_panics,
            stopped: (rng.below(2) == 0).then(|| rng.below(9)),
        })
    }

    #[test]
    fn values_come_back_and_parts_of_them_do_not() {
        let mut rng = Rng::new(1);
        for _ in 0..100 {
            let event = event(&mut rng);
            let mut bytes = event.to_bytes();
            for length in 0..bytes.len() {
                assert_eq!(Event::from_bytes(&bytes[..length]), None);
            }
            assert_eq!(Event::from_bytes(&bytes).as_ref(), Some(&event));
            bytes.push(0);
            assert_eq!(Event::from_bytes(&bytes), None);
        }
    }

    #[test]
    fn noise_is_refused_or_read_but_never_a_panic() {
        let mut rng = Rng::new(2);
        for _ in 0..10_000 {
            let mut bytes = event(&mut rng).to_bytes();
            for _ in 0..3 {
                let at = rng.below(bytes.len() as u32) as usize;
                bytes[at] = rng.bits() as u8;
            }
            drop(Event::from_bytes(&bytes));
        }
        assert_eq!(Vec::<u32>::from_bytes(&[255; 4]), None);
    }
}
