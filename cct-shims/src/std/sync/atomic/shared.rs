//! The common part of all atomics.

/// The line that documents a method.
macro_rules! see {
    ($atomic:ident $method:ident) => {
        concat!(
            "See `std::sync::atomic::",
            stringify!($atomic),
            "::",
            stringify!($method),
            "`."
        )
    };
}

/// Implements an atomic over the real one in its only field: construction, access, and the
/// operations that every kind of value has.
macro_rules! shared_methods {
    ($vis:vis $atomic:ident, $real:ty, $value:ty) => {
        impl $atomic {
            #[doc = see!($atomic load)]
            #[track_caller]
            $vis fn load(&self, order: Ordering) -> $value {
                if !engine::is_controlled() || !order::can_load(order) {
                    return self.0.load(order);
                }
                let step = engine::point(Operation::Load, self.object());
                step.loads(self.with(order), self.0.load(Ordering::SeqCst))
            }

            #[doc = see!($atomic store)]
            #[track_caller]
            $vis fn store(&self, val: $value, order: Ordering) {
                if !engine::is_controlled() || !order::can_store(order) {
                    return self.0.store(val, order);
                }
                let step = engine::point(Operation::Store, self.object());
                let before = self.0.load(Ordering::Relaxed);
                self.0.store(val, Ordering::Release);
                step.stored(self.with(order), before, val);
            }

            #[doc = see!($atomic compare_exchange)]
            #[track_caller]
            $vis fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                if !engine::is_controlled() || !order::can_load(failure) {
                    return self.0.compare_exchange(current, new, success, failure);
                }
                let orders = [success, failure];
                self.exchange_at_point(Operation::CompareExchange, current, new, orders)
            }

            #[doc = see!($atomic compare_exchange_weak)]
            ///
            /// On a worker it fails only when the values differ.
            #[track_caller]
            $vis fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                if !engine::is_controlled() || !order::can_load(failure) {
                    return self.0.compare_exchange_weak(current, new, success, failure);
                }
                let orders = [success, failure];
                self.exchange_at_point(Operation::CompareExchangeWeak, current, new, orders)
            }

            #[track_caller]
            #[inline]
            fn exchange_at_point(
                &self,
                operation: Operation,
                current: $value,
                new: $value,
                orders: [Ordering; 2],
            ) -> Result<$value, $value> {
                let step = engine::point(operation, self.object());
                order::note_exchange(step, operation, orders);
                let order = Ordering::SeqCst;
                let latest = || self.0.load(order);
                if let Some(older) = step.refused_by_older(self.with(orders[1]), latest, current) {
                    return Err(older);
                }
                let result = self.0.compare_exchange(current, new, order, order);
                match result {
                    Ok(old) => step.replaced(self.with(orders[0]), old, new),
                    Err(old) => step.refused_by(self.with(orders[1]), old),
                }
                result
            }

            #[inline]
            fn object(&self) -> ObjectId {
                ObjectId::at(self.0.as_ptr().addr())
            }

            #[inline]
            fn with(&self, order: Ordering) -> Atomic {
                Atomic {
                    object: self.object(),
                    size: size_of::<$value>(),
                    order,
                }
            }
        }

        read_modify_write! {
            $vis $atomic, $value;
            swap(Swap) |_, val| val;
        }
    };
}

