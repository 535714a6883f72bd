//! The session: what the process asks, what the person orders, and all that was answered so far.

use std::path::Path;
use std::{fs, io, mem};

use cct::wire::{Asks, Question};

use super::guide::Guide;
use super::order::{HELP, Order, Until};
use super::subject::Subject;
use super::terminal::{Terminal, tell};
use crate::report::{Layout, Live, ended_as, failed_with};
use crate::run::{Led, Repeated};

/// The reasons for which a process is ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// To go back.
    Again,
    /// To keep the schedule.
    Save,
    /// To leave.
    Leave,
}

/// A session with one test.
#[derive(Debug)]
pub(super) struct Session {
    terminal: Terminal,
    live: Live,
    guide: Option<Guide>,
    test: String,
    /// The answers that count, from the first question on.
    answers: Vec<u32>,
    /// How many questions this process has asked.
    asked: usize,
    /// The steps among them, by number, at which there was something to choose.
    choices: Vec<usize>,
    goal: Option<Goal>,
    /// The next question had been asked when the process was ended.
    was_here: bool,
    /// How many bytes of what the test printed are no news.
    printed: usize,
    /// The reason for which the process was ended.
    pub next: Next,
}

/// Until when nobody is asked.
#[derive(Debug)]
struct Goal {
    until: Until,
    /// How many steps there were when it was set.
    from: usize,
    /// For a worker: it has been there.
    seen: bool,
}

impl Session {
    /// Nothing has been answered yet.
    pub(super) fn new(subject: &Subject<'_>) -> io::Result<Session> {
        let root = &subject.keeper.workspace.root;
        let named = &subject.keeper.chosen.named;
        Ok(Session {
            terminal: Terminal::open(subject.stop)?,
            live: Live::new(root, named, Layout::of_terminal()),
            guide: subject.guide(),
            test: subject.name.to_string(),
            answers: Vec::new(),
            asked: 0,
            choices: Vec::new(),
            goal: None,
            was_here: false,
            printed: 0,
            next: Next::Leave,
        })
    }

    /// The first words.
    pub(super) fn greet(&self) {
        let what = match self.guide {
            Some(_) => "follows its schedule until you leave it",
            None => "waits for you",
        };
        tell(&format!("{} {what}; `help` tells how\n", self.test));
    }

    /// Runs the test once more: it is given the answers so far, and then the person is asked.
    pub(super) fn run(&mut self, subject: &Subject<'_>) -> anyhow::Result<Led> {
        self.live.restart();
        self.guide.iter_mut().for_each(Guide::restart);
        self.asked = 0;
        self.choices.clear();
        self.printed = 0;
        subject.run(|question, output| self.answer(question, output))
    }

    /// Runs it to its end by defaults, and forgets about that.
    pub(super) fn complete(&mut self, subject: &Subject<'_>) -> anyhow::Result<Led> {
        let answers = self.answers.clone();
        self.until(Until::End);
        let led = self.run(subject);
        self.goal = None;
        self.answers = answers;
        self.was_here = true;
        led
    }

    fn answer(&mut self, mut question: Question, output: &Path) -> Option<u32> {
        self.live
            .add(&question.workers, mem::take(&mut question.happened));
        let asks = &question.asks;
        let has_choice = match asks {
            Asks::Worker(offers) => offers.len() > 1,
            Asks::Index(_) => true,
            Asks::Nothing => return Some(0),
        };
        if self.asked == 0 {
            // Lines of the harness before the test.
            self.printed = read(output).len();
        }
        if has_choice {
            self.choices.push(self.asked);
        }
        let steps = self.live.len();
        let guide = self.guide.as_ref();
        let guided = guide.and_then(|guide| guide.answer(&question, steps));
        let answer = if let Some(&known) = self.answers.get(self.asked) {
            self.live.skip_news();
            self.printed = read(output).len();
            known
        } else {
            let default = self.default(asks, guided);
            let asks_now = match self.goal {
                Some(_) => !self.goes_on(asks),
                None => has_choice || self.was_here,
            };
            self.was_here = false;
            let answer = if asks_now {
                self.ask(&question, default, output)?
            } else {
                default
            };
            self.answers.push(answer);
            answer
        };
        self.asked += 1;
        if let Some(guide) = &mut self.guide {
            guide.answered(asks, guided, answer);
        }
        Some(answer)
    }

    /// The schedule's answer, as long as it is followed; else to stay with the worker.
    fn default(&self, asks: &Asks, guided: Option<u32>) -> u32 {
        match asks {
            Asks::Worker(offers) => {
                let is_offered = |worker: &u32| offers.iter().any(|offer| offer.worker == *worker);
                let guided = guided.filter(is_offered);
                let worker = guided.or(self.live.current().filter(is_offered));
                worker.unwrap_or_else(|| offers.first().map_or(0, |offer| offer.worker))
            }
            Asks::Index(n) => guided.filter(|value| value < n).unwrap_or(0),
            Asks::Nothing => 0,
        }
    }

