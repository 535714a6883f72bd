//! Inline assembly: nothing of it is seen, but that it may be a fence, or change an atomic.
//!
//! Crates have fences of their own that cost less than the compiler's: an instruction with `lock` before it,
//! on x86-64, orders all memory. They take locks by such instructions, too, of which nobody knows whose
//! acts they order: it is assumed of all.

/// `core::arch::asm!`. With an instruction that is a full fence, it is one for the engine as well. With one
/// that changes an atomic, no race is told of what was before it and what comes after it.
#[macro_export]
macro_rules! asm {
    ($($token:tt)*) => {{
        if const { $crate::std::assembly::is_fence($crate::real::stringify!($($token)*)) } {
            $crate::std::sync::atomic::fence($crate::real::sync::atomic::Ordering::SeqCst);
        }
        if const { $crate::std::assembly::is_atomic($crate::real::stringify!($($token)*)) } {
            $crate::std::assembly::meet_all();
        }
        $crate::real::arch::asm!($($token)*)
    }};
}

/// Instructions, and prefixes of them, that are full fences.
const FENCES: [&str; 5] = ["lock", "mfence", "xchg", "dmb", "dsb"];

/// Instructions, and prefixes of them, that change an atomic.
const ATOMICS: [&str; 8] = [
    "lock", "xchg", "ldxr", "ldaxr", "casa", "casal", "swpa", "swpal",
];

pub use cct::engine::meet_all;

/// True if the assembly with this text has an instruction that orders all memory.
#[must_use]
pub const fn is_fence(text: &str) -> bool {
    has_one(text, &FENCES)
}

/// The same of one that changes an atomic.
#[must_use]
pub const fn is_atomic(text: &str) -> bool {
    has_one(text, &ATOMICS)
}

const fn has_one(text: &str, words: &[&str]) -> bool {
    let text = text.as_bytes();
    let mut start = 0;
    while start < text.len() {
        let mut end = start;
        while end < text.len() && is_part_of_word(text[end]) {
            end += 1;
        }
        let mut which = 0;
        while which < words.len() {
            if is_same(text, (start, end), words[which].as_bytes()) {
                return true;
            }
            which += 1;
        }
        start = end + 1;
    }
    false
}

const fn is_part_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'{' || byte == b'}'
}

const fn is_same(text: &[u8], (start, end): (usize, usize), word: &[u8]) -> bool {
    if end - start != word.len() {
        return false;
    }
    let mut at = 0;
    while at < word.len() {
        if text[start + at] != word[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{is_atomic, is_fence};

    #[test]
    fn instructions_that_order_all_memory_are_fences() {
        for text in [
            r#""lock not qword ptr [{0}]", in(reg) a.get(), options(nostack)"#,
            r#""mfence", options(nostack)"#,
            r#""xchg {}, [{}]", inout(reg) a, in(reg) b"#,
            r#""nop; lock inc dword ptr [{0}]""#,
            r#""dmb ish""#,
        ] {
            assert!(is_fence(text), "{text}");
        }
    }

    #[test]
    fn instructions_that_change_an_atomic_may_be_a_locks() {
        for text in [
            r#""lock bts qword ptr [{0:r}], 0", "setc {1}", in(reg) &self.state"#,
            r#""xchg {}, [{}]", inout(reg) a, in(reg) b"#,
            r#""2: ldaxr w0, [{0}]", "stlxr w1, w2, [{0}]""#,
        ] {
            assert!(is_atomic(text), "{text}");
        }
        for text in [r#""mfence""#, r#""dmb ish""#, r#""rdtsc""#] {
            assert!(!is_atomic(text), "{text}");
        }
    }

    #[test]
    fn other_code_is_none() {
        for text in [
            "",
            r#""mov {0}, {1}", out(reg) block, in(reg) clock"#,
            r#""{lock} {xchg}", lock_ = in(reg) 1"#,
            r#""pause""#,
        ] {
            assert!(!is_fence(text), "{text}");
        }
    }
}