/// Implements operations that replace the value `old` by one made from it and `val`.
macro_rules! read_modify_write {
    ($vis:vis $atomic:ident, $value:ty;
     $($method:ident($operation:ident) |$old:pat_param, $val:ident| $new:expr;)*) => {
        read_modify_write! {
            $vis $atomic, $value, $value; $($method($operation) |$old, $val| $new;)*
        }
    };
    ($(#[$attribute:meta])* $vis:vis $atomic:ident, $value:ty, $operand:ty;
     $($method:ident($operation:ident) |$old:pat_param, $val:ident| $new:expr;)*) => {
        $(#[$attribute])*
        impl $atomic { $(
            #[doc = see!($atomic $method)]
            #[track_caller]
            $vis fn $method(&self, val: $operand, order: Ordering) -> $value {
                if !engine::is_controlled() {
                    return self.0.$method(val, order);
                }
                let step = engine::point(Operation::$operation, self.object());
                let before = self.0.$method(val, Ordering::SeqCst);
                let ($old, $val) = (before, val);
                step.replaced(self.with(order), before, $new);
                before
            }
        )* }
    };
}

/// Implements what is made from the operations above or needs none; `T` is a parameter of the
/// type.
macro_rules! derived_methods {
    ([$($generics:tt)*] $atomic:ty, $name:literal, $real:ty, $value:ty) => {
        impl $($generics)* $atomic {
            #[doc = concat!("See `std::sync::atomic::", $name, "::new`.")]
            #[inline]
            #[must_use]
            pub const fn new(v: $value) -> Self {
                Self(<$real>::new(v))
            }

            #[doc = concat!("See `std::sync::atomic::", $name, "::from_ptr`.")]
            ///
            /// # Safety
            ///
            #[doc = concat!("That of `std::sync::atomic::", $name, "::from_ptr`.")]
            #[inline]
            pub const unsafe fn from_ptr<'a>(ptr: *mut $value) -> &'a Self {
                // SAFETY: the caller's; this type is transparent over the real atomic.
                unsafe { &*ptr.cast() }
            }

            #[doc = concat!("See `std::sync::atomic::", $name, "::get_mut`.")]
            #[inline]
            pub fn get_mut(&mut self) -> &mut $value {
                self.0.get_mut()
            }

            #[doc = concat!("See `std::sync::atomic::", $name, "::into_inner`.")]
            #[inline]
            pub const fn into_inner(self) -> $value {
                self.0.into_inner()
            }

            #[doc = concat!("See `std::sync::atomic::", $name, "::as_ptr`.")]
            #[inline]
            pub const fn as_ptr(&self) -> *mut $value {
                self.0.as_ptr()
            }

            #[doc = concat!("See `std::sync::atomic::", $name, "::compare_and_swap`.")]
            #[deprecated(since = "1.50.0", note = "use `compare_exchange` instead")]
            #[track_caller]
            pub fn compare_and_swap(
                &self,
                current: $value,
                new: $value,
                order: Ordering,
            ) -> $value {
                let failure = order::of_failure(order);
                self.compare_exchange(current, new, order, failure).unwrap_or_else(|value| value)
            }

            #[doc = concat!("See `std::sync::atomic::", $name, "::fetch_update`.")]
            #[track_caller]
            pub fn fetch_update<F>(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: F,
            ) -> Result<$value, $value>
            where
                F: FnMut($value) -> Option<$value>,
            {
                let mut old = self.load(fetch_order);
                while let Some(new) = f(old) {
                    match self.compare_exchange_weak(old, new, set_order, fetch_order) {
                        Err(now) => old = now,
                        done => return done,
                    }
                }
                Err(old)
            }

            #[doc = concat!("See `std::sync::atomic::", $name, "::try_update`.")]
            #[cfg(has_atomic_update)]
            #[track_caller]
            pub fn try_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                self.fetch_update(set_order, fetch_order, f)
            }

            #[doc = concat!("See `std::sync::atomic::", $name, "::update`.")]
            #[cfg(has_atomic_update)]
            #[track_caller]
            pub fn update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($value) -> $value,
            ) -> $value {
                let mut old = self.load(fetch_order);
                loop {
                    match self.compare_exchange_weak(old, f(old), set_order, fetch_order) {
                        Err(now) => old = now,
                        Ok(old) => return old,
                    }
                }
            }
        }

        impl $($generics)* Default for $atomic {
            #[inline]
            fn default() -> Self {
                Self(<$real>::default())
            }
        }

        impl $($generics)* From<$value> for $atomic {
            #[inline]
            fn from(v: $value) -> Self {
                Self::new(v)
            }
        }

        impl $($generics)* fmt::Debug for $atomic {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.load(Ordering::Relaxed), f)
            }
        }
    };
}
