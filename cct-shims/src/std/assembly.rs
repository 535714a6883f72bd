//! Inline assembly: nothing of it is seen, but that it may be a fence.
//!
//! Crates have fences of their own that cost less than the compiler's: an instruction with `lock` before it,
//! on x86-64, orders all memory.

/// `core::arch::asm!`. With an instruction that is a full fence, it is one for the engine as well.
#[macro_export]
macro_rules! asm {
    ($($token:tt)*) => {{
        if const { $crate::std::assembly::is_fence($crate::real::stringify!($($token)*)) } {
            $crate::std::sync::atomic::fence($crate::real::sync::atomic::Ordering::SeqCst);
        }
        $crate::real::arch::asm!($($token)*)
    }};
}

/// Instructions, and prefixes of them, that are full fences.
const FENCES: [&str; 5] = ["lock", "mfence", "xchg", "dmb", "dsb"];

/// True if the assembly with this text has such an instruction.
#[must_use]
pub const fn is_fence(text: &str) -> bool {
    let text = text.as_bytes();
    let mut start = 0;
    while start < text.len() {
        let mut end = start;
        while end < text.len() && is_part_of_word(text[end]) {
            end += 1;
        }
        let mut which = 0;
        while which < FENCES.len() {
            if is_same(text, (start, end), FENCES[which].as_bytes()) {
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
    use super::is_fence;

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
