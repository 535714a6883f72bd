//! The binary form of the values that cross the process border: little-endian, lengths first.
//!
//! One trait, implemented for the few shapes that are needed. Both sides are the same code, so there is
//! no schema; [`crate::wire::VERSION`] tells a foreign file apart.

/// A value with a binary form.
pub trait Wire: Sized {
    /// Appends the value.
    fn put(&self, out: &mut Vec<u8>);
    /// Takes the value off the front; `None` when the bytes are too short or make no sense.
    fn take(input: &mut &[u8]) -> Option<Self>;

    /// The value's bytes.
    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.put(&mut out);
        out
    }

    /// The value of exactly these bytes.
    fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let value = Self::take(&mut bytes)?;
        bytes.is_empty().then_some(value)
    }
}

macro_rules! numbers {
    ($($number:ty)*) => { $(
        impl Wire for $number {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn take(input: &mut &[u8]) -> Option<Self> {
                let (front, rest) = input.split_first_chunk()?;
                *input = rest;
                Some(<$number>::from_le_bytes(*front))
            }
        }
    )* };
}
numbers!(u8 u32 u64 i32);

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        Some(u8::take(input)? != 0)
    }
}

impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        put_length(self.len(), out);
        out.extend_from_slice(self.as_bytes());
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        let length = take_length(input)?;
        let (front, rest) = input.split_at_checked(length)?;
        *input = rest;
        String::from_utf8(front.to_vec()).ok()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        if bool::take(input)? {
            Some(Some(T::take(input)?))
        } else {
            Some(None)
        }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        put_length(self.len(), out);
        for value in self {
            value.put(out);
        }
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        let length = take_length(input)?;
        (0..length).map(|_| T::take(input)).collect()
    }
}

fn put_length(length: usize, out: &mut Vec<u8>) {
    u32::try_from(length)
        .expect("a message has fewer than 2^32 parts")
        .put(out);
}

fn take_length(input: &mut &[u8]) -> Option<usize> {
    let length = usize::try_from(u32::take(input)?).ok()?;
    // A part takes a byte at least: a wrong length must not make us allocate.
    (length <= input.len()).then_some(length)
}

/// Implements [`Wire`] for a struct by its fields in order.
macro_rules! wire_struct {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::codec::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $($crate::codec::Wire::put(&self.$field, out);)*
            }
            fn take(input: &mut &[u8]) -> Option<Self> {
                Some($name { $($field: $crate::codec::Wire::take(input)?,)* })
            }
        }
    };
}

/// Implements [`Wire`] for an enum of unit and one-field variants, each with its code.
macro_rules! wire_enum {
    ($name:ident { $($code:literal $variant:ident $(($field:ident))?),* $(,)? }) => {
        impl $crate::codec::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $($name::$variant $(($field))? => {
                        out.push($code);
                        $($crate::codec::Wire::put($field, out);)?
                    })*
                }
            }
            fn take(input: &mut &[u8]) -> Option<Self> {
                match <u8 as $crate::codec::Wire>::take(input)? {
                    $($code => Some($name::$variant $(({
                        let $field = $crate::codec::Wire::take(input)?;
                        $field
                    }))?),)*
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use {wire_enum, wire_struct};
