//! The last entry of a record: it says that all before is as it was written.
//!
//! A single other digit in a schedule makes it another schedule, which passes: nobody is to take that for a
//! failure that is gone. Records of earlier versions have no seal.

use std::io;

use super::record::Record;
use crate::build::digest;

const BEGIN: &[u8] = b",\"seal\":\"";
const END: &[u8] = b"\"}";
/// Digits of the hash.
const LENGTH: usize = 32;

/// The text of a record, with its seal.
pub(super) fn sealed(record: &Record) -> io::Result<Vec<u8>> {
    Ok(with_seal(serde_json::to_vec(record)?))
}

pub(super) fn with_seal(mut text: Vec<u8>) -> Vec<u8> {
    let hash = digest::of_bytes(&text);
    // The brace at its end comes after the seal.
    text.pop();
    text.extend(BEGIN);
    text.extend(&hash.as_bytes()[..LENGTH]);
    text.extend(END);
    text
}

/// True if a text has a seal that does not go with the rest.
pub(super) fn is_broken(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let at = text.len().checked_sub(BEGIN.len() + LENGTH + END.len());
    let Some((before, seal)) = at.map(|at| text.split_at(at)) else {
        return false;
    };
    let Some(hash) = seal.strip_prefix(BEGIN) else {
        return false;
    };
    let whole = digest::of_bytes(&[before, b"}"].concat());
    hash[..LENGTH] != whole.as_bytes()[..LENGTH]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_was_changed_has_a_broken_seal() {
        let written = br#"{"a":1,"b":[2,3]}"#;
        let sealed = with_seal(written.to_vec());
        assert!(sealed.starts_with(br#"{"a":1,"b":[2,3],"seal":""#));
        assert!(!is_broken(&sealed));
        for at in 0..written.len() - 1 {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(is_broken(&changed), "{at}");
        }
        assert!(!is_broken(written) && !is_broken(b""));
    }
}
