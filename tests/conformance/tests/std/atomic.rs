//! Each method of each atomic against plain arithmetic, and what is guaranteed between threads.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8,
    AtomicU16, AtomicU32, AtomicU64, AtomicUsize, compiler_fence, fence,
};
use std::thread;

/// Compares the methods of an integer atomic with the operators of its value, on values that meet
/// zero, ones, signs and both kinds of overflow.
macro_rules! like_arithmetic {
    ($($name:ident: $Atomic:ident, $value:ty;)*) => {$(
        #[test]
        fn $name() {
            let values: [$value; 6] =
                [0, 1, <$value>::MAX, <$value>::MIN, 0x55, <$value>::MAX / 3];
            for before in values {
                for operand in values {
                    integer(before, operand);
                }
            }

            fn integer(before: $value, operand: $value) {
                let check = |change: &dyn Fn(&$Atomic) -> $value, after: $value| {
                    let atomic = $Atomic::new(before);
                    assert_eq!(change(&atomic), before, "returned by {before} and {operand}");
                    assert_eq!(atomic.load(SeqCst), after, "left by {before} and {operand}");
                };
                check(&|x| x.swap(operand, AcqRel), operand);
                check(&|x| x.fetch_add(operand, Relaxed), before.wrapping_add(operand));
                check(&|x| x.fetch_sub(operand, SeqCst), before.wrapping_sub(operand));
                check(&|x| x.fetch_and(operand, Acquire), before & operand);
                check(&|x| x.fetch_nand(operand, Release), !(before & operand));
                check(&|x| x.fetch_or(operand, AcqRel), before | operand);
                check(&|x| x.fetch_xor(operand, SeqCst), before ^ operand);
                check(&|x| x.fetch_max(operand, SeqCst), before.max(operand));
                check(&|x| x.fetch_min(operand, SeqCst), before.min(operand));
                check(&|x| x.update(SeqCst, Relaxed, |y| y ^ operand), before ^ operand);
                check(&|x| x.try_update(SeqCst, Relaxed, |_| Some(operand)).unwrap(), operand);
                check(&|x| x.try_update(SeqCst, Relaxed, |_| None).unwrap_err(), before);
                #[allow(deprecated)]
                check(&|x| x.fetch_update(AcqRel, Acquire, |_| Some(operand)).unwrap(), operand);
                check(&|x| x.compare_exchange(before, operand, AcqRel, Acquire).unwrap(), operand);
                #[allow(deprecated)]
                check(&|x| x.compare_and_swap(before, operand, SeqCst), operand);
                let other = before ^ 1;
                check(&|x| x.compare_exchange(other, operand, SeqCst, SeqCst).unwrap_err(), before);
                check(
                    &|x| x.compare_exchange_weak(other, operand, SeqCst, Relaxed).unwrap_err(),
                    before,
                );
                check(
                    &|x| loop {
                        match x.compare_exchange_weak(before, operand, Release, Relaxed) {
                            Ok(seen) => break seen,
                            Err(seen) => assert_eq!(seen, before, "fails without a reason"),
                        }
                    },
                    operand,
                );
                let mut atomic = $Atomic::from(before);
                atomic.store(operand, Release);
                *atomic.get_mut() ^= before;
                assert_eq!(atomic.load(Acquire), operand ^ before);
                assert_eq!(format!("{atomic:?}"), format!("{:?}", operand ^ before));
                assert_eq!(atomic.into_inner(), operand ^ before);
                assert_eq!($Atomic::default().into_inner(), 0);
            }
        }
    )*};
}

like_arithmetic! {
    i8_like_arithmetic: AtomicI8, i8;
    i16_like_arithmetic: AtomicI16, i16;
    i32_like_arithmetic: AtomicI32, i32;
    i64_like_arithmetic: AtomicI64, i64;
    isize_like_arithmetic: AtomicIsize, isize;
    u8_like_arithmetic: AtomicU8, u8;
    u16_like_arithmetic: AtomicU16, u16;
    u32_like_arithmetic: AtomicU32, u32;
    u64_like_arithmetic: AtomicU64, u64;
    usize_like_arithmetic: AtomicUsize, usize;
}

