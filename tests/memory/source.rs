//! Programs as Rust: a test for each, in the fixture's words, with a line for each operation.

use std::collections::BTreeMap;

use crate::memory::program::{Home, Op, Part, Place, Program, count};

/// A file of tests.
#[derive(Debug, Default)]
pub(crate) struct Source {
    pub(crate) text: String,
    /// How many lines there are.
    lines: u32,
    /// The number of the operation on a line, among those of its program.
    pub(crate) operations: BTreeMap<u32, usize>,
}

/// The owner of operations.
#[derive(Clone, Copy)]
enum Doer<'a> {
    Thread(&'a Program, usize),
    Destructor,
}

impl Source {
    pub(crate) fn new() -> Source {
        let mut source = Source::default();
        for line in [
            "#![allow(warnings)]",
            "use std::sync::atomic::{Ordering::*, fence};",
            "use std::sync::{Arc, mpsc};",
            "use std::thread;",
            "use memory::*;",
        ] {
            source.line(line);
        }
        source
    }

    /// Adds a program as the test of this name.
    pub(crate) fn add(&mut self, name: &str, program: &Program) {
        let threads = program.threads.len();
        self.line(&format!("#[test] fn {name}() {{"));
        self.line("struct Value { cell: Unguarded, objects: Objects }");
        self.line("impl Drop for Value { fn drop(&mut self) {");
        self.line("let (shared, mut last) = (self.objects.get(), 0);");
        self.line("see(DROPPED);");
        let first = program.first_of(threads);
        self.operations(&program.destructor, first, Doer::Destructor);
        self.line("}}");
        self.line(match program.home {
            Home::Heap => "let shared: &'static Shared = Box::leak(Box::default());",
            Home::Static => "static SHARED: Shared = Shared::new(); let shared = &SHARED;",
            Home::Stack => "let objects = Shared::new(); let shared = &objects;",
        });
        self.line("let value = Value { cell: Unguarded::new(), objects: Objects::new(shared) };");
        self.line("let mut own = Own::new(Arc::new(value));");
        self.line("let mut receiver = None;");
        if program.has_channel() {
            self.line(if program.channel.is_bounded {
                "{ let (one, other) = mpsc::sync_channel(1); receiver = Some(other);"
            } else {
                "{ let (one, other) = mpsc::channel(); receiver = Some(other);"
            });
            let kind = if program.channel.is_bounded {
                "Bounded"
            } else {
                "Unbounded"
            };
            self.line(&format!("own.sender = Some(AnySender::{kind}(one)); }}"));
        }
        if program.channel.receiver == 0 {
            self.line("own.receiver = receiver.take();");
        }
        self.line(&format!(
            "let (mut logs, mut receivers) = ([0; {threads}], vec![]);"
        ));
        self.line("let body = thread::current();");
        let is_scoped = program.home == Home::Stack;
        if is_scoped {
            self.line("thread::scope(|scope| {");
        }
        let handle = if is_scoped {
            "ScopedJoinHandle<'_, "
        } else {
            "JoinHandle<"
        };
        self.line(&format!(
            "let mut handles: [Option<thread::{handle}Left<Value>>>; {threads}] = Default::default();"
        ));
        self.begin();
        self.operations(&program.threads[0], 0, Doer::Thread(program, 0));
        self.end();
        for thread in 1..threads {
            self.join(thread);
        }
        if is_scoped {
            self.line("});");
        }
        self.line("drop((own.receiver.take(), receivers, receiver));");
        self.line("logs[0] = log();");
        self.line(&format!("tell({name:?}, &logs, shared);"));
        self.line("}");
    }

    /// The variables of a thread.
    fn begin(&mut self) {
        self.line("let (mut last, mut held) = (0, Held::default());");
    }

    /// A thread gives up all that it has.
    fn end(&mut self) {
        self.line("held = Held::default();");
        self.line("while let Some(one) = own.strong.pop() { drop(one); }");
        self.line("while let Some(one) = own.weak.pop() { drop(one); }");
        self.line("drop(own.sender.take());");
    }

    fn join(&mut self, thread: usize) {
        self.line(&format!(
            "if let Some(handle) = handles[{thread}].take() {{ \
             logs[{thread}] = leave(handle.join().unwrap(), &mut receivers); }}"
        ));
    }

