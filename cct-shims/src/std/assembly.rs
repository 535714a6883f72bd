//! Inline assembly: nothing of it is seen, but that it may be a fence, or change an atomic.
//!
//! Crates have fences of their own that cost less than the compiler's: an instruction with `lock` before it,
//! on x86-64, orders all memory. They take locks by such instructions, too, of which nobody knows whose
//! acts they order: it is assumed of all. An instruction of either kind that changes nothing, as
//! concurrent-queue has one (`lock not` of a word of its own), is a fence alone.

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

pub use cct::engine::meet_all;

/// True if the assembly with these tokens has an instruction that orders all memory.
#[must_use]
pub const fn is_fence(tokens: &str) -> bool {
    Found::of(tokens.as_bytes()).fence
}

/// The same of one that changes an atomic.
#[must_use]
pub const fn is_atomic(tokens: &str) -> bool {
    Found::of(tokens.as_bytes()).atomic
}

/// Mnemonics of full fences.
const FENCES: [&[u8]; 3] = [b"mfence", b"dmb", b"dsb"];

/// Beginnings of those that change an atomic, or let another thread see what was done: of aarch64.
const ATOMICS: [&[u8]; 24] = [
    b"ldxr", b"ldxp", b"ldaxr", b"ldaxp", b"stlr", b"stlxr", b"stlxp", b"ldar", b"ldapr", b"cas",
    b"swp", b"ldadd", b"ldclr", b"ldset", b"ldeor", b"ldsm", b"ldum", b"stadd", b"stclr", b"stset",
    b"steor", b"stsm", b"stum", b"stllr",
];

/// Words that may be before an instruction of x86-64.
const PREFIXES: [&[u8]; 2] = [b"xacquire", b"xrelease"];

/// Beginnings of those that change nothing where an operand is zero.
const IDLE_WITH_ZERO: [&[u8]; 4] = [b"or", b"add", b"sub", b"xor"];

/// The instructions in the text of inline assembly.
struct Found {
    fence: bool,
    atomic: bool,
}

impl Found {
    /// Looks at each statement of each literal. Names of operands and of registers are none: these stand for
    /// no instruction, wherever they are.
    const fn of(tokens: &[u8]) -> Found {
        let mut found = Found {
            fence: false,
            atomic: false,
        };
        let mut at = 0;
        while at < tokens.len() {
            if tokens[at] != b'"' {
                at += 1;
                continue;
            }
            let hashes = hashes_before(tokens, at);
            at += 1;
            loop {
                let end = end_of_statement(tokens, at, hashes);
                found.statement(tokens, at, end);
                if end >= tokens.len() || is_end(tokens, end, hashes) {
                    at = end + 1;
                    break;
                }
                at = end + length(tokens, end, hashes);
            }
        }
        found
    }

    /// One statement, from `at` to `end`.
    const fn statement(&mut self, text: &[u8], at: usize, end: usize) {
        let mut first = next_word(text, at, end);
        loop {
            let is_label = first.1 < end && text[first.1] == b':';
            if !is_label && !begins_with_any(text, first, &PREFIXES) {
                break;
            }
            first = next_word(text, first.1 + is_label as usize, end);
        }
        if is_word(text, first, b"lock") {
            self.fence = true;
            let act = next_word(text, first.1, end);
            let is_idle = is_word(text, act, b"not")
                || is_word(text, act, b"notq")
                || is_word(text, act, b"notl")
                || (begins_with_any(text, act, &IDLE_WITH_ZERO) && has_zero(text, act.1, end));
            self.atomic |= !is_idle;
        } else if begins_with(text, first, b"xchg") && may_have_address(text, first.1, end) {
            self.fence = true;
            self.atomic = true;
        } else if begins_with_any(text, first, &FENCES) {
            self.fence = true;
        } else if begins_with_any(text, first, &ATOMICS) {
            self.atomic = true;
        }
    }
}

/// The number of `#` before the quote of a raw literal; none if it is no raw one.
const fn hashes_before(tokens: &[u8], quote: usize) -> Option<usize> {
    let mut at = quote;
    while at > 0 && tokens[at - 1] == b'#' {
        at -= 1;
    }
    if at > 0 && tokens[at - 1] == b'r' {
        Some(quote - at)
    } else {
        None
    }
}

/// Where a statement that begins here ends: at a line's, at a semicolon, or with its literal.
const fn end_of_statement(text: &[u8], mut at: usize, hashes: Option<usize>) -> usize {
    while at < text.len()
        && text[at] != b'\n'
        && text[at] != b';'
        && !is_newline(text, at, hashes)
        && !is_end(text, at, hashes)
    {
        at += length(text, at, hashes);
    }
    at
}

/// True if a literal ends here.
const fn is_end(text: &[u8], at: usize, hashes: Option<usize>) -> bool {
    let mut count = 0;
    while let Some(all) = hashes
        && count < all
    {
        if at + 1 + count >= text.len() || text[at + 1 + count] != b'#' {
            return false;
        }
        count += 1;
    }
    text[at] == b'"'
}

/// True of an escaped end of a line. One after which the literal goes on in the source is none.
const fn is_newline(text: &[u8], at: usize, hashes: Option<usize>) -> bool {
    length(text, at, hashes) == 2 && text[at + 1] == b'n'
}

/// The bytes of the character that begins here: two if it is escaped.
const fn length(text: &[u8], at: usize, hashes: Option<usize>) -> usize {
    if hashes.is_none() && text[at] == b'\\' && at + 1 < text.len() {
        2
    } else {
        1
    }
}

