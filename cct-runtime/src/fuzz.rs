//! Values drawn from bytes, texts in disorder, and the law of all that is read from bytes: nothing panics,
//! whatever they are.
//!
//! CONTRIBUTING.md has the long form.

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any};
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;
use proptest::{prop_assert, prop_assert_eq, prop_oneof, proptest};

use crate::codec::Wire;

/// The cases are the same in each run, unless the environment has another seed.
pub(crate) fn config() -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig {
        rng_seed: match config.rng_seed {
            RngSeed::Random => RngSeed::Fixed(1),
            given @ RngSeed::Fixed(_) => given,
        },
        failure_persistence: None,
        ..config
    }
}

/// Texts of these pieces, with others between them.
pub(crate) fn texts(pieces: Vec<&'static str>) -> impl Strategy<Value = String> {
    let others = vec![
        "",
        " ",
        ",",
        "=",
        ":",
        "\n",
        "\r",
        "\0",
        "é",
        "-",
        "+",
        "0",
        "1",
        "4294967295",
        "1e9",
        "18446744073709551616",
    ];
    let piece = prop_oneof![
        4 => select(pieces).prop_map(str::to_owned),
        2 => select(others).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    vec(piece, 0..7).prop_map(|pieces| pieces.concat())
}

/// A value that is made of bytes, whatever they are. Where they end it is the least there is.
pub(crate) trait Drawn: Sized {
    /// Draws a value.
    fn drawn(source: &mut &[u8]) -> Self;
}

/// The next byte; 0 at the end.
fn byte(source: &mut &[u8]) -> u8 {
    source.split_off_first().copied().unwrap_or_default()
}

macro_rules! numbers {
    ($($number:ty)*) => { $(
        impl Drawn for $number {
            fn drawn(source: &mut &[u8]) -> Self {
                match byte(source) {
                    small @ ..=127 => small.into(),
                    128..=191 => <$number>::MAX,
                    _ => <$number>::from_le_bytes(std::array::from_fn(|_| byte(source))),
                }
            }
        }
    )* };
}
numbers!(u32 u64 i32);

impl Drawn for u8 {
    fn drawn(source: &mut &[u8]) -> Self {
        byte(source)
    }
}

impl Drawn for f64 {
    fn drawn(source: &mut &[u8]) -> Self {
        f64::from_bits(u64::drawn(source))
    }
}

impl Drawn for bool {
    fn drawn(source: &mut &[u8]) -> Self {
        byte(source) % 2 == 1
    }
}

impl Drawn for String {
    fn drawn(source: &mut &[u8]) -> Self {
        let letters = ['a', '\u{0}', '\n', '\r', 'é', '=', '/', '\u{10FFFF}'];
        let length = byte(source) % 8;
        let letter = |_| letters[usize::from(byte(source)) % letters.len()];
        (0..length).map(letter).collect()
    }
}

impl<T: Drawn> Drawn for Option<T> {
    fn drawn(source: &mut &[u8]) -> Self {
        bool::drawn(source).then(|| T::drawn(source))
    }
}

impl<T: Drawn> Drawn for Box<T> {
    fn drawn(source: &mut &[u8]) -> Self {
        Box::new(T::drawn(source))
    }
}

impl<T: Drawn, const N: usize> Drawn for [T; N] {
    fn drawn(source: &mut &[u8]) -> Self {
        std::array::from_fn(|_| T::drawn(source))
    }
}

impl<T: Drawn + Wire> Drawn for Vec<T> {
    fn drawn(source: &mut &[u8]) -> Self {
        let least = T::drawn(&mut &[][..]).to_bytes().len();
        assert!(size_of::<T>() <= 32 * least, "bytes take much more memory");
        (0..byte(source) % 5).map(|_| T::drawn(source)).collect()
    }
}

/// Checks that values come back, and parts of them do not; and that bytes are refused, or those of the value
/// that they are read as.
pub(crate) fn law<T: Wire + Drawn>() {
    let damage = vec((any::<Index>(), any::<u8>()), 1..4);
    let bytes = || vec(any::<u8>(), 0..400);
    proptest!(config(), |(source in bytes(), cut in any::<Index>(), damage in damage, noise in bytes())| {
        let whole = T::drawn(&mut &source[..]).to_bytes();
        let read = T::from_bytes(&whole).map(|value| value.to_bytes());
        prop_assert_eq!(read.as_ref(), Some(&whole));
        let more = [&whole[..], &[0]].concat();
        prop_assert!(T::from_bytes(&more).is_none());
        let mut damaged = whole;
        if !damaged.is_empty() {
            prop_assert!(T::from_bytes(&damaged[..cut.index(damaged.len())]).is_none());
            for (at, byte) in damage {
                let at = at.index(damaged.len());
                damaged[at] = byte;
            }
        }
        for bytes in [damaged, noise] {
            let read = T::from_bytes(&bytes).map(|value| value.to_bytes());
            prop_assert!(read.is_none_or(|again| again == bytes));
        }
    });
}

macro_rules! laws {
    ($($test:ident $type:ty,)*) => { $(
        #[test]
        fn $test() {
            law::<$type>();
        }
    )* };
}
laws! {
    events crate::wire::Event,
    schedules crate::trace::Schedule,
    traces crate::trace::Trace,
    bugs crate::verdict::Bug,
    counts_on_the_board crate::wire::Ended,
    tables_of_packages crate::origin::Table,
    coverages crate::covered::Coverage,
    exceptions crate::claim::Exceptions,
}
