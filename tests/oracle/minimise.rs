//! Programs that are a little smaller than another.

use crate::program::{Op, Program};

/// Each that comes from leaving something out, the largest parts first.
pub(crate) fn smaller(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    if program.threads.len() > 2 {
        found.push(without_last_thread(program));
    }
    for thread in 0..program.threads.len() {
        let count = parts(&program.threads[thread]);
        for part in 0..count {
            let mut other = program.clone();
            leave_out(&mut other.threads[thread], part);
            found.push(other);
        }
    }
    for part in 0..parts(&program.lazy) {
        let mut other = program.clone();
        leave_out(&mut other.lazy, part);
        found.push(other);
    }
    for part in 0..parts(&program.local) {
        let mut other = program.clone();
        leave_out(&mut other.local, part);
        found.push(other);
    }
    found.retain(|other| other.len() < program.len());
    found
}

fn parts(ops: &[Op]) -> usize {
    crate::program::count(ops)
}

/// Leaves out the operation with this number, those within others counted.
fn leave_out(ops: &mut Vec<Op>, mut part: usize) {
    for index in 0..ops.len() {
        if part == 0 {
            ops.remove(index);
            return;
        }
        part -= 1;
        if let Some(inner) = ops[index].inner_mut() {
            let count = parts(inner);
            if part < count {
                leave_out(inner, part);
                return;
            }
            part -= count;
        }
    }
}

fn without_last_thread(program: &Program) -> Program {
    let mut other = program.clone();
    let last = program.threads.len() - 1;
    other.threads.pop();
    for ops in &mut other.threads {
        forget(ops, last);
    }
    if other
        .channels
        .iter()
        .any(|channel| channel.receiver == last)
    {
        return program.clone();
    }
    other
}

fn forget(ops: &mut Vec<Op>, thread: usize) {
    ops.retain(|op| {
        !matches!(*op, Op::Spawn(of) | Op::Join(of) | Op::IsFinished(of) | Op::Unpark(of) if of == thread)
    });
    for op in ops {
        if let Op::Scope(threads, _) | Op::RunTasks(threads) = op {
            threads.retain(|&of| of != thread);
        }
        if let Some(inner) = op.inner_mut() {
            forget(inner, thread);
        }
    }
}
