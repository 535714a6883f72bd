//! The words for facts.

use cct::operation::Operation as Op;
use cct::origin;
use cct::trace::{Outcome, Site, Value};
use cct::verdict::{BugKind, Unpolled};

use super::super::actors;
use super::super::describe;
use super::super::names;
use super::super::source::short_site;
use super::Scene;
use super::access::{self, Access};
use super::counted;
use super::fact::{Awaited, Ends, Fact};
use super::hot;
use super::raced;
use crate::report::words::number as count;

/// Puts a fact into words; those of the fact before need not be repeated.
pub(super) struct Words<'a> {
    /// The schedule.
    pub scene: &'a Scene<'a>,
    /// The fact before.
    pub before: Option<&'a Fact>,
    /// The worker that the sentence has told to wait.
    pub waiter: Option<u32>,
}

impl Words<'_> {
    /// The fact's.
    pub(super) fn of(&self, fact: &Fact) -> String {
        let (scene, names) = (self.scene, self.scene.names);
        match fact {
            Fact::Does(step) if fact.is_same_as(self.before, scene) => {
                at(scene, *step).trim_start().to_owned()
            }
            Fact::Does(step) => self.clause(*step, &does(scene, *step, self.is_known(*step))),
            Fact::Again(step) => {
                let does = does(scene, *step, self.is_known(*step));
                self.clause(*step, &format!("{does} again"))
            }
            Fact::Overwrites(step) => {
                let value = scene
                    .step(*step)
                    .written
                    .map(describe::value)
                    .unwrap_or_default();
                self.clause(
                    *step,
                    &format!("overwrote {} with {value}", self.object(*step)),
                )
            }
            Fact::Written(step) => match (counted::has_left(scene, *step), self.before) {
                (Some(verb), _) => format!("after {}", self.clause(*step, verb)),
                (None, Some(Fact::Repeats { step: first, .. })) if first < step => {
                    format!("and {}", self.clause(*step, "wrote the same in between"))
                }
                (None, _) => format!("which {}", self.clause(*step, "had written")),
            },
            Fact::Unwritten if self.may_have_moved() => {
                "which no step had written at that address".to_owned()
            }
            Fact::Unwritten => "which no step had written".to_owned(),
            Fact::TimesOut(step) => {
                let could = describe::ahead(scene.trace, names, scene.step(*step));
                let what = describe::action(scene.trace, names, *step);
                let (who, at) = (self.who(*step), at(scene, *step));
                if scene.operation(*step) == Some(Op::Tick) {
                    return format!("{who} ran out{at} although {could} could run");
                }
                format!("the time-out of {who}'s `{what}`{at} came although {could} could run")
            }
            // Its place is that of the channel, not that of the drop.
            Fact::GivesUp(step) => {
                let (who, object) = (self.who(*step), self.object(*step));
                format!(
                    "{who} gave up its end of {object} (step {})",
                    names.step(*step)
                )
            }
            Fact::Dropped(step) => format!("was dropped there (step {})", names.step(*step)),
            Fact::Allocates(step) => self.after(*step, "allocated the memory"),
            Fact::Frees(step) => {
                let is_named = matches!(self.before, Some(Fact::Allocates(_)));
                self.after(
                    *step,
                    if is_named {
                        "freed it"
                    } else {
                        "freed the memory"
                    },
                )
            }
            Fact::InCall(step) => self.in_call(*step),
            Fact::WithoutLook { step, object } => {
                let object = names.object(*object);
                let clause = self.clause(*step, &does(scene, *step, self.is_known(*step)));
                format!("{clause} without another look at `{object}`")
            }
            Fact::Panics(step) => self.clause(*step, "panicked"),
            Fact::Accessed
            | Fact::Accesses
            | Fact::Unordered
            | Fact::PublishesNothing { .. }
            | Fact::TakesNothingOver(_)
            | Fact::MayBeMissed { .. }
            | Fact::MayMiss { .. } => self.of_race(fact),
            Fact::NoneWrote { .. } | Fact::Repeats { .. } => self.of_value(fact),
            Fact::Cancelled(_)
            | Fact::Fails { .. }
            | Fact::Hot(_)
            | Fact::Ignores(_)
            | Fact::WasAt(_) => self.of_end(fact),
            Fact::Taken(step) => format!("which {}", self.clause(*step, "had taken")),
            Fact::LastCame(_)
            | Fact::KeepsOut(_)
            | Fact::HasTaken(_)
            | Fact::Holds(_)
            | Fact::WaitsFor { .. }
            | Fact::Notifies { .. }
            | Fact::BeginsToWait(_)
            | Fact::NoMore(_) => self.of_wait(fact),
        }
    }

    /// The same for facts about a data race.
    fn of_race(&self, fact: &Fact) -> String {
        let (scene, names) = (self.scene, self.scene.names);
        let order = |step: usize| scene.step(step).order.map_or("", describe::order);
        let accessed = |is_earlier| raced::accessed(scene, is_earlier);
        let atomic = |step: usize| {
            let action = describe::action(scene.trace, names, step);
            format!("{}'s `{action}`{}", self.who(step), at(scene, step))
        };
        match fact {
            Fact::Accessed => accessed(true),
            Fact::Accesses => accessed(false),
            Fact::PublishesNothing { store, load } => format!(
                "{}, which {} read (step {}), is {}: it publishes nothing",
                atomic(*store),
                self.who(*load),
                names.step(*load),
                order(*store),
            ),
            Fact::TakesNothingOver(load) => {
                format!(
                    "{} is {}: it takes nothing over",
                    atomic(*load),
                    order(*load)
                )
            }
            Fact::MayBeMissed { store, load } => format!(
                "{} is {}, with no SeqCst fence between it and step {}: a load may miss it",
                atomic(*store),
                order(*store),
                names.step(*load),
            ),
            Fact::MayMiss { store, load } => format!(
                "{} is {}, with no SeqCst fence between step {} and it: it may miss that store",
                atomic(*load),
                order(*load),
                names.step(*store),
            ),
            _ => "nothing orders the two".to_owned(),
        }
    }

    /// The same for facts about values that are found.
    fn of_value(&self, fact: &Fact) -> String {
        let (scene, names) = (self.scene, self.scene.names);
        match fact {
            Fact::NoneWrote { step, last } => {
                let read = scene.step(*step).read;
                let is_filled = read.and_then(freed_memory);
                let filled = is_filled.map(|hex| format!(" ({hex}: freed memory is filled so)"));
                let read = read.map(describe::value).unwrap_or_default();
                let filled = filled.unwrap_or_default();
                let written = scene.step(*last).written.map(describe::value);
                let (who, at) = (self.who(*last), at(scene, *last));
                let wrote = format!("{who} had last written {}{at}", written.unwrap_or_default());
                format!("no step had written {read}{filled}: {wrote}")
            }
            Fact::Repeats { step, times } => {
                let (who, at, number) = (self.who(*step), self.place(*step), names.step(*step));
                let often = format!("{} times from step {number} on", count(*times as u64));
                let object = self.object(*step);
                let does = match (
                    scene.step(*step).read.map(describe::value),
                    scene.operation(*step),
                ) {
                    _ if counted::is_blind(scene, *step) => does(scene, *step, false),
                    (Some(read), _) => format!("read {object} = {read}"),
                    (None, Some(op)) if op.tries_lock() => format!("could not take {object}"),
                    _ => format!("came to `{}`", describe::action(scene.trace, names, *step)),
                };
                format!("{who} {does} at {at} again and again ({often})")
            }
            _ => String::new(),
        }
    }

    /// True if somebody wrote the value that was read to another object before: it may be the same, and have
    /// been moved since.
    fn may_have_moved(&self) -> bool {
        let Some(Fact::Does(read) | Fact::Repeats { step: read, .. }) = self.before else {
            return false;
        };
        let (scene, found) = (self.scene, self.scene.step(*read));
        let is_default = matches!(
            found.read,
            None | Some(
                Value::Bool(false) | Value::Unsigned(0) | Value::Signed(0) | Value::Pointer(0)
            )
        );
        let mut before = scene.back_from(*read).map(|index| scene.step(index));
        !is_default && before.any(|step| step.written == found.read && step.object != found.object)
    }

    /// The same for facts about ends: of futures, of workers, of the process.
    fn of_end(&self, fact: &Fact) -> String {
        let (scene, names) = (self.scene, self.scene.names);
        match fact {
            Fact::Cancelled(step) => {
                let is_told = matches!(self.before, Some(Fact::Does(_)));
                let what = if is_told {
                    "the future that waited there".to_owned()
                } else {
                    let awaited = names.awaited(scene.step(*step)).unwrap_or("a future");
                    format!("the await of `{awaited}`{}", at(scene, *step))
                };
                let by = names::first_own_call(scene.trace, scene.step(*step));
                let by = by.map(|site| format!(" at {}", names.at(site)));
                let (by, number) = (by.unwrap_or_default(), names.step(*step));
                format!("{what} was dropped{by} (step {number})")
            }
            Fact::Fails { worker, site } => {
                let is_of_same = |step: usize| names.lane(scene.step(step).worker) == *worker;
                let is_known = self.before.is_some_and(|before| {
                    let is_same =
                        before.is_relative() || before.steps().into_iter().any(is_of_same);
                    is_same && !before.names_another()
                });
                let who = if is_known {
                    String::new()
                } else {
                    format!("{} ", names.worker(*worker))
                };
                let verb = match scene.bug.kind {
                    BugKind::Exit => "called `process::exit`",
                    BugKind::Abort => "aborted",
                    BugKind::ActorFailed => "failed",
                    BugKind::Signal | BugKind::StackOverflow => "crashed",
                    BugKind::OutOfMemory => "took too much memory",
                    BugKind::Hang | BugKind::Silence => "came to no further step: it was",
                    _ => "panicked",
                };
                format!("{who}{verb} at {}", names.at(site))
            }
            Fact::Ignores(step) => {
                let all = actors::ignored(scene.trace).filter(|it| it.step == *step);
                let (events, states): (Vec<_>, Vec<_>) = all.map(|it| (it.event, it.state)).unzip();
                let events = events.join("`, `");
                let state = states.into_iter().flatten().next();
                let state = state.map_or_else(String::new, |state| format!(" in `{state}`"));
                let number = names.step(*step);
                format!(
                    "{} ignored `{events}`{state} (step {number})",
                    self.who(*step)
                )
            }
            Fact::Hot(step) => {
                let all = hot::hot(scene.trace);
                let hot = all.into_iter().find(|hot| hot.since == *step);
                let hot = hot.map(|hot| {
                    format!(
                        "`{}` is in its hot state `{}` since ",
                        hot.monitor, hot.state
                    )
                });
                let notified = self.clause(*step, "notified it");
                format!("{}{notified}", hot.unwrap_or_default())
            }
            Fact::WasAt(step) => {
                let what = describe::action(scene.trace, names, *step);
                let verb = if scene.step(*step).outcome == Outcome::Waits {
                    "waited in"
                } else {
                    "had last come to"
                };
                self.clause(*step, &format!("{verb} `{what}`"))
            }
            _ => String::new(),
        }
    }

    /// The same for facts about waiting.
    fn of_wait(&self, fact: &Fact) -> String {
        let names = self.scene.names;
        match fact {
            Fact::Holds(step) => {
                let held = self.scene.step(*step).object;
                let held = held.map_or("an object", |held| names.object(held));
                let (who, at, number) = (self.who(*step), self.place(*step), names.step(*step));
                format!("{who} holds `{held}` (taken at {at}, step {number})")
            }
            Fact::LastCame(step) => {
                let what = names.what(self.scene.step(*step)).unwrap_or_default();
                let worker = self.scene.step(*step).worker;
                let is_own = self
                    .waiter
                    .is_some_and(|waiter| waiter == names.lane(worker));
                let came = if is_own {
                    "itself had come to the same object by"
                } else {
                    "last came to the same object by"
                };
                self.clause(*step, &format!("{came} `{what}`"))
            }
            Fact::HasTaken(step) => {
                let (who, at, number) = (self.who(*step), self.place(*step), names.step(*step));
                let op = self.scene.operation(*step);
                let how = if matches!(op, Some(Op::Read | Op::TryRead)) {
                    "read"
                } else {
                    "write"
                };
                format!("{who} has taken to {how} (at {at}, step {number})")
            }
            Fact::KeepsOut(step) => {
                let waits = self.clause(*step, "waits to write to it");
                format!("{waits}, which keeps new readers out")
            }
            Fact::WaitsFor {
                waits: wait,
                holds: true,
            } => waits(self.scene, wait),
            Fact::WaitsFor {
                waits: wait,
                holds: false,
            } => {
                format!("{} {}", names.worker(wait.worker), waits(self.scene, wait))
            }
            Fact::Notifies {
                step,
                to_nobody,
                woke,
            } => {
                let notified = self.clause(*step, &format!("notified {}", self.object(*step)));
                let then = if *to_nobody {
                    " when nobody waited for it"
                } else {
                    ""
                };
                let woke = woke.map(|woke| format!(", which woke {}", names.worker(woke)));
                format!("{notified}{then}{}", woke.unwrap_or_default())
            }
            Fact::BeginsToWait(step) => {
                self.clause(*step, &format!("began to wait for {}", self.object(*step)))
            }
            Fact::NoMore(Ends::Notified) => "nobody notified it after that".to_owned(),
            Fact::NoMore(Ends::NeverNotified) => "nobody ever notified it".to_owned(),
            Fact::NoMore(Ends::Unparked) => "nobody unparked it after that".to_owned(),
            Fact::NoMore(Ends::Sent) => "nobody sent anything after that".to_owned(),
            _ => String::new(),
        }
    }

    /// The worker of the step, the verb, the place and the number.
    fn clause(&self, step: usize, verb: &str) -> String {
        format!("{} {verb}{}", self.who(step), at(self.scene, step))
    }

    /// The step of a dependency with the call in the user's code that it comes of.
    fn in_call(&self, step: usize) -> String {
        let (scene, names) = (self.scene, self.scene.names);
        let call = names.outer_call(step).map(|call| {
            let site = short_site(&call.site);
            match &call.text {
                Some(text) => format!("'s `{text}` ({site})"),
                None => format!("'s call at {site}"),
            }
        });
        let does = does(scene, step, self.is_known(step));
        let who = self.who(step);
        format!(
            "{who}{} {does}{}",
            call.unwrap_or_default(),
            at(scene, step)
        )
    }

    /// The same of something that came in the same step after its operation.
    fn after(&self, step: usize, verb: &str) -> String {
        let (who, place) = (self.who(step), self.place(step));
        let number = self.scene.names.step(step);
        if place.is_empty() {
            return format!("{who} {verb} after step {number}");
        }
        format!("{who} {verb} after {place} (step {number})")
    }

    fn who(&self, step: usize) -> String {
        self.scene.names.worker(self.scene.step(step).worker)
    }

    fn place(&self, step: usize) -> String {
        place(self.scene, step)
    }

    /// True if the fact before is about the same object.
    fn is_known(&self, step: usize) -> bool {
        let told = self.before.into_iter().flat_map(Fact::steps);
        told.into_iter()
            .any(|other| self.scene.is_same(step, other))
    }

    fn object(&self, step: usize) -> String {
        object(self.scene, step, self.is_known(step))
    }
}

