//! `thread_local!`.

/// Declares thread-locals, as std's macro of the same name does.
#[macro_export]
macro_rules! thread_local {
    () => {};
    (
        $(#[$attribute:meta])*
        $visibility:vis static $name:ident: $type:ty = const $init:block
        $(; $($rest:tt)*)?
    ) => {
        $(#[$attribute])*
        $visibility const $name: $crate::std::thread::LocalKey<$type> = {
            const __CCT_INIT: $type = $init;
            $crate::__local_key!($type, const { __CCT_INIT }, || __CCT_INIT)
        };
        $($crate::thread_local! { $($rest)* })?
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis static $name:ident: $type:ty = $init:expr
        $(; $($rest:tt)*)?
    ) => {
        $(#[$attribute])*
        $visibility const $name: $crate::std::thread::LocalKey<$type> = {
            fn __cct_init() -> $type {
                $init
            }
            $crate::__local_key!($type, __cct_init(), __cct_init)
        };
        $($crate::thread_local! { $($rest)* })?
    };
}

/// One key: the native one, and the slot and initialiser of the worker-local.
///
/// The slot is a `static`, since functions with equal code may be merged and could not tell keys
/// apart.
#[doc(hidden)]
#[macro_export]
macro_rules! __local_key {
    ($type:ty, const $native:block, $init:expr) => {{
        $crate::real::thread_local! { static __CCT_NATIVE: $type = const $native; }
        static __CCT_SLOT: $crate::expand::LocalSlot = $crate::expand::LocalSlot::new();
        $crate::std::thread::LocalKey::__new(__CCT_NATIVE, &__CCT_SLOT, $init)
    }};
    ($type:ty, $native:expr, $init:expr) => {{
        $crate::real::thread_local! { static __CCT_NATIVE: $type = $native; }
        static __CCT_SLOT: $crate::expand::LocalSlot = $crate::expand::LocalSlot::new();
        $crate::std::thread::LocalKey::__new(__CCT_NATIVE, &__CCT_SLOT, $init)
    }};
}
