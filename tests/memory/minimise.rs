//! Programs that are a little smaller than another.

use crate::memory::program::{Gift, Home, Op, Program, count};

/// Each that comes from leaving something out, the largest parts first.
pub(crate) fn smaller(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    let threads = program.threads.len();
    if threads > 2 && program.channel.receiver != threads - 1 {
        let mut other = program.clone();
        other.threads.pop();
        let last = threads - 1;
        let is_about_it =
            |op: &Op| matches!(*op, Op::Spawn(of, _) | Op::Join(of) | Op::Unpark(of) if of == last);
        for ops in &mut other.threads {
            ops.retain(|op| !is_about_it(op));
        }
        found.push(other);
    }
    for part in 0..=threads {
        for index in 0..program.parts().nth(part).map_or(0, count) {
            let mut other = program.clone();
            leave_out(other.part_mut(part), index);
            found.push(other);
        }
    }
    found.retain(|other| other.len() < program.len());
    let bare = Gift {
        strong: false,
        weak: false,
    };
    for index in 0..program.threads[0].len() {
        let mut other = program.clone();
        if let Op::Spawn(_, gift) = &mut other.threads[0][index]
            && *gift != bare
        {
            *gift = bare;
            found.push(other);
        }
    }
    if program.home != Home::Heap {
        let mut other = program.clone();
        other.home = Home::Heap;
        found.push(other);
    }
    found
}

/// Leaves out the operation with this number, those within others counted.
fn leave_out(ops: &mut Vec<Op>, mut part: usize) {
    for index in 0..ops.len() {
        if part == 0 {
            ops.remove(index);
            return;
        }
        part -= 1;
        if let Op::If(_, inner) = &mut ops[index] {
            let inside = count(inner);
            if part < inside {
                leave_out(inner, part);
                return;
            }
            part -= inside;
        }
    }
}
