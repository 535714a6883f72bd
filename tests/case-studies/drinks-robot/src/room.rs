//! The room, and the people in it.

/// The number of an order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct OrderId(pub u32);

/// A place in the room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// Along the window.
    pub x: i32,
    /// Away from it.
    pub y: i32,
}

/// The place where the robot waits.
pub const START: Location = Location { x: 1, y: 1 };

/// Whether somebody may have alcohol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Age {
    /// No.
    Minor,
    /// Yes.
    Adult,
}

/// Somebody who may be served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Person {
    /// The age.
    pub age: Age,
    /// The place.
    pub location: Location,
}

/// A picture of the room.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// The people that are to be seen.
    pub people: Vec<Person>,
}

/// A drink.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Drink {
    /// Without alcohol.
    Water,
    /// Without alcohol.
    Lemonade,
    /// With alcohol.
    Beer,
    /// With alcohol.
    Wine,
}

impl Drink {
    /// The drinks for this age.
    #[must_use]
    pub fn suitable(age: Age) -> &'static [Drink] {
        match age {
            Age::Minor => &[Drink::Water, Drink::Lemonade],
            Age::Adult => &[Drink::Beer, Drink::Wine],
        }
    }
}

impl Picture {
    /// The room as it is at some moment.
    #[must_use]
    pub fn take() -> Picture {
        let person = |x, y| Person {
            age: *cct::choose(&[Age::Minor, Age::Adult]),
            location: Location { x, y },
        };
        let people = vec![person(26, 16), person(14, 4)];
        Picture { people }
    }
}