    /// True until the goal is reached.
    fn goes_on(&mut self, asks: &Asks) -> bool {
        let steps = self.live.len();
        let Some(goal) = &mut self.goal else {
            return false;
        };
        let offers = match asks {
            Asks::Worker(offers) => &offers[..],
            _ => &[],
        };
        let reached = match &goal.until {
            Until::Later(n) => steps >= goal.from + n,
            Until::Step(n) => steps + 1 >= *n,
            Until::Worker(worker) if !offers.is_empty() => {
                let is_there = offers.iter().any(|offer| offer.worker == *worker);
                goal.seen |= is_there;
                goal.seen && !is_there
            }
            Until::Site { file, line } => {
                let mut sites = offers.iter().map(|offer| &offer.act.site);
                steps > goal.from
                    && sites.any(|site| site.line == *line && site.file.ends_with(file))
            }
            Until::Worker(_) | Until::End => false,
        };
        if reached {
            self.goal = None;
        }
        !reached
    }

    fn until(&mut self, until: Until) {
        self.goal = Some(Goal {
            until,
            from: self.live.len(),
            seen: false,
        });
    }

    /// Asks the person; none ends the process.
    fn ask(&mut self, question: &Question, default: u32, output: &Path) -> Option<u32> {
        let news = self.live.news();
        tell(&news);
        self.tell_printed(&read(output));
        self.show(question, default);
        while let Some(order) = self.order() {
            match order {
                Order::Default => return Some(default),
                Order::Answer(number) => match refusal(&question.asks, number) {
                    None => return Some(number),
                    Some(why) => tell(&why),
                },
                Order::Until(until) => {
                    self.until(until);
                    // A worker that is there when it is asked for may wait from here on.
                    self.goes_on(&question.asks);
                    return Some(default);
                }
                Order::Back(n) => {
                    if self.go_back(n) {
                        self.next = Next::Again;
                        return None;
                    }
                    self.inform(&order);
                }
                Order::Save => {
                    self.next = Next::Save;
                    return None;
                }
                Order::List => self.show(question, default),
                Order::Trace | Order::Help => self.inform(&order),
                Order::Quit => break,
            }
        }
        self.next = Next::Leave;
        None
    }

    /// The next order that makes sense; none at the end of the input.
    pub(super) fn order(&self) -> Option<Order> {
        loop {
            match Order::parse(&self.terminal.ask()?) {
                Ok(order) => return Some(order),
                Err(why) => tell(&format!("  {why}\n")),
            }
        }
    }

    /// Forgets the answers from the n-th choice before this question on; false if there are not so many.
    pub(super) fn go_back(&mut self, n: usize) -> bool {
        let before = |question: &&usize| **question < self.asked;
        let found = self.choices.iter().rev().filter(before).nth(n - 1).copied();
        if let Some(question) = found {
            self.answers.truncate(question);
            self.goal = None;
        }
        found.is_some()
    }

    /// Tells what an order that changes nothing asks for.
    pub(super) fn inform(&mut self, order: &Order) {
        match order {
            Order::Trace => tell(&self.live.steps(0)),
            Order::Help => tell(HELP),
            Order::Back(_) => tell("  there are not so many choices before this one\n"),
            _ => {}
        }
    }

    /// Tells how the iteration ended.
    pub(super) fn tell_end(&mut self, led: &Led) {
        self.goal = None;
        let news = self.live.news();
        tell(&news);
        match &led.end {
            Repeated::Ended { replayed, output } => {
                self.tell_printed(output);
                tell(&ended_as(&replayed.verdict));
            }
            Repeated::Died { bug, output } => {
                self.tell_printed(output);
                tell(&failed_with(bug));
            }
            Repeated::Refused(_) | Repeated::Stopped => {}
        }
    }

    fn show(&mut self, question: &Question, default: u32) {
        if let Some(guide) = &mut self.guide
            && guide.is_news_that_left()
        {
            tell("  the schedule was left: from here on `>` stays with the worker\n");
        }
        let text = self.live.question(question, default);
        tell(&text);
    }

    /// Shows what the test has printed since.
    fn tell_printed(&mut self, output: &str) {
        let news = output.get(self.printed..).unwrap_or_default();
        self.printed = output.len();
        for line in news.lines().filter(|line| !line.is_empty()) {
            tell(&format!("{:>7}| {line}\n", ""));
        }
    }
}

/// Why a number is no answer.
fn refusal(asks: &Asks, number: u32) -> Option<String> {
    match asks {
        Asks::Worker(offers) if offers.iter().all(|offer| offer.worker != number) => Some(
            "  that worker cannot run now: it waits, has ended, or is not there yet\n".to_owned(),
        ),
        Asks::Index(n) if number >= *n => Some(format!("  a value is below {n}\n")),
        _ => None,
    }
}

/// The output of the test.
fn read(output: &Path) -> String {
    String::from_utf8_lossy(&fs::read(output).unwrap_or_default()).into_owned()
}
