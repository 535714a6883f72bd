//! A test process: it runs a body as the environment asks.

use std::process::Termination;
use std::sync::OnceLock;

use super::apart::Apart;
use super::case::TestCase;
use super::judge::judge;
use super::listener::{self, send};
use super::replay::replay;
use super::request::{self, Goal, Mode, Request};
use super::runner::Runner;
use super::search::Search;
use super::together::{self, Body, Member, gather};
use super::{certain, copies, crash, guided, interactive, profile, shrink, signals};
use crate::config::Isolation;
use crate::engine::{self, Tape, is_controlled};
use crate::memory::{self, address_space};
use crate::tsvd;
use crate::verdict::Bug;
use crate::wire::{ENV_MODE, Event};

/// Runs a test's body as the environment asks: natively once, exploring, or replaying.
///
/// The process ends after exploring or replaying, with its last event.
pub fn run_test<T: Termination>(case: &'static TestCase, body: impl Fn() -> T + 'static) -> T {
    // The first test removes the request from the environment, while others begin.
    static IS_TSVD: OnceLock<bool> = OnceLock::new();
    if is_controlled() {
        return body();
    }
    let mode = || std::env::var(ENV_MODE);
    if *IS_TSVD.get_or_init(|| mode().is_ok_and(|mode| mode == "tsvd")) {
        return tsvd::run_test(case.test_name(), body);
    }
    match mode() {
        Ok(mode) => {
            let judged = move || judge(case.should_panic, &body);
            match together::expected() {
                None => run(case, &mode, &judged, &[]),
                Some(count) => {
                    let name = case.test_name();
                    let body: Body = Box::new(judged);
                    let members = gather(Member { name, body }, count);
                    engine::heed_shares(mode == "profile");
                    let (pair, body) = together::as_one(members);
                    run(&pair, &mode, &body, members)
                }
            }
        }
        Err(_) => body(),
    }
}

/// Explores or replays as `mode` says, and ends the process. The test is made of these members, if of any.
fn run(
    case: &TestCase,
    mode: &str,
    body: &dyn Fn() -> Option<Bug>,
    members: &'static [Member],
) -> ! {
    listener::open(request::is_debugged());
    let request = Request::read(case, mode).unwrap_or_else(|reason| listener::refuse(reason));
    if let Some(lack) = address_space::lack() {
        listener::refuse(lack);
    }
    signals::block();
    request::forget();
    let (name, settings) = (case.test_name(), request.settings);
    // SAFETY: the board was mapped for us and is never unmapped.
    let tape = unsafe { Tape::on(request.board) };
    let is_isolated = settings.isolation == Isolation::Process;
    if is_isolated && !memory::share() {
        listener::refuse("no space for memory that processes share".to_owned());
    }
    let mut runner = Runner::new(tape, &settings);
    if request.is_debugged {
        runner.engine.be_debugged();
    }
    crash::install(request.board, &raw mut runner);
    if matches!(
        request.mode,
        Mode::Replay(_) | Mode::Follow(_) | Mode::Interactive(..)
    ) {
        crash::tell_trace();
    }
    if matches!(request.mode, Mode::Replay(_) | Mode::Follow(_)) {
        runner.engine.stop_before(request.stops);
    }
    match request.mode {
        Mode::Explore { part, is_traced } => {
            runner.elsewhere = is_isolated.then_some(copies::isolate);
            let search = Search::new(&mut runner, name, settings, None);
            let search = search.unwrap_or_else(|reason| listener::refuse(reason));
            let search = search.shared(part).traced(is_traced).ending_if_diverged();
            search.run(body, &mut |event| send(&event));
        }
        Mode::Replay(schedule) => {
            let replayed = replay(&mut runner, schedule, name, &settings, body);
            send(&Event::Replayed(replayed));
        }
        Mode::Follow(guide) => {
            let replayed = guided::replay(&mut runner, &guide, name, &settings, body);
            send(&Event::Replayed(replayed));
        }
        Mode::Vary {
            goal,
            schedule,
            is_apart,
            from,
        } => {
            let tell = &mut |event| send(&event);
            let apart = (is_apart || is_isolated)
                .then(|| Apart::new(request.board))
                .flatten();
            let test = (&settings, body);
            match goal {
                Goal::Shorter => {
                    shrink::run(&mut runner, (&schedule, from), name, test, apart, tell);
                }
                Goal::Certain => {
                    certain::run(&mut runner, &schedule, name, test, apart, tell);
                }
            }
        }
        Mode::Profile => profile::run(&mut runner, &settings, members, &mut |event| send(&event)),
        Mode::Interactive(led, answers) => {
            let led = interactive::run(&mut runner, &led, name, &settings, body, answers);
            send(&Event::Replayed(led));
        }
    }
    listener::leave()
}
