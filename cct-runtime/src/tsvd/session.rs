//! A process under delay injection: the one place where threads meet, are held, and are told of.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::allowance::Allowance;
use super::functions;
use super::group::{Api, Object};
use super::memory::{self, Looks, Near, TICK};
use super::order;
use super::parameters::{Algorithm, Parameters};
use super::party::{self, Who};
use super::planner::{Planner, Point, Time};
use super::told::{Figures, PairTold, Place, Severity, Side, Standing, Violation};
use super::trap_set::{Pair, PlaceId};
use crate::frames::Frames;
use crate::trace::Site;
use crate::wire::Event;

/// A place as the process knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum At {
    /// Where a call returns to.
    Code(u32),
    /// A line of the source.
    Line(&'static std::panic::Location<'static>),
    /// Where a call of a shared library returns to.
    Library(usize),
}

impl At {
    /// The same number for the same place, in each process.
    fn id(self) -> PlaceId {
        match self {
            At::Code(offset) => PlaceId::from(functions::place_of(offset)),
            At::Library(address) => address as u64 | 1 << 62,
            At::Line(site) => Place::id_of_line(site.file(), site.line(), site.column()),
        }
    }

    fn told(self) -> Place {
        match self {
            At::Code(offset) => Place {
                offset: u64::from(offset),
                site: None,
            },
            At::Line(site) => Place {
                offset: 0,
                site: Some(Site::from(site)),
            },
            At::Library(_) => Place::default(),
        }
    }
}

/// An access as it comes.
#[derive(Clone, Copy, Debug)]
struct Access {
    object: Object,
    writes: bool,
    at: At,
    /// The function, if it is no access to memory.
    api: Option<&'static Api>,
}

/// A thread that is held.
#[derive(Debug)]
struct Trap {
    number: u64,
    access: Access,
    who: Who,
    thread: String,
    calls: Vec<u64>,
    /// Somebody has come.
    has_caught: bool,
}

/// All that the threads share.
struct State {
    planner: Planner,
    /// Accesses whose order is known are not near.
    by_locks: bool,
    allowance: Allowance,
    traps: Vec<Trap>,
    last_trap: u64,
    places: BTreeMap<PlaceId, Place>,
    /// The accesses that were seen at each place in code, as offsets.
    accesses: BTreeMap<PlaceId, BTreeSet<u32>>,
    /// How often each pair was seen, and by which stacks.
    seen: BTreeMap<Pair, Vec<u64>>,
    figures: Figures,
}

static STATE: OnceLock<Mutex<State>> = OnceLock::new();
static CAUGHT: Condvar = Condvar::new();
/// Of one pair of places no more are told, by other stacks.
const STACKS: usize = 16;

/// Begins, with the pairs of an earlier run.
pub(super) fn begin(
    parameters: Parameters,
    known: &[(PlaceId, PlaceId, Standing)],
    sees_memory: bool,
) {
    crate::engine::hear_of_order();
    if parameters.algorithm == Algorithm::TsvdHb {
        order::order_by_all();
    }
    if sees_memory {
        let ticks = |time: Duration| (time.as_nanos() / u128::from(TICK)) as u32;
        let all_shared = matches!(
            parameters.algorithm,
            Algorithm::DynamicRandom | Algorithm::StaticRandom
        );
        let looks = Looks {
            window: if parameters.windows && parameters.algorithm == Algorithm::Tsvd {
                ticks(parameters.near_miss_window).max(1)
            } else {
                u32::MAX
            },
            // Also without inference: so each thread's first access is heard of, and phases are known.
            pause: if parameters.algorithm == Algorithm::Tsvd {
                ticks(parameters.delay.mul_f64(parameters.hb_threshold)).max(1)
            } else {
                u32::MAX
            },
            locks: parameters.locks || parameters.algorithm == Algorithm::TsvdHb,
            all_shared,
            burst: if all_shared || parameters.burst == 0 {
                u32::MAX
            } else {
                parameters.burst
            },
        };
        memory::begin(looks);
    }
    let state = State {
        allowance: Allowance::new(&parameters, now()),
        by_locks: parameters.locks || parameters.algorithm == Algorithm::TsvdHb,
        planner: Planner::new(parameters),
        traps: Vec::new(),
        last_trap: 0,
        places: BTreeMap::new(),
        accesses: BTreeMap::new(),
        seen: BTreeMap::new(),
        figures: Figures::default(),
    };
    if STATE.set(Mutex::new(state)).is_ok() {
        let mut state = state_of().expect("it was just set");
        for &(one, other, standing) in known {
            state.know_pair(one, other, standing);
        }
        state.tell_changes();
        drop(state);
        start_clock();
    }
}

