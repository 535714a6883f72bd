//! The functions of std's generic code in the executable: what a call of one does is at one place.

use std::sync::OnceLock;

/// Where each begins and ends, as offsets of what its calls return to; in order.
static FUNCTIONS: OnceLock<Vec<(u32, u32)>> = OnceLock::new();

/// Reads `1a0-1f4,…`, in hexadecimal and in order. False if it is something else.
pub(super) fn install(text: &str) -> bool {
    let functions = text.trim().split(',').filter(|range| !range.is_empty());
    let functions = functions.map(|range| {
        let (start, end) = range.split_once('-')?;
        let number = |text| u32::from_str_radix(text, 16).ok();
        Some((number(start)?, number(end)?))
    });
    let functions: Option<Vec<(u32, u32)>> = functions.collect();
    functions.is_some_and(|functions| FUNCTIONS.set(functions).is_ok())
}

/// The place of an access: of one in a function of std it is that function's.
pub(super) fn place_of(offset: u32) -> u32 {
    FUNCTIONS
        .get()
        .map_or(offset, |functions| within(functions, offset))
}

fn within(functions: &[(u32, u32)], offset: u32) -> u32 {
    let after = functions.partition_point(|&(start, _)| start <= offset);
    match after.checked_sub(1).map(|index| functions[index]) {
        Some((start, end)) if offset < end => start,
        _ => offset,
    }
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn an_access_in_a_function_is_at_its_beginning() {
        let functions = [(0x10, 0x20), (0x20, 0x30), (0x50, 0x51)];
        for (offset, place) in [
            (0x0F, 0x0F),
            (0x10, 0x10),
            (0x1F, 0x10),
            (0x20, 0x20),
            (0x30, 0x30),
            (0x50, 0x50),
            (0x51, 0x51),
        ] {
            assert_eq!(within(&functions, offset), place);
        }
    }
}
