//! The schedule as it is made, on the board that outlives the process.

use crate::codec::Wire as _;
use crate::frames::Frames;
use crate::strategy::WorkerId;
use crate::trace::Schedule;
use crate::wire::{Board, Ended};

/// Writes the schedule of the iteration under way.
#[derive(Debug)]
pub(crate) struct Tape {
    board: *mut Board,
    /// The bytes of the schedule's head, kept for their capacity.
    head: Vec<u8>,
    run_start: u32,
    /// Runs or choices did not fit; only possible for choices, since runs are bounded by the steps.
    overflowed: bool,
    /// See [`Schedule::race_at`]; 0 unless the iteration has ended with a race.
    race_at: u64,
}

impl Tape {
    /// A tape on a board.
    ///
    /// # Safety
    ///
    /// `board` must be valid for reads and writes for the rest of the process, and used by nobody else in
    /// this process.
    pub(crate) unsafe fn on(board: *mut Board) -> Tape {
        Tape {
            board,
            head: Vec::new(),
            run_start: 0,
            overflowed: false,
            race_at: 0,
        }
    }

    /// Begins an iteration; `head` is its schedule without runs and choices.
    pub(crate) fn begin(&mut self, iteration: u64, head: &Schedule) {
        self.race_at = 0;
        self.head.clear();
        head.put(&mut self.head);
        let bytes = &self.head;
        // SAFETY: the board is valid and ours, see `on`; no other reference to it exists.
        let board = unsafe { &mut *self.board };
        // Nothing on the board means anything while it is being changed.
        board.magic = 0;
        board.head[..bytes.len()].copy_from_slice(bytes);
        board.head_length = bytes.len() as u32;
        board.iteration = iteration;
        board.steps = 0;
        board.enough = 0;
        board.worker = 0;
        board.runs = 1;
        board.choices = 0;
        board.frame_count = 0;
        board.run_table[0] = [0, 0];
        board.magic = Board::MAGIC;
        self.run_start = 0;
    }

    /// Another worker runs from after this step on.
    #[inline]
    pub(crate) fn switch(&mut self, step: u32, next: WorkerId) {
        if step == self.run_start {
            self.rename(step, next);
            return;
        }
        // SAFETY: as in `begin`; a run has a step at least, so runs fit as long as steps do.
        unsafe {
            let last = (*self.board).runs as usize;
            let runs = &raw mut (*self.board).run_table;
            (*runs)[last - 1][1] = step - self.run_start;
            (*runs)[last] = [next.0, 0];
            (*self.board).runs += 1;
            (*self.board).worker = next.0;
        }
        self.run_start = step;
    }

    /// From this step on the steps are another worker's, although nobody has decided so: a thread begins,
    /// or stops, to poll a task.
    pub(crate) fn rename(&mut self, step: u32, next: WorkerId) {
        // SAFETY: as in `begin`; a run without steps makes room for the next.
        unsafe {
            let last = (*self.board).runs as usize - 1;
            if step > self.run_start {
                self.switch(step, next);
                return;
            }
            let runs = &raw mut (*self.board).run_table;
            (*self.board).worker = next.0;
            if last > 0 && (*runs)[last - 1][0] == next.0 {
                self.run_start -= (*runs)[last - 1][1];
                (*self.board).runs -= 1;
            } else {
                (*runs)[last][0] = next.0;
            }
        }
    }

    /// A sign of life.
    #[inline]
    pub(crate) fn beat(&mut self, step: u32) {
        // SAFETY: as in `begin`.
        unsafe {
            (*self.board).steps = u64::from(step);
            (*self.board).beats += 1;
        }
    }

    /// The engine begins to wait for the outside, or has waited.
    pub(crate) fn wait(&mut self, begins: bool) {
        // SAFETY: as in `begin`.
        unsafe { (*self.board).waits = begins.into() };
    }

