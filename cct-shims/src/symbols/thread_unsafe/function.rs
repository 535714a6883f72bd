//! The definition of a function that tells its caller's place, with what it reads and writes.

/// Defines functions of the C library: the register that gets the return address, as for
/// [`with_caller`](super::super::caller::with_caller), and then what is read and written. An object is the
/// only one of its group unless `at` says which, or that there is none.
macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty, $x86:literal, $arm:literal:
        $($access:ident $group:ident $(at $object:expr)?),+;)*) => { $(
        unsafe extern "C" fn $name($($argument: $type,)* returns_to: usize) -> $result {
            static REAL: Real<unsafe extern "C" fn($($type),*) -> $result> = {
                let name = concat!(stringify!($name), "\0").as_bytes();
                let Ok(name) = CStr::from_bytes_with_nul(name) else {
                    panic!("it ends with a zero");
                };
                // SAFETY: the function's type.
                unsafe { Real::named(name) }
            };
            $(if writes!($access) && group::stays(&group::$group) && object!($($object)?).is_some() {
                engine::leave_out(Exception::StateLeftBehind);
            })+
            if hears() {
                $(if let Some(object) = object!($($object)?) {
                    static API: Api = Api {
                        name: stringify!($name),
                        group: &group::$group,
                        writes: writes!($access),
                    };
                    tell(&API, object, returns_to);
                })+
            }
            // SAFETY: the caller's arguments.
            unsafe { REAL.get()($($argument),*) }
        }

        $crate::symbols::caller::weak_with_caller!($name, $x86, $arm, $name);
    )* };
}

macro_rules! object {
    () => {
        Some(0)
    };
    ($object:expr) => {
        $object
    };
}

macro_rules! writes {
    (reads) => {
        false
    };
    (writes) => {
        true
    };
}

pub(super) use {functions, object, writes};
