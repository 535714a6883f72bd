//! `Instant`, `SystemTime` and sleeping.

use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const SHORT: Duration = Duration::from_millis(3);

#[test]
fn instants_never_go_back() {
    let mut before = Instant::now();
    for _ in 0..5 {
        let now = Instant::now();
        assert!(now >= before);
        before = now;
    }
}

#[test]
fn instants_of_two_threads_agree_on_what_came_first() {
    let start = Instant::now();
    let inside = thread::spawn(Instant::now).join().unwrap();
    assert!(start <= inside && inside <= Instant::now());
}

#[test]
fn a_sleep_takes_at_least_its_time() {
    let (start, clock) = (Instant::now(), SystemTime::now());
    thread::sleep(SHORT);
    assert!(start.elapsed() >= SHORT);
    assert!(clock.elapsed().unwrap() >= SHORT - Duration::from_millis(1));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_sleep_takes_its_time_by_the_counter_too() {
    // No such processor has fewer ticks than a hundred a microsecond.
    let ticks = 100 * SHORT.as_micros();
    // SAFETY: every such processor has a counter.
    let count = || u128::from(unsafe { std::arch::x86_64::_rdtsc() });
    let before = count();
    thread::sleep(SHORT);
    assert!(count() - before >= ticks);
}

#[test]
fn sleepers_wake_in_the_order_of_their_deadlines() {
    let start = Instant::now();
    let (late, early) = thread::scope(|scope| {
        let sleeper = |time| {
            scope.spawn(move || {
                thread::sleep(time);
                start.elapsed()
            })
        };
        let (late, early) = (sleeper(10 * SHORT), sleeper(SHORT));
        (late.join().unwrap(), early.join().unwrap())
    });
    assert!(early >= SHORT && late >= 10 * SHORT);
}

#[test]
fn instants_add_and_subtract() {
    let start = Instant::now();
    let later = start + SHORT;
    assert_eq!(later - start, SHORT);
    assert_eq!(later - SHORT, start);
    assert_eq!(later.duration_since(start), SHORT);
    assert_eq!(start.duration_since(later), Duration::ZERO);
    assert_eq!(start - later, Duration::ZERO);
    assert_eq!(start.checked_duration_since(later), None);
    assert_eq!(later.checked_duration_since(start), Some(SHORT));
    assert_eq!(start.saturating_duration_since(later), Duration::ZERO);
    assert_eq!(start.checked_add(SHORT), Some(later));
    assert_eq!(later.checked_sub(SHORT), Some(start));
    assert_eq!(start.checked_add(Duration::MAX), None);
    let mut moved = start;
    moved += SHORT;
    moved -= SHORT / 3;
    assert_eq!(moved, start + 2 * (SHORT / 3));
    assert!(later > start);
    assert_eq!(start.max(later), later);
}

#[test]
fn elapsed_time_is_the_distance_to_now() {
    let start = Instant::now();
    let (middle, elapsed) = (Instant::now(), start.elapsed());
    assert!(elapsed >= middle - start);
    assert!((start + Duration::from_secs(600)).elapsed() == Duration::ZERO);
}

#[test]
fn system_time_counts_from_the_epoch() {
    let now = SystemTime::now();
    let since = now.duration_since(UNIX_EPOCH).unwrap();
    assert!(since > Duration::from_secs(1_500_000_000), "{since:?}");
    assert_eq!(UNIX_EPOCH + since, now);
    assert_eq!(SystemTime::UNIX_EPOCH, UNIX_EPOCH);
    let error = UNIX_EPOCH.duration_since(now).unwrap_err();
    assert_eq!(error.duration(), since);
    assert_eq!(
        now.checked_add(SHORT).unwrap().checked_sub(SHORT),
        Some(now)
    );
    assert!(now.elapsed().is_ok());
}

#[test]
fn instants_hash_and_format() {
    let now = Instant::now();
    assert!(std::collections::HashSet::from([now, now + SHORT, now]).len() == 2);
    assert!(format!("{now:?}").starts_with("Instant {"), "{now:?}");
}