    /// Iterations have ended, and these are their counts.
    pub(crate) fn count(&self, ended: Ended) {
        // SAFETY: as in `begin`.
        unsafe { (*self.board).ended = ended };
    }

    /// True once the tool has waited for long enough.
    pub(crate) fn is_enough(&self) -> bool {
        // SAFETY: as in `begin`; another process writes it, whenever it likes.
        unsafe { (&raw const (*self.board).enough).read_volatile() != 0 }
    }

    /// The iteration fails at these calls.
    pub(crate) fn leave(&mut self, frames: &Frames) {
        let places = frames.places();
        // SAFETY: as in `begin`.
        let board = unsafe { &mut *self.board };
        board.frames[..places.len()].copy_from_slice(places);
        board.frame_count = places.len() as u32;
    }

    /// A value was chosen.
    pub(crate) fn choose(&mut self, value: u32) {
        // SAFETY: as in `begin`.
        let board = unsafe { &mut *self.board };
        match board.choice_table.get_mut(board.choices as usize) {
            Some(entry) => {
                *entry = value;
                board.choices += 1;
            }
            None => self.overflowed = true,
        }
    }

    /// Ends the last run at this step.
    pub(crate) fn end(&mut self, step: u32) {
        // SAFETY: as in `begin`.
        let board = unsafe { &mut *self.board };
        board.run_table[board.runs as usize - 1][1] = step - self.run_start;
    }

    /// True when a choice was made in this iteration.
    pub(crate) fn has_choices(&self) -> bool {
        // SAFETY: as in `begin`.
        unsafe { (*self.board).choices > 0 || self.overflowed }
    }

    /// The whole schedule.
    pub(crate) fn schedule(&self) -> Schedule {
        // SAFETY: as in `begin`.
        let board = unsafe { &*self.board };
        let mut schedule = board.schedule().expect("an iteration has begun");
        if self.race_at != 0 {
            schedule.race_at = self.race_at;
        }
        schedule
    }

    /// The iteration has ended with a race for the memory at this address.
    pub(crate) fn note_race(&mut self, address: u64) {
        self.race_at = address;
    }

    /// A hash of the schedule, which tells distinct ones apart.
    pub(crate) fn fingerprint(&self) -> u64 {
        // SAFETY: as in `begin`.
        let board = unsafe { &*self.board };
        let runs = &board.run_table[..board.runs as usize];
        let choices = &board.choice_table[..board.choices as usize];
        let runs = runs
            .iter()
            .map(|&[worker, steps]| u64::from(worker) << 32 | u64::from(steps));
        runs.chain(choices.iter().map(|&choice| u64::from(choice)))
            .fold(0xCBF2_9CE4_8422_2325, |hash, word| {
                (hash ^ word)
                    .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                    .rotate_left(29)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Tape {
        /// A tape on a board of its own, for tests.
        pub(crate) fn private() -> Tape {
            // SAFETY: a board is numbers throughout, and this one stays for good.
            unsafe { Tape::on(Box::leak(Box::<Board>::new_zeroed().assume_init())) }
        }
    }

    #[test]
    fn what_is_written_is_the_schedule() {
        let mut tape = Tape::private();
        let head = Schedule {
            seed: 7,
            strategy: "random".to_owned(),
            ..Schedule::default()
        };
        tape.begin(1, &head);
        tape.switch(3, WorkerId(1));
        tape.choose(5);
        tape.switch(4, WorkerId(0));
        tape.end(9);
        let expected = Schedule {
            runs: vec![(0, 3).into(), (1, 1).into(), (0, 5).into()],
            choices: vec![5],
            ..head.clone()
        };
        assert_eq!(tape.schedule(), expected);
        assert!(tape.has_choices());

        let fingerprint = tape.fingerprint();
        tape.begin(2, &head);
        assert_eq!(tape.schedule().runs, [(0, 0).into()]);
        assert_ne!(tape.fingerprint(), fingerprint);
    }
}
