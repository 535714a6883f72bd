//! Powers of e, in integers: equal on all machines.

/// The bits behind the point of an exponent.
pub(super) const FRACTION: u32 = 10;
/// e^0.
pub(super) const ONE: u64 = 1 << BITS;
/// The bits behind the point of a power.
const BITS: u32 = 31;

/// e^-1 and e^(-1/256), times 2^64.
const E_1: u64 = 0x5E2D_58D8_B3BC_DF1B;
const E_256: u64 = 0xFF00_7FD5_5FFD_DE39;

/// `WHOLE[k]` is e^-k, `PARTS[k]` is e^(-k/256), times [`ONE`]. From 22 on less than one is left.
const WHOLE: [u64; 22] = powers(E_1);
const PARTS: [u64; 256] = powers(E_256);

/// e^-x, times [`ONE`]; `x` has [`FRACTION`] bits behind the point, of which eight count.
#[inline]
pub(super) fn exp_minus(x: u32) -> u64 {
    let whole = (x >> FRACTION) as usize;
    let part = (x >> (FRACTION - 8)) as usize & 0xFF;
    match WHOLE.get(whole) {
        Some(power) => (power * PARTS[part]) >> BITS,
        None => 0,
    }
}

const fn powers<const N: usize>(base: u64) -> [u64; N] {
    let mut all = [ONE; N];
    let mut exact = u64::MAX;
    let mut index = 1;
    while index < N {
        exact = ((exact as u128 * base as u128) >> 64) as u64;
        all[index] = exact >> (64 - BITS);
        index += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_e() {
        for x in 0..30_000_u32 {
            let exact = (-f64::from(x >> 2) / 256.0).exp();
            let found = exp_minus(x) as f64 / ONE as f64;
            assert!((exact - found).abs() < 1e-8, "{x}: {found} for {exact}");
        }
        assert_eq!(exp_minus(0), ONE);
        assert_eq!(exp_minus(u32::MAX), 0);
    }
}