/// The value in hexadecimal, if all its bytes are those with which memory is filled when it is freed.
pub(super) fn freed_memory(value: Value) -> Option<String> {
    let (Value::Unsigned(bits) | Value::Signed(bits) | Value::Pointer(bits)) = value else {
        return None;
    };
    let hex = format!("{bits:x}");
    let is_filled = hex.len() % 2 == 0 && hex.bytes().all(|digit| digit == b'd');
    is_filled.then(|| format!("0x{hex}"))
}

/// The object of a step; `it` if it is known.
fn object(scene: &Scene<'_>, step: usize, is_known: bool) -> String {
    match scene.step(step).object {
        _ if is_known => "it".to_owned(),
        Some(object) => format!("`{}`", scene.names.object(object)),
        None => "an object".to_owned(),
    }
}

/// The verb and the object of a step; the object is `it` if it is known.
pub(super) fn does(scene: &Scene<'_>, index: usize, is_known: bool) -> String {
    let (step, names) = (scene.step(index), scene.names);
    let object = object(scene, index, is_known);
    let owner = step
        .object
        .and_then(|object| names.owner(object))
        .map(|owner| names.worker(owner));
    if let Some(counts) = counted::does(scene, index, &object) {
        return counts;
    }
    if access::of(scene, index) == Some(Access::Value) {
        let verb = if step.outcome == Outcome::Refused {
            "found"
        } else {
            "read"
        };
        return match (
            step.read.map(describe::value),
            step.written.map(describe::value),
        ) {
            (Some(read), None) => match &step.older {
                Some(older) => format!(
                    "{verb} the older {object} = {read} instead of {}",
                    describe::value(older.latest)
                ),
                None => format!("{verb} {object} = {read}"),
            },
            (None, Some(written)) if is_known => format!("wrote {written}"),
            (None, Some(written)) => format!("wrote {object} = {written}"),
            (Some(read), Some(written)) => format!("changed {object} from {read} to {written}"),
            (None, None) => format!("came to {object}"),
        };
    }
    if let Some(what) = names.what(step) {
        let is_await = what.strip_suffix(".await").is_some();
        let verb = if is_await { "came to" } else { "called" };
        return format!("{verb} `{what}`");
    }
    match scene.operation(index) {
        Some(_) if scene.takes(index) => format!("took {object}"),
        Some(Op::NotifyOne | Op::NotifyAll) => format!("notified {object}"),
        Some(Op::Send | Op::TrySend) if step.outcome == Outcome::Refused => {
            format!("could not send to {object}")
        }
        Some(Op::Recv | Op::TryRecv | Op::RecvTimeout) if step.outcome == Outcome::Refused => {
            format!("received nothing from {object}")
        }
        Some(Op::Send | Op::TrySend) if step.outcome == Outcome::Done => {
            format!("sent to {object}")
        }
        Some(Op::Unpark) => format!("unparked {}", owner.as_deref().unwrap_or("a thread")),
        Some(Op::Spawn) => match names.child(index) {
            Some(child) => format!("spawned {}", names.worker(child)),
            None => "spawned a worker".to_owned(),
        },
        _ => format!("came to `{}`", describe::action(scene.trace, names, index)),
    }
}

