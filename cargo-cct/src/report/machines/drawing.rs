//! The parts of a picture, whichever way it is drawn: boxes with lines, arrows with lines, and frames.

use cct::covered::{Covered, Fate, Group, Pair, Rule, To, Transition};

use super::line::event;

/// A picture.
pub(super) struct Drawing {
    /// The states by number, and then the ends that arrows lead to.
    pub(super) boxes: Vec<Box>,
    pub(super) arrows: Vec<Arrow>,
    /// The frames around states; each box that is in none is in the outermost, which has no name.
    pub(super) frame: Frame,
    /// The box to begin with.
    pub(super) start: Option<usize>,
}

pub(super) struct Box {
    pub(super) name: String,
    pub(super) title: Line,
    pub(super) lines: Vec<Line>,
    /// It is no state: the actor's end, or the return to the state below.
    pub(super) is_end: bool,
}

pub(super) struct Arrow {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) look: Look,
    pub(super) lines: Vec<Line>,
}

pub(super) struct Line {
    pub(super) text: String,
    pub(super) look: Look,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Look {
    /// It was seen.
    Covered,
    /// It is declared, and was never seen.
    Never,
    /// It was seen, and is not declared.
    Undeclared,
}

#[derive(Default)]
pub(super) struct Frame {
    pub(super) name: String,
    pub(super) boxes: Vec<usize>,
    pub(super) frames: Vec<Frame>,
}

impl Look {
    fn of(times: u64, is_declared: bool) -> Look {
        match (times, is_declared) {
            (_, false) => Look::Undeclared,
            (0, true) => Look::Never,
            (_, true) => Look::Covered,
        }
    }
}

impl Drawing {
    pub(super) fn of(covered: &Covered) -> Drawing {
        let mut boxes: Vec<Box> = covered
            .states
            .iter()
            .map(|state| Box {
                name: state.name.clone(),
                title: Line {
                    text: times(&state.name, state.entered),
                    look: Look::of(state.entered, true),
                },
                lines: Vec::new(),
                is_end: false,
            })
            .collect();
        // The one that has no state: an actor without states, or what comes after the end.
        let outside = covered.pairs.iter().any(|pair| pair.state.is_none())
            || covered.transitions.iter().any(|it| it.from.is_none());
        let mut add = |name: &str, text: &str, is_end| {
            boxes.push(Box {
                name: name.to_owned(),
                title: Line {
                    text: text.to_owned(),
                    look: Look::Covered,
                },
                lines: Vec::new(),
                is_end,
            });
            boxes.len() - 1
        };
        let (is_actor, mut own) = (covered.states.is_empty(), None);
        if is_actor {
            own = Some(add(
                &covered.name,
                &times(&covered.name, covered.created),
                false,
            ));
        } else if outside {
            own = Some(add("ended", "after its end", false));
        }
        let has = |to: To| covered.transitions.iter().any(|it| it.to == to);
        let halt = has(To::Halt).then(|| add("halt", "halt", true));
        let pop = has(To::Pop).then(|| add("pop", "pop", true));
        let place = |state: Option<u32>| match state {
            Some(state) => Some(state as usize),
            None => own,
        };
        for pair in &covered.pairs {
            if let Some(place) = place(pair.state) {
                boxes[place].lines.extend(lines_of(covered, pair));
            }
        }
        let mut arrows: Vec<Arrow> = Vec::new();
        for transition in &covered.transitions {
            let to = match transition.to {
                To::Goto(state) | To::Push(state) => Some(state as usize),
                To::Halt => halt,
                To::Pop => pop,
            };
            let (Some(from), Some(to)) = (place(transition.from), to) else {
                continue;
            };
            let line = line_of(covered, transition);
            let look = line.look;
            let known = arrows.iter_mut();
            let mut known = known.filter(|it| (it.from, it.to, it.look) == (from, to, look));
            match known.next() {
                Some(arrow) => arrow.lines.push(line),
                None => arrows.push(Arrow {
                    from,
                    to,
                    look,
                    lines: vec![line],
                }),
            }
        }
        let mut frame = Frame::of(covered);
        frame.boxes.extend(covered.states.len()..boxes.len());
        Drawing {
            start: covered.start.map(|state| state as usize),
            boxes,
            arrows,
            frame,
        }
    }
}

/// `Ping ×3`.
fn times(name: &str, times: u64) -> String {
    format!("{name} ×{times}")
}

/// The lines of an event in a state: its rule's, and one for each other fate that it had.
fn lines_of(covered: &Covered, pair: &Pair) -> Vec<Line> {
    let name = &covered.events[pair.event as usize];
    let (word, fate) = match &pair.rule {
        Some(Rule::Handle(_)) => ("", Some(Fate::Handled)),
        Some(Rule::Defer) => ("defer ", Some(Fate::Deferred)),
        Some(Rule::Ignore) => ("ignore ", Some(Fate::Ignored)),
        None => ("", None),
    };
    let own = fate.map(|fate| Line {
        text: times(&format!("{word}{name}"), pair.times(fate)),
        look: Look::of(pair.times(fate), true),
    });
    let others = Fate::ALL.into_iter().filter(|&other| Some(other) != fate);
    let others = others.filter(|&other| pair.times(other) > 0);
    let others = others.map(|other| Line {
        text: times(&format!("{name} {}", other.name()), pair.times(other)),
        look: Look::Undeclared,
    });
    own.into_iter().chain(others).collect()
}

fn line_of(covered: &Covered, transition: &Transition) -> Line {
    let word = match transition.to {
        To::Push(_) => "push on ",
        To::Goto(_) | To::Pop | To::Halt => "",
    };
    let name = event(covered, transition.on);
    Line {
        text: times(&format!("{word}{name}"), transition.times),
        look: Look::of(transition.times, transition.is_declared),
    }
}

impl Frame {
    /// Each state is in the first group that names it, each group in the first that does.
    fn of(covered: &Covered) -> Frame {
        let groups = &covered.groups;
        let parent = |name: &str| {
            let mut all = groups.iter().enumerate();
            let found = all.find(|(_, group)| group.members.iter().any(|it| it == name));
            found.map(|(number, _)| number)
        };
        let states: Vec<Option<usize>> = covered
            .states
            .iter()
            .map(|state| parent(&state.name))
            .collect();
        let within: Vec<Option<usize>> = groups.iter().map(|group| parent(&group.name)).collect();
        let mut frame = Frame::default();
        fill(&mut frame, None, groups, &states, &within);
        frame
    }
}

fn fill(
    frame: &mut Frame,
    number: Option<usize>,
    groups: &[Group],
    states: &[Option<usize>],
    within: &[Option<usize>],
) {
    let own = |of: &[Option<usize>]| -> Vec<usize> {
        let own = of.iter().enumerate().filter(|(_, of)| **of == number);
        own.map(|(number, _)| number).collect()
    };
    frame.boxes = own(states);
    for group in own(within) {
        let mut inner = Frame {
            name: groups[group].name.clone(),
            ..Frame::default()
        };
        fill(&mut inner, Some(group), groups, states, within);
        frame.frames.push(inner);
    }
}