/// Tells the figures; the process is about to end.
pub(super) fn end() {
    let figures = state_of().map(|state| {
        let (places, places_at_once) = state.planner.coverage();
        Figures {
            places,
            places_at_once,
            ..state.figures.clone()
        }
    });
    // Others may still come meanwhile.
    if let Some(figures) = figures {
        crate::harness::tell(&Event::Figures(figures));
    }
}

/// An access to memory, of the kind that may be part of a violation.
#[cold]
pub(super) fn at_memory(
    (address, size): (usize, usize),
    writes: bool,
    place: u32,
    near: Option<Near>,
) {
    let access = Access {
        object: Object::Memory { address, size },
        writes,
        at: At::Code(place),
        api: None,
    };
    let Some(_within) = party::within() else {
        return;
    };
    let has_counted = meet(access, near);
    if let (false, Some(near)) = (has_counted, near) {
        memory::untell(near.place, place);
    }
}

/// A call of a function of a group.
pub(super) fn at_call(api: &'static Api, key: u64, at: At) {
    let access = Access {
        object: Object::Of(api.group, key),
        writes: api.writes,
        at,
        api: Some(api),
    };
    if let Some(_within) = party::within() {
        meet(access, None);
    }
}

fn state_of() -> Option<MutexGuard<'static, State>> {
    let state = STATE.get()?;
    Some(state.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The thread meets those that are held, and may be held itself. True if several threads are at work.
fn meet(access: Access, near: Option<Near>) -> bool {
    let Some(mut state) = state_of() else {
        return true;
    };
    let who = party::who();
    let point = Point {
        party: who.party,
        object: access.object.key(),
        writes: access.writes,
        place: access.at.id(),
        at: now(),
        test: match access.object.severity() {
            Severity::Logical => who.test.map_or(0, |test| test.number),
            Severity::Undefined | Severity::Contract => 0,
        },
        epoch: order::epoch(),
        lock: order::under_lock(),
    };
    state.figures.points += 1;
    state.know(access.at, point.place);
    state.spring(access, who);
    let near = near.map(|near| state.point_of(near, &point));
    let by_locks = state.by_locks;
    let is_ordered = |before: &Point| {
        by_locks
            && (order::exclude(before.lock, point.lock)
                || order::is_before(before.party, before.epoch))
    };
    let at_once = state.planner.observe(point, near.as_slice(), is_ordered);
    state.tell_changes();
    if state.is_partner_held(access.object, who) {
        // Somebody waits there for this thread to go on, and to come to an access that conflicts.
        return at_once;
    }
    let Some(delay) = state.planner.wants_delay(&point, at_once) else {
        return at_once;
    };
    let test = who.test.map_or(0, |test| test.number);
    let granted = state.allowance.grant(who.thread, test, delay, point.at);
    if granted == 0 {
        state.figures.spared += u64::from(delay > 0);
        return at_once;
    }
    let (mut state, was_fruitless) = hold(state, access, who, granted);
    let ended = now();
    let held = ended.saturating_sub(point.at);
    state
        .allowance
        .give_back(who.thread, test, granted.saturating_sub(held));
    state.figures.delays += 1;
    state.figures.delayed += held / 1000;
    state.planner.delayed(&point, ended, was_fruitless);
    state.tell_changes();
    at_once
}

/// Holds the calling thread until another one comes, or for so long. True if nobody came.
fn hold(
    mut state: MutexGuard<'static, State>,
    access: Access,
    who: Who,
    delay: Time,
) -> (MutexGuard<'static, State>, bool) {
    state.last_trap += 1;
    let number = state.last_trap;
    state.traps.push(Trap {
        number,
        access,
        who,
        thread: thread_name(),
        calls: Frames::here().places().to_vec(),
        has_caught: false,
    });
    mark_held(access.object, true);
    let position = |state: &State| state.traps.iter().position(|trap| trap.number == number);
    let (mut state, _) = CAUGHT
        .wait_timeout_while(state, Duration::from_nanos(delay), |state| {
            position(state).is_some_and(|at| !state.traps[at].has_caught)
        })
        .unwrap_or_else(PoisonError::into_inner);
    mark_held(access.object, false);
    let trap = position(&state).map(|at| state.traps.swap_remove(at));
    let has_caught = trap.is_some_and(|trap| trap.has_caught);
    if has_caught {
        // The one that came goes first: two accesses that are really made at a time may break the program,
        // and there is more to find in it.
        drop(state);
        pause(HEAD_START);
        state = state_of().expect("it has begun");
    }
    (state, !has_caught)
}

/// How far who comes is ahead of who was held.
const HEAD_START: Duration = Duration::from_millis(1);

fn mark_held(object: Object, is_held: bool) {
    if let Object::Memory { address, size } = object {
        memory::mark_held(address, size, is_held);
    }
}

impl State {
    /// Tells of all that are held before accesses that this one conflicts with, and lets them go.
    fn spring(&mut self, access: Access, who: Who) {
        let mut has_caught = false;
        for at in 0..self.traps.len() {
            let trap = &self.traps[at];
            let is_conflict = trap.who.party != who.party
                && trap.who.thread != who.thread
                && (trap.access.writes || access.writes)
                && trap.access.object.meets(access.object)
                && (access.object.severity() != Severity::Logical
                    || are_of_two_tests(&trap.who, &who));
            if is_conflict {
                self.tell(at, access, who);
                self.traps[at].has_caught = true;
                has_caught = true;
            }
        }
        if has_caught {
            CAUGHT.notify_all();
        }
    }

    /// True if another party is held before an access of this object.
    fn is_partner_held(&self, object: Object, who: Who) -> bool {
        let traps = self.traps.iter();
        let others = traps.filter(|trap| trap.who.party != who.party);
        let mut objects = others.map(|trap| trap.access.object);
        objects.any(|held| held.meets(object))
    }

    fn tell(&mut self, trap: usize, access: Access, who: Who) {
        self.figures.violations += 1;
        let trap = &self.traps[trap];
        let pair = Pair::of(trap.access.at.id(), access.at.id());
        let calls = Frames::here().places().to_vec();
        let stacks = hash_of(&trap.calls, &calls);
        let seen = self.seen.entry(pair).or_default();
        let is_news = !seen.contains(&stacks) && seen.len() < STACKS;
        if is_news {
            seen.push(stacks);
            let group = access.api.map_or("", |api| api.group.name);
            let violation = Violation {
                group: group.to_owned(),
                severity: access.object.severity(),
                held: side(
                    trap.access,
                    trap.who,
                    trap.thread.clone(),
                    trap.calls.clone(),
                ),
                came: side(access, who, thread_name(), calls),
                after: now() / 1_000_000,
            };
            crate::harness::tell(&Event::Violation(violation));
        } else {
            // Generic code of std is one place for all that call it: others may be found by it.
            self.planner.found(pair);
            self.tell_changes();
        }
    }

    /// Another access that was near, as the planner has it.
    fn point_of(&mut self, near: Near, point: &Point) -> Point {
        let at = At::Code(near.place);
        self.know(at, at.id());
        Point {
            party: near.party,
            writes: near.writes,
            place: at.id(),
            at: point.at.saturating_sub(u64::from(near.ago) * TICK),
            epoch: near.epoch,
            lock: near.lock,
            ..*point
        }
    }

    /// Notes a pair of an earlier run, by the numbers of its places.
    fn know_pair(&mut self, one: PlaceId, other: PlaceId, standing: Standing) {
        let [one, other] = [one, other].map(|number| {
            let Ok(offset) = u32::try_from(number) else {
                return number;
            };
            let at = At::Code(offset);
            self.know(at, at.id());
            at.id()
        });
        self.planner.know(Pair::of(one, other), standing);
    }

    /// Notes that a place was reached.
    fn know(&mut self, at: At, place: PlaceId) {
        self.places.entry(place).or_insert_with(|| at.told());
        if let At::Code(offset) = at
            && self.accesses.entry(place).or_default().insert(offset)
        {
            memory::mark_place(offset, self.planner.may_hold_at(place));
        }
    }

    fn tell_changes(&mut self) {
        for (pair, standing) in self.planner.take_changes() {
            let [first, second] = pair.places();
            for place in [first, second] {
                let may_be_held = self.planner.may_hold_at(place);
                if place >> 32 == 0 {
                    // Of an earlier run's pairs no access has been seen yet.
                    memory::mark_place(place as u32, may_be_held);
                }
                for &offset in self.accesses.get(&place).into_iter().flatten() {
                    memory::mark_place(offset, may_be_held);
                }
            }
            // A place in a shared library is another one in each process, and of one that an earlier run has
            // told nobody needs to hear unless it is reached.
            let told = |id: PlaceId| {
                self.places
                    .get(&id)
                    .filter(|place| place.id() != 0)
                    .cloned()
            };
            if let (Some(first), Some(second)) = (told(first), told(second)) {
                crate::harness::tell(&Event::Pair(PairTold {
                    first,
                    second,
                    standing,
                }));
            }
        }
    }
}

/// True on the own threads of two tests: others may work for any test.
fn are_of_two_tests(one: &Who, other: &Who) -> bool {
    match (one.test, other.test) {
        (Some(test), Some(tests)) => one.is_tests && other.is_tests && test.number != tests.number,
        _ => false,
    }
}

fn side(access: Access, who: Who, thread: String, calls: Vec<u64>) -> Side {
    let (address, size) = match access.object {
        Object::Memory { address, size } => (address as u64, size as u64),
        Object::Of(..) => (0, 0),
    };
    Side {
        place: access.at.told(),
        api: access.api.map_or("", |api| api.name).to_owned(),
        writes: access.writes,
        address,
        size,
        thread,
        party: who.party,
        is_task: who.is_task,
        test: who.test.map(|test| test.name.clone()).unwrap_or_default(),
        calls,
    }
}

fn hash_of(held: &[u64], came: &[u64]) -> u64 {
    held.iter().chain(came).fold(0, |hash, call| {
        (hash ^ call)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(23)
    })
}

/// The name that the C library knows, of 15 bytes at most: std's may not be there yet.
fn thread_name() -> String {
    let mut name = [0_u8; 16];
    // SAFETY: writes a text into the place that it is given.
    unsafe { libc::pthread_getname_np(libc::pthread_self(), name.as_mut_ptr().cast(), name.len()) };
    let length = name.iter().position(|&byte| byte == 0).unwrap_or(0);
    String::from_utf8_lossy(&name[..length]).into_owned()
}

/// Nanoseconds by the clock that nobody sets.
fn now() -> Time {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes the place that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

/// Waits by the clock that nobody sets.
fn pause(time: Duration) {
    let time = libc::timespec {
        tv_sec: 0,
        tv_nsec: time.as_nanos() as i64,
    };
    // SAFETY: reads the place that it is given.
    unsafe { libc::nanosleep(&raw const time, std::ptr::null_mut()) };
}

/// Keeps the time for accesses to memory, which cannot afford to ask for it.
fn start_clock() {
    extern "C" fn keep(_: *mut libc::c_void) -> *mut libc::c_void {
        loop {
            memory::NOW.store((now() / TICK) as u32, Relaxed);
            pause(Duration::from_millis(5));
        }
    }
    memory::NOW.store((now() / TICK) as u32, Relaxed);
    // SAFETY: signals of the program are none of this thread's; it lives as long as the process.
    unsafe {
        let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let mut thread = 0;
        libc::pthread_create(
            &raw mut thread,
            std::ptr::null(),
            keep,
            std::ptr::null_mut(),
        );
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
    }
}