#[test]
fn bool_like_logic() {
    for before in [false, true] {
        let not = AtomicBool::new(before);
        assert_eq!(not.fetch_not(SeqCst), before);
        assert_eq!(not.into_inner(), !before);
        for operand in [false, true] {
            let check = |change: &dyn Fn(&AtomicBool) -> bool, after: bool| {
                let atomic = AtomicBool::new(before);
                assert_eq!(change(&atomic), before);
                assert_eq!(atomic.load(SeqCst), after);
            };
            check(&|x| x.swap(operand, AcqRel), operand);
            check(&|x| x.fetch_and(operand, Acquire), before & operand);
            check(&|x| x.fetch_nand(operand, Release), !(before & operand));
            check(&|x| x.fetch_or(operand, AcqRel), before | operand);
            check(&|x| x.fetch_xor(operand, SeqCst), before ^ operand);
            check(
                &|x| x.update(SeqCst, Relaxed, |y| y ^ operand),
                before ^ operand,
            );
            check(
                &|x| x.try_update(SeqCst, Relaxed, |_| Some(operand)).unwrap(),
                operand,
            );
            check(
                &|x| x.try_update(SeqCst, Relaxed, |_| None).unwrap_err(),
                before,
            );
            #[allow(deprecated)]
            check(
                &|x| x.fetch_update(SeqCst, Relaxed, |_| None).unwrap_err(),
                before,
            );
            check(
                &|x| {
                    x.compare_exchange(before, operand, SeqCst, Relaxed)
                        .unwrap()
                },
                operand,
            );
            check(
                &|x| {
                    x.compare_exchange(!before, operand, SeqCst, Relaxed)
                        .unwrap_err()
                },
                before,
            );
            let mut atomic = AtomicBool::from(before);
            atomic.store(operand, Release);
            *atomic.get_mut() ^= before;
            assert_eq!(atomic.load(Acquire), operand ^ before);
            assert_eq!(format!("{atomic:?}"), format!("{:?}", operand ^ before));
        }
    }
    assert!(!AtomicBool::default().into_inner());
}

#[test]
fn pointers_are_exchanged_whole() {
    let (mut first, mut second) = (1, 2);
    let (first, second): (*mut i32, *mut i32) = (&raw mut first, &raw mut second);
    let mut atomic = AtomicPtr::new(first);
    assert_eq!(atomic.load(SeqCst), first);
    assert_eq!(atomic.swap(second, AcqRel), first);
    assert_eq!(
        atomic.compare_exchange(first, first, SeqCst, Relaxed),
        Err(second)
    );
    assert_eq!(
        atomic.compare_exchange(second, first, SeqCst, Relaxed),
        Ok(second)
    );
    assert_eq!(
        atomic.compare_exchange_weak(second, first, SeqCst, Relaxed),
        Err(first)
    );
    assert_eq!(atomic.update(SeqCst, Relaxed, |_| second), first);
    assert_eq!(atomic.try_update(SeqCst, Relaxed, |_| None), Err(second));
    assert_eq!(format!("{atomic:?}"), format!("{second:?}"));
    assert_eq!(format!("{atomic:p}"), format!("{second:p}"));
    *atomic.get_mut() = first;
    atomic.store(second, Release);
    assert_eq!(atomic.into_inner(), second);
    assert!(AtomicPtr::<u8>::default().into_inner().is_null());
    assert_eq!(AtomicPtr::from(first).into_inner(), first);
}