    fn operations(&mut self, ops: &[Op], first: usize, doer: Doer<'_>) {
        let mut number = first;
        for op in ops {
            self.operation(op, number, doer);
            number += count(std::slice::from_ref(op));
        }
    }

    fn operation(&mut self, op: &Op, number: usize, doer: Doer<'_>) {
        self.operations.insert(self.lines + 1, number);
        match (op, doer) {
            (Op::If(value, inner), _) => {
                self.line(&format!("if last == {value} {{"));
                self.operations(inner, number + 1, doer);
                self.line("}");
            }
            (&Op::Spawn(thread, gift), Doer::Thread(program, _)) => {
                let (strong, weak, sends) = (gift.strong, gift.weak, program.sends(thread));
                self.line(&format!(
                    "let mut gift = own.gift({strong}, {weak}, {sends});"
                ));
                if program.channel.receiver == thread {
                    self.line("gift.receiver = receiver.take();");
                }
                self.line("let theirs = body.clone();");
                let spawner = if program.home == Home::Stack {
                    "scope"
                } else {
                    "thread"
                };
                let dot = if program.home == Home::Stack {
                    "."
                } else {
                    "::"
                };
                self.line(&format!(
                    "handles[{thread}] = Some({spawner}{dot}spawn(move || {{"
                ));
                self.line("let (mut own, body) = (gift, theirs);");
                self.begin();
                let first = program.first_of(thread);
                let ops = &program.threads[thread];
                self.operations(ops, first, Doer::Thread(program, thread));
                self.end();
                self.line("(log(), own.receiver.take()) }));");
            }
            (&Op::Join(thread), _) => self.join(thread),
            _ => self.line(&text(op, doer)),
        }
    }

    fn line(&mut self, line: &str) {
        debug_assert!(!line.contains('\n'));
        self.text.push_str(line);
        self.text.push('\n');
        self.lines += 1;
    }
}