/// The wait, without the worker.
fn waits(scene: &Scene<'_>, wait: &Awaited) -> String {
    let names = scene.names;
    let step = wait
        .step
        .map(|step| format!(" (step {})", names.step(step)));
    let at = format!(" at {}{}", names.at(&wait.site), step.unwrap_or_default());
    match wait.task {
        Some(Unpolled::Never) => return "has never been polled".to_owned(),
        Some(Unpolled::Woken) => return format!("was woken{at} and not polled since"),
        Some(Unpolled::Awaits | Unpolled::HeldBack) => {
            let awaited = wait.step.and_then(|step| names.awaited(scene.step(step)));
            let awaited = awaited.map(|awaited| format!("awaits `{awaited}`"));
            return format!("{}{at}", awaited.unwrap_or_else(|| "waits".to_owned()));
        }
        None => {}
    }
    let holder = wait.holder.map(|holder| names.worker(holder));
    let object = wait
        .object
        .map_or("an object", |object| names.object(object));
    match (wait.operation, holder) {
        (Some(Op::Join), Some(holder)) => format!("waits for the end of {holder}{at}"),
        (Some(Op::Join), None) => format!("waits for the end of a thread{at}"),
        (Some(Op::ScopeEnd), _) => format!("waits for the end of its scope's threads{at}"),
        (Some(Op::Park), _) => format!("waits to be unparked{at}"),
        (Some(Op::Sleep), _) => format!("sleeps{at}"),
        (Some(Op::Dequeue), _) => format!("waits for an event{at}"),
        (Some(Op::Tick), _) => format!("waits for its time{at}"),
        (Some(Op::Recv | Op::RecvTimeout), _) => {
            format!("waits for a message from `{object}`{at}")
        }
        (Some(Op::Send | Op::Offer), _) => format!("waits to send to `{object}`{at}"),
        (Some(op), Some(holder)) if op.takes_lock() => {
            // In a circle the holder's own clause says where it was taken.
            let taken = wait.taken.filter(|_| !wait.in_cycle).map(|step| {
                let place = scene
                    .place(step)
                    .map(|site| names.at(site))
                    .unwrap_or_default();
                format!(" (taken at {place}, step {})", names.step(step))
            });
            let is_itself = wait.holder == Some(wait.worker);
            let holds = if is_itself {
                "it holds itself".to_owned()
            } else {
                format!("{holder} holds")
            };
            format!(
                "waits for `{object}`{at}, which {holds}{}",
                taken.unwrap_or_default()
            )
        }
        (Some(op), _) if op.borrows_site() || op == Op::Custom => {
            let what = wait.step.and_then(|step| names.what(scene.step(step)));
            let what = what.map(|what| format!(" in `{what}`"));
            format!("waits{}{at}", what.unwrap_or_default())
        }
        _ => format!("waits for `{object}`{at}"),
    }
}

/// The place and the number of a step.
fn at(scene: &Scene<'_>, index: usize) -> String {
    let place = place(scene, index);
    let at = if place.is_empty() { "" } else { " at " };
    format!("{at}{place} (step {})", scene.names.step(index))
}

/// The place of a step, with the line that called its function where that tells steps apart.
fn place(scene: &Scene<'_>, index: usize) -> String {
    // The engine's own lines are nobody's place.
    let is_told = |site: &&Site| !matches!(origin::Origin::of(&site.file), origin::Origin::Cct);
    let Some(site) = scene.place(index).filter(is_told) else {
        return String::new();
    };
    let is_inner = |site: &Site| scene.names.is_inner(site);
    let caller = scene.names.called_at(index).filter(|caller| {
        is_inner(site) && is_inner(caller) || scene.tells_callers && !is_inner(site)
    });
    let beside = caller.map(|caller| format!(", called at {}", short_site(caller)));
    format!("{}{}", scene.names.at(site), beside.unwrap_or_default())
}