#[test]
fn pointers_move_by_elements_bytes_and_bits() {
    let mut array = [0u32; 4];
    let start = array.as_mut_ptr();
    let atomic = AtomicPtr::new(start);
    assert_eq!(atomic.fetch_ptr_add(2, SeqCst), start);
    assert_eq!(atomic.fetch_ptr_sub(1, SeqCst), start.wrapping_add(2));
    assert_eq!(atomic.fetch_byte_add(4, SeqCst), start.wrapping_add(1));
    assert_eq!(atomic.fetch_byte_sub(8, SeqCst), start.wrapping_add(2));
    assert_eq!(atomic.fetch_or(1, SeqCst), start);
    assert_eq!(atomic.fetch_xor(3, SeqCst), start.map_addr(|x| x | 1));
    assert_eq!(atomic.fetch_and(!3, SeqCst), start.map_addr(|x| x | 2));
    assert_eq!(atomic.load(SeqCst), start);
}

#[test]
fn views_share_the_memory() {
    let mut plain = 5;
    // SAFETY: valid, aligned, and used through the view alone while it lives.
    let view = unsafe { AtomicU32::from_ptr(&raw mut plain) };
    view.fetch_add(1, SeqCst);
    assert_eq!(plain, 6);
    let atomic = AtomicU32::new(1);
    // SAFETY: no other access happens at the same time.
    unsafe { *atomic.as_ptr() = 2 };
    assert_eq!(atomic.into_inner(), 2);
}

#[test]
fn no_increment_is_lost() {
    let counter = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                counter.fetch_add(1, Relaxed);
                counter.update(Relaxed, Relaxed, |x| x + 1);
                counter
                    .try_update(Relaxed, Relaxed, |x| x.checked_add(1))
                    .unwrap();
            });
        }
    });
    assert_eq!(counter.load(Relaxed), 6);
}

#[test]
fn one_exchange_wins() {
    let slot = AtomicU32::new(0);
    let wins = thread::scope(|scope| {
        let threads = [1, 2, 3].map(|id| {
            let slot = &slot;
            scope.spawn(move || slot.compare_exchange(0, id, AcqRel, Acquire).is_ok())
        });
        threads
            .map(|thread| thread.join().unwrap())
            .iter()
            .filter(|won| **won)
            .count()
    });
    assert_eq!(wins, 1);
}

#[test]
fn what_is_released_is_acquired() {
    let (data, flag) = (AtomicU32::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            data.store(1, Relaxed);
            flag.store(true, Release);
        });
        if flag.load(Acquire) {
            assert_eq!(data.load(Relaxed), 1);
        }
    });
}

#[test]
fn fences_order_relaxed_accesses() {
    let (data, flag) = (AtomicU32::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            data.store(1, Relaxed);
            fence(Release);
            flag.store(true, Relaxed);
        });
        while !flag.load(Relaxed) {
            std::hint::spin_loop();
        }
        fence(Acquire);
        compiler_fence(SeqCst);
        assert_eq!(data.load(Relaxed), 1);
    });
}

#[test]
fn one_of_two_sequentially_consistent_stores_is_seen() {
    let (x, y) = (AtomicU32::new(0), AtomicU32::new(0));
    let (first, second) = thread::scope(|scope| {
        let first = scope.spawn(|| {
            x.store(1, SeqCst);
            y.load(SeqCst)
        });
        y.store(1, SeqCst);
        let second = x.load(SeqCst);
        (first.join().unwrap(), second)
    });
    assert!(first + second >= 1);
}

#[test]
#[should_panic(expected = "no such thing as a release load")]
fn a_release_load_panics() {
    let order = std::hint::black_box(Release);
    AtomicU32::new(0).load(order);
}

#[test]
#[should_panic(expected = "no such thing as an acquire store")]
fn an_acquire_store_panics() {
    let order = std::hint::black_box(Acquire);
    AtomicU32::new(0).store(1, order);
}

#[test]
#[should_panic(expected = "no such thing as a relaxed fence")]
fn a_relaxed_fence_panics() {
    fence(std::hint::black_box(Relaxed));
}

static GLOBAL: AtomicUsize = AtomicUsize::new(7);

#[test]
fn a_static_starts_at_its_value() {
    assert_eq!(GLOBAL.fetch_add(1, SeqCst), 7);
}