/// An operation that is a line.
fn text(op: &Op, doer: Doer<'_>) -> String {
    match *op {
        Op::Read(place, part) => at(place, part, "last = see(*memory as u64)", doer),
        Op::Write(place, part, value) => at(place, part, &format!("*memory = {value}"), doer),
        Op::Load(atomic, order) => {
            format!("last = see(shared.atomics[{atomic}].load({order:?}));")
        }
        Op::Store(atomic, value, order) => {
            format!("shared.atomics[{atomic}].store({value}, {order:?});")
        }
        Op::Add(atomic, value, order) => {
            format!("last = see(shared.atomics[{atomic}].fetch_add({value}, {order:?}));")
        }
        Op::Swap(atomic, value, order) => {
            format!("last = see(shared.atomics[{atomic}].swap({value}, {order:?}));")
        }
        Op::Exchange(atomic, [old, new], [order, failing]) => format!(
            "last = see(shared.atomics[{atomic}].compare_exchange({old}, {new}, {order:?}, {failing:?})\
             .unwrap_or_else(|other| other));"
        ),
        Op::Fence(order) => format!("fence({order:?});"),
        Op::Lock => "if held.guard.is_none() { let mut it = shared.mutex.lock().unwrap(); \
                     last = see(*it); *it += 1; held.guard = Some(it); }"
            .to_owned(),
        Op::TryLock => "if held.guard.is_none() { match shared.mutex.try_lock() { \
                        Ok(mut it) => { *it += 1; held.guard = Some(it); last = see(DONE); } \
                        Err(_) => last = see(NOT_DONE) } }"
            .to_owned(),
        Op::Unlock => "held.guard = None;".to_owned(),
        Op::ReadLock => lock("reading", "read"),
        Op::WriteLock => lock("writing", "write"),
        Op::RwUnlock => "(held.reading, held.writing) = (None, None);".to_owned(),
        Op::Park => "thread::park();".to_owned(),
        Op::Unpark(0) => "body.unpark();".to_owned(),
        Op::Unpark(_) if !matches!(doer, Doer::Thread(_, 0)) => "{}".to_owned(),
        Op::Unpark(thread) => {
            format!("if let Some(handle) = &handles[{thread}] {{ handle.thread().unpark(); }}")
        }
        Op::Send(value, with) => {
            let own = if with { "own.strong.pop()" } else { "None" };
            format!("if let Some(sender) = &own.sender {{ sender.send(({value}, {own})); }}")
        }
        Op::Recv => receive("recv"),
        Op::TryRecv => receive("try_recv"),
        Op::DropSender => "drop(own.sender.take());".to_owned(),
        Op::Init(cell, value) => format!(
            "shared.once.get_or_init(|| unsafe {{ *shared.cells[{cell}].at() = {value} }});"
        ),
        Op::Get => {
            "last = see(if shared.once.get().is_some() { DONE } else { NOT_DONE });".to_owned()
        }
        Op::Clone => "own.strong.extend(own.strong.last().cloned());".to_owned(),
        Op::Drop => "drop(own.strong.pop());".to_owned(),
        Op::StrongCount => by("last", "strong", "see(Arc::strong_count(own) as u64)"),
        Op::WeakCount => by("last", "strong", "see(Arc::weak_count(own) as u64)"),
        Op::CountByWeak => by("last", "weak", "see(own.strong_count() as u64)"),
        Op::TryUnwrap => "if let Some(one) = own.strong.pop() { match Arc::try_unwrap(one) { \
                          Ok(value) => { last = see(DONE); drop(value); } \
                          Err(one) => { last = see(NOT_DONE); own.strong.push(one); } } }"
            .to_owned(),
        Op::IntoInner => "if let Some(one) = own.strong.pop() { match Arc::into_inner(one) { \
                          Some(value) => { last = see(DONE); drop(value); } \
                          None => last = see(NOT_DONE) } }"
            .to_owned(),
        Op::GetMut(value) => format!(
            "if let Some(own) = own.strong.last_mut() {{ match Arc::get_mut(own) {{ \
             Some(only) => {{ unsafe {{ *only.cell.at() = {value} }}; last = see(DONE); }} \
             None => last = see(NOT_DONE) }} }}"
        ),
        Op::Downgrade => "own.weak.extend(own.strong.last().map(Arc::downgrade));".to_owned(),
        Op::Upgrade => "if let Some(weak) = own.weak.last() { match weak.upgrade() { \
                        Some(one) => { own.strong.push(one); last = see(DONE); } \
                        None => last = see(NOT_DONE) } }"
            .to_owned(),
        Op::CloneWeak => "own.weak.extend(own.weak.last().cloned());".to_owned(),
        Op::DropWeak => "drop(own.weak.pop());".to_owned(),
        Op::If(..) | Op::Spawn(..) | Op::Join(_) => unreachable!("it has several lines"),
    }
}

/// A plain access.
fn at(place: Place, part: Part, access: &str, doer: Doer<'_>) -> String {
    let whole = match (place, doer) {
        (Place::Cell(cell), _) => format!("shared.cells[{cell}].at()"),
        (Place::Atomic(atomic), _) => format!("shared.atomics[{atomic}].as_ptr()"),
        (Place::Own, Doer::Destructor) => "self.cell.at()".to_owned(),
        (Place::Own, Doer::Thread(..)) => "one.cell.at()".to_owned(),
    };
    let memory = match part {
        Part::Whole => whole,
        Part::Low => format!("{whole}.cast::<u32>()"),
        Part::High => format!("high({whole})"),
    };
    let access = format!("let memory = {memory}; unsafe {{ {access} }};");
    match (place, doer) {
        (Place::Own, Doer::Thread(..)) => {
            format!("if let Some(one) = own.strong.last() {{ {access} }}")
        }
        _ => format!("{{ {access} }}"),
    }
}

fn lock(guard: &str, method: &str) -> String {
    format!(
        "if held.reading.is_none() && held.writing.is_none() {{ \
         held.{guard} = Some(shared.rwlock.{method}().unwrap()); }}"
    )
}

fn receive(method: &str) -> String {
    format!(
        "if let Some(receiver) = &own.receiver {{ \
         last = see(received(receiver.{method}().map_err(Into::into), &mut own.strong)); }}"
    )
}

/// Something that is seen by a reference of the thread.
fn by(seen: &str, references: &str, what: &str) -> String {
    format!("if let Some(own) = own.{references}.last() {{ {seen} = {what}; }}")
}