/// The next word: from where to where. Behind the beginning of a comment that ends with the line there is
/// none.
const fn next_word(text: &[u8], mut at: usize, end: usize) -> (usize, usize) {
    let mut is_comment = false;
    while at < end {
        let pair = (text[at], if at + 1 < end { text[at + 1] } else { 0 });
        at += match pair {
            (b'*', b'/') if is_comment => {
                is_comment = false;
                2
            }
            _ if is_comment => 1,
            (b'/', b'*') => {
                is_comment = true;
                2
            }
            (b'\\', _) => 2,
            (byte, _) if byte.is_ascii_whitespace() => 1,
            _ => break,
        };
    }
    let start = at;
    while at < end && is_part_of_word(text[at]) {
        at += 1;
    }
    (start, at)
}

const fn is_part_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'{' | b'}')
}

/// True if an operand is an immediate zero: the first or the last.
const fn has_zero(text: &[u8], at: usize, end: usize) -> bool {
    let mut last = end;
    while last > at && text[last - 1].is_ascii_whitespace() {
        last -= 1;
    }
    let is_last = last > at + 1 && text[last - 1] == b'0' && !is_part_of_word(text[last - 2]);
    let mut first = at;
    while first < end && (text[first].is_ascii_whitespace() || text[first] == b'$') {
        first += 1;
    }
    let is_first = first + 1 < end && text[first] == b'0' && text[first + 1] == b',';
    is_first || is_last
}

/// True if an operand is in memory, or not all of them are here: macros put texts together. With nothing
/// after it the word is the name of a register.
const fn may_have_address(text: &[u8], mut at: usize, end: usize) -> bool {
    let mut operands = if at < end { 1 } else { 2 };
    while at < end {
        match text[at] {
            b'[' | b'(' => return true,
            b',' => operands += 1,
            _ => {}
        }
        at += 1;
    }
    operands < 2
}

const fn is_word(text: &[u8], (start, end): (usize, usize), word: &[u8]) -> bool {
    end - start == word.len() && begins_with(text, (start, end), word)
}

const fn begins_with_any(text: &[u8], word: (usize, usize), all: &[&[u8]]) -> bool {
    let mut which = 0;
    while which < all.len() {
        if begins_with(text, word, all[which]) {
            return true;
        }
        which += 1;
    }
    false
}

const fn begins_with(text: &[u8], (start, end): (usize, usize), beginning: &[u8]) -> bool {
    if end - start < beginning.len() {
        return false;
    }
    let mut at = 0;
    while at < beginning.len() {
        if text[start + at].to_ascii_lowercase() != beginning[at] {
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
            r#""nop\n\tlock inc dword ptr [{0}]""#,
            r#""dmb ish""#,
            "\"nop\n  LOCK inc dword ptr [rdi]\"",
            r##"r#"dsb sy"#"##,
            r#"concat!("2: ", "lock xadd [rdi], eax")"#,
            r#"concat!("lock; ", "addl $0, (%rsp)"), options(att_syntax)"#,
        ] {
            assert!(is_fence(text), "{text}");
        }
    }

    #[test]
    fn instructions_that_change_an_atomic_may_be_a_locks() {
        for text in [
            r#""lock bts qword ptr [{0:r}], 0", "setc {1}", in(reg) &self.state"#,
            r#""lock btsq $0, ({0})", in(reg) &self.state, options(att_syntax)"#,
            r#""lock and qword ptr [{0}], 0""#,
            r#""lock or qword ptr [{0}], 10""#,
            r#""lock or qword ptr [{0}], {1}""#,
            r#""mov eax, 1\nlock xadd [rdi], eax""#,
            r#""\tlock\tcmpxchg [rdi], eax""#,
            r#""xchg {}, [{}]", inout(reg) a, in(reg) b"#,
            r#""xchgq %rax, (%rdi)""#,
            r#"concat!("xchg ", $size, " ptr [{place}], {value}")"#,
            r#""xacquire lock cmpxchg [rdi], eax""#,
            r#""/* take it */ lock cmpxchg [rdi], eax""#,
            r#""staddl w1, [{0}]""#,
            r#""ldapr w1, [{0}]""#,
            r#""2: ldaxr w0, [{0}]", "stlxr w1, w2, [{0}]""#,
            r#""{again}: .Lfoo: casalb w0, w1, [{0}]""#,
            r#""ldaddal w0, w1, [{0}]""#,
        ] {
            assert!(is_atomic(text), "{text}");
        }
    }

    #[test]
    fn a_fence_alone_is_no_lock() {
        for text in [
            r#""mfence""#,
            r#""dmb ish""#,
            r#""lock not qword ptr [{0}]", in(reg) a.get(), options(nostack)"#,
            r#""lock or dword ptr [rsp], 0", options(nostack)"#,
            r#""lock or dword ptr [rsp], 0\n""#,
            r#""lock addq $0, (%rsp)", options(att_syntax)"#,
        ] {
            assert!(is_fence(text) && !is_atomic(text), "{text}");
        }
    }

    #[test]
    fn other_code_is_none() {
        for text in [
            "",
            r#""mov {0}, {1}", out(reg) block, in(reg) clock"#,
            r#""{lock} {xchg}", lock_ = in(reg) 1"#,
            r#""pause""#,
            r#""prefetcht0 [{0}]", in(reg) &self.lock, out("xchg") lock"#,
            r#""// take the lock\nmov {0}, 1""#,
            r#""mov {0}, 1 // lock xadd""#,
            r#""/* lock */ mov {0}, 1""#,
            r#""stp x0, x1, [sp, -16]!""#,
            r#""mov {0:r}, rbx", "cpuid", "xchg {0:r}, rbx""#,
            r##"r#"mov eax, "lock" "#"##,
        ] {
            assert!(!is_fence(text) && !is_atomic(text), "{text}");
        }
    }
}
