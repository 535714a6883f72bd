//! How a thread computes with floating-point numbers: how it rounds, whether it flushes small ones to zero,
//! and the exceptions so far. Natively each thread has that for itself.

/// The control and the status of the thread that runs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct FloatControl {
    /// `MXCSR`, or `FPCR`.
    first: u32,
    /// The control word of the x87, or `FPSR`.
    second: u32,
}

#[cfg(target_arch = "x86_64")]
impl FloatControl {
    /// That of the caller.
    #[inline]
    pub(crate) fn now() -> FloatControl {
        let mut now = FloatControl::default();
        // SAFETY: stores registers; the second has two bytes.
        unsafe {
            std::arch::asm!(
                "stmxcsr [{place}]",
                "fnstcw [{place} + 4]",
                place = in(reg) &raw mut now,
                options(nostack, preserves_flags),
            );
        }
        now
    }

    /// Has the caller compute like this.
    #[inline]
    pub(crate) fn set(self) {
        // SAFETY: loads values that `now` has stored.
        unsafe {
            std::arch::asm!(
                "ldmxcsr [{place}]",
                "fldcw [{place} + 4]",
                place = in(reg) &raw const self,
                options(nostack, preserves_flags, readonly),
            );
        }
    }
}

#[cfg(target_arch = "aarch64")]
impl FloatControl {
    /// That of the caller.
    #[inline]
    pub(crate) fn now() -> FloatControl {
        let (control, status): (u64, u64);
        // SAFETY: reads registers.
        unsafe {
            std::arch::asm!(
                "mrs {control}, fpcr",
                "mrs {status}, fpsr",
                control = out(reg) control,
                status = out(reg) status,
                options(nomem, nostack, preserves_flags),
            );
        }
        FloatControl {
            first: control as u32,
            second: status as u32,
        }
    }

    /// Has the caller compute like this.
    #[inline]
    pub(crate) fn set(self) {
        // SAFETY: writes values that `now` has read.
        unsafe {
            std::arch::asm!(
                "msr fpcr, {control}",
                "msr fpsr, {status}",
                control = in(reg) u64::from(self.first),
                status = in(reg) u64::from(self.second),
                options(nomem, nostack, preserves_flags),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn what_was_stored_is_in_force_again() {
        const UPWARD: u32 = if cfg!(target_arch = "x86_64") {
            2 << 13
        } else {
            1 << 22
        };
        let before = FloatControl::now();
        // Not later than it is asked for.
        let quotient = || black_box(black_box(1.0_f64) / black_box(3.0));
        let other = FloatControl {
            first: before.first | UPWARD,
            ..before
        };
        let nearest = quotient();
        other.set();
        let up = quotient();
        before.set();
        assert_eq!(FloatControl::now(), before);
        let again = quotient();
        assert!(up > nearest, "{up:?} {nearest:?}");
        assert_eq!(again.to_bits(), nearest.to_bits());
    }
}
