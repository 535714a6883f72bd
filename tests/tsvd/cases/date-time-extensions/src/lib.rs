//! DateTimeExtensions, pull request 86: holidays keep the days that they fall on in a cache, and a culture's
//! holidays are shared by all who use it.

use std::sync::LazyLock;

use dictionary::Dictionary;

/// The n-th of a weekday in a month: its day in each year.
#[derive(Debug)]
pub struct NthDayOfWeekInMonth {
    nth: u32,
    weekday: u32,
    month: u32,
    days: Dictionary<i32, u32>,
}

impl NthDayOfWeekInMonth {
    pub fn new(nth: u32, weekday: u32, month: u32) -> Self {
        NthDayOfWeekInMonth {
            nth,
            weekday,
            month,
            days: Dictionary::new(),
        }
    }

    /// The day of the month.
    pub fn day_in(&self, year: i32) -> u32 {
        if self.days.contains_key(&year) {
            return self.days.get(&year);
        }
        let first = weekday_of(year, self.month, 1);
        let day = 1 + (self.weekday + 7 - first) % 7 + 7 * (self.nth - 1);
        self.days.add(year, day);
        day
    }
}

/// Sakamoto's method: 0 is Sunday.
fn weekday_of(year: i32, month: u32, day: u32) -> u32 {
    const SHIFTS: [i32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
    let year = if month < 3 { year - 1 } else { year };
    let sum = year + year / 4 - year / 100 + year / 400 + SHIFTS[month as usize - 1] + day as i32;
    sum.rem_euclid(7) as u32
}

/// Memorial Day and others: the culture `en-US`.
pub static EN_US: LazyLock<Vec<NthDayOfWeekInMonth>> = LazyLock::new(|| {
    vec![
        NthDayOfWeekInMonth::new(3, 1, 1),
        NthDayOfWeekInMonth::new(1, 1, 9),
        NthDayOfWeekInMonth::new(4, 4, 11),
    ]
});

/// Adds working days to a day of May.
pub fn add_working_days(year: i32, mut day: u32, mut days: u32) -> u32 {
    while days > 0 {
        day += 1;
        let is_weekend = matches!(weekday_of(year, 5, day), 0 | 6);
        let is_holiday = EN_US
            .iter()
            .any(|holiday| holiday.month == 5 && holiday.day_in(year) == day);
        // Other months' holidays are looked up as well, as the library does.
        let _ = EN_US.iter().map(|holiday| holiday.day_in(year)).max();
        if !is_weekend && !is_holiday {
            days -= 1;
        }
    }
    day
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn working_days_with_one_culture() {
        let tasks = [1, 2].map(|days| thread::spawn(move || add_working_days(2018, 1, days)));
        for task in tasks {
            assert!(task.join().unwrap() > 1);
        }
    }

    #[test]
    fn one_holiday_by_many() {
        let thanksgiving = NthDayOfWeekInMonth::new(4, 4, 11);
        thread::scope(|scope| {
            for year in 0..10 {
                let thanksgiving = &thanksgiving;
                scope.spawn(move || thanksgiving.day_in(2010 + year / 2));
            }
        });
    }
}
