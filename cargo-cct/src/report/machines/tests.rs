//! Pictures of machines drawn at random keep what they promise, and one is looked at.

use cct::covered::{
    Coverage, Covered, DEFAULT, Fate, Group, HALT, Handler, On, Pair, Rule, State, To, Transition,
};
use cct::strategy::Rng;

use super::drawing::{Drawing, Frame, Look};
use super::layout::{Area, LINE, Layout, layout};
use super::{dot, json, line, names, svg};

fn state(name: &str, entered: u64) -> State {
    State {
        name: name.to_owned(),
        entered,
        ..State::default()
    }
}

fn group(name: &str, members: &[&str]) -> Group {
    Group {
        name: name.to_owned(),
        members: members.iter().map(|&member| member.to_owned()).collect(),
    }
}

fn transition(from: u32, on: On, to: To, times: u64) -> Transition {
    Transition {
        from: Some(from),
        on,
        to,
        is_declared: true,
        times,
    }
}

fn pair(state: u32, event: u32, rule: Rule, fate: Fate, times: u64) -> Pair {
    let mut pair = Pair {
        state: Some(state),
        event,
        rule: Some(rule),
        ..Pair::default()
    };
    pair.times[fate as usize] = times;
    pair
}

/// A door, of which something of each kind was covered and something was not.
fn door() -> Covered {
    let handled = || {
        Rule::Handle(Handler {
            name: "push".to_owned(),
            is_known: true,
            is_wildcard: false,
        })
    };
    let mut broken = transition(1, On::Event(0), To::Goto(2), 1);
    broken.is_declared = false;
    let mut covered = Covered {
        path: "house::Door".to_owned(),
        name: "Door".to_owned(),
        states: vec![
            state("Open", 7),
            state("Shut", 3),
            state("Broken", 1),
            state("Locked", 0),
        ],
        events: ["Knock", "Turn", DEFAULT, HALT].map(str::to_owned).into(),
        groups: vec![
            group("Whole", &["Open", "Closed"]),
            group("Closed", &["Shut", "Locked"]),
        ],
        start: Some(0),
        pairs: vec![
            pair(0, 0, handled(), Fate::Handled, 3),
            pair(0, 1, Rule::Ignore, Fate::Ignored, 0),
            pair(1, 0, handled(), Fate::Handled, 5),
            pair(1, 1, handled(), Fate::Handled, 0),
            pair(3, 0, Rule::Defer, Fate::Deferred, 0),
        ],
        transitions: vec![
            transition(0, On::Event(0), To::Goto(1), 3),
            transition(0, On::Entry, To::Goto(0), 4),
            transition(1, On::Event(0), To::Goto(0), 2),
            broken,
            transition(1, On::Event(1), To::Push(3), 0),
            transition(1, On::Event(1), To::Halt, 0),
            transition(2, On::Entry, To::Halt, 1),
            transition(3, On::Event(1), To::Pop, 0),
        ],
        created: 1,
        halted: 1,
    };
    covered.pairs[2].times[Fate::Dropped as usize] = 2;
    covered.sort();
    covered
}

/// A machine with up to so many states and events.
fn any(rng: &mut Rng, most: u32) -> Covered {
    let states = 1 + rng.below(most);
    let events = rng.below(most) + 2;
    let names = |n: u32, of: &str| (0..n).map(|it| format!("{of}{it}")).collect::<Vec<_>>();
    let group_names = names(rng.below(4), "G<\"&");
    let mut groups = Vec::new();
    for (number, name) in group_names.iter().enumerate() {
        let mut members: Vec<String> = names(states, "S");
        members.retain(|_| rng.below(3) == 0);
        // Groups are in others before them.
        let next = group_names.get(number + 1);
        members.extend(next.filter(|_| rng.below(2) == 0).cloned());
        groups.push(Group {
            name: name.clone(),
            members,
        });
    }
    let mut covered = Covered {
        path: "any::Thing".to_owned(),
        name: "Thing".to_owned(),
        states: (0..states)
            .map(|it| state(&format!("S{it}"), rng.below(2).into()))
            .collect(),
        events: names(events, "Event"),
        groups,
        start: Some(rng.below(states)),
        ..Covered::default()
    };
    for from in 0..states {
        for on in (0..events).map(On::Event).chain([On::Entry, On::Exit]) {
            if rng.below(2) == 0 {
                continue;
            }
            let to = match rng.below(5) {
                0 => To::Push(rng.below(states)),
                1 => To::Pop,
                2 => To::Halt,
                _ => To::Goto(rng.below(states)),
            };
            covered.transitions.push(Transition {
                is_declared: rng.below(4) > 0,
                ..transition(from, on, to, rng.below(3).into())
            });
            if let On::Event(event) = on {
                covered
                    .pairs
                    .push(pair(from, event, Rule::Defer, Fate::Deferred, 1));
            }
        }
    }
    covered.sort();
    covered
}

fn each(check: impl Fn(&Covered)) {
    let mut rng = Rng::new(7);
    for number in 0..300 {
        check(&any(&mut rng, 2 + number % 9));
    }
    check(&door());
}

#[test]
fn each_transition_is_in_both_pictures_once() {
    each(|covered| {
        let (dot, svg) = (dot::dot(covered), svg::svg(covered));
        let halt = covered.states.len();
        let has_halt = covered.transitions.iter().any(|it| it.to == To::Halt);
        for it in &covered.transitions {
            let from = it.from.expect("machines have states");
            let (to, word) = match it.to {
                To::Goto(state) => (state as usize, ""),
                To::Push(state) => (state as usize, "push on "),
                To::Halt => (halt, ""),
                To::Pop => (halt + usize::from(has_halt), ""),
            };
            let on = match it.on {
                On::Event(event) => covered.events[event as usize].as_str(),
                On::Entry => "entry",
                On::Exit => "exit",
            };
            let text = format!("{word}{on} ×{}", it.times);
            let arrow = format!("n{from} -> n{to} [label=\"{text}\"");
            assert_eq!(dot.matches(&arrow).count(), 1, "{arrow} in {dot}");
            let title = |number: usize| match covered.states.get(number) {
                Some(state) => state.name.clone(),
                None if it.to == To::Halt => "halt".to_owned(),
                None => "pop".to_owned(),
            };
            let ends = format!(
                "data-from=\"{}\" data-to=\"{}\"",
                title(from as usize),
                title(to)
            );
            let arrows = svg.lines().filter(|line| line.contains(&ends));
            let texts = arrows.map(|line| line.matches(&format!(">{text}</text>")).count());
            assert_eq!(texts.sum::<usize>(), 1, "{ends}, {text} in {svg}");
        }
        let arrows = dot
            .lines()
            .filter(|line| line.contains("-> n") && line.contains("label="));
        assert_eq!(arrows.count(), covered.transitions.len());
    });
}

#[test]
fn nothing_is_drawn_over_anything_else() {
    each(|covered| {
        let drawing = Drawing::of(covered);
        let layout = layout(&drawing);
        for (number, one) in layout.boxes.iter().enumerate() {
            for other in &layout.boxes[number + 1..] {
                assert!(!overlap(*one, *other), "{one:?} {other:?}");
            }
        }
        let mut texts: Vec<Area> = Vec::new();
        for (arrow, way) in drawing.arrows.iter().zip(&layout.ways) {
            for leg in way.corners.windows(2) {
                let leg = between(leg[0], leg[1]);
                let crossed = layout.boxes.iter().find(|it| overlap(**it, leg));
                assert_eq!(crossed, None, "{leg:?} of {:?}", way.corners);
            }
            for (line, number) in arrow.lines.iter().zip(0..) {
                let area = Area {
                    x: way.text.0,
                    y: way.text.1 - LINE + 4 + number * LINE,
                    width: i32::try_from(line.text.chars().count()).expect("it is short") * 7,
                    height: LINE,
                };
                let over = texts
                    .iter()
                    .chain(&layout.boxes)
                    .find(|it| overlap(**it, area));
                assert_eq!(over, None, "{} at {area:?}", line.text);
                assert!(is_within(area, &layout), "{area:?}");
                texts.push(area);
            }
        }
        assert!(layout.boxes.iter().all(|it| is_within(*it, &layout)));
    });
}

#[test]
fn a_frame_is_around_its_own_boxes_and_no_others() {
    each(|covered| {
        let drawing = Drawing::of(covered);
        let layout = layout(&drawing);
        let mut frames: Vec<(&str, Vec<usize>)> = Vec::new();
        collect(&drawing.frame, &mut frames);
        assert_eq!(layout.frames.len(), frames.len());
        for (name, area) in &layout.frames {
            let (_, own) = frames
                .iter()
                .find(|it| it.0 == *name)
                .expect("it is a group");
            for (number, shown) in layout.boxes.iter().enumerate() {
                let is_own = own.contains(&number);
                assert_eq!(overlap(*area, *shown), is_own, "{name} and box {number}");
                assert!(
                    !is_own || is_inside(*shown, *area),
                    "{name} and box {number}"
                );
            }
        }
    });
}

/// The frames with something in them.
fn collect<'a>(frame: &'a Frame, into: &mut Vec<(&'a str, Vec<usize>)>) {
    for inner in &frame.frames {
        let mut below = Vec::new();
        collect(inner, &mut below);
        let mut all = inner.boxes.clone();
        all.extend(below.iter().flat_map(|(_, boxes)| boxes));
        into.extend(below);
        if !all.is_empty() {
            into.push((&inner.name, all));
        }
    }
}

fn overlap(one: Area, other: Area) -> bool {
    let meet = |a: i32, a_size: i32, b: i32, b_size: i32| a < b + b_size && b < a + a_size;
    meet(one.x, one.width, other.x, other.width) && meet(one.y, one.height, other.y, other.height)
}

fn is_inside(inner: Area, outer: Area) -> bool {
    let within = |a: i32, a_size: i32, b: i32, b_size: i32| a >= b && a + a_size <= b + b_size;
    within(inner.x, inner.width, outer.x, outer.width)
        && within(inner.y, inner.height, outer.y, outer.height)
}

fn is_within(area: Area, layout: &Layout<'_>) -> bool {
    let (width, height) = (layout.width, layout.height);
    is_inside(
        area,
        Area {
            x: 0,
            y: 0,
            width,
            height,
        },
    )
}

/// The leg of an arrow, without its ends, which touch boxes.
fn between((x, y): (i32, i32), (to_x, to_y): (i32, i32)) -> Area {
    Area {
        x: x.min(to_x),
        y: y.min(to_y),
        width: (to_x - x).abs(),
        height: (to_y - y).abs(),
    }
}

#[test]
fn a_door_in_a_line_and_in_pictures() {
    let door = door();
    let told = "Door: 3 of 4 states, 4 of 7 transitions, 2 of 5 events, 1 undeclared transition; \
                never: Locked, Open on Turn, Shut on Turn";
    assert_eq!(line(&door), told);
    insta::assert_snapshot!("door.dot", dot::dot(&door));
    insta::assert_snapshot!("door.svg", svg::svg(&door));
}

#[test]
fn a_file_has_all_tests_together_and_each() {
    let coverage = Coverage {
        schedules: 2,
        machines: vec![door()],
    };
    let mut all = coverage.clone();
    all.add(&coverage);
    let tests = ["one", "two"].map(|test| (test.to_owned(), coverage.clone()));
    let file = json::file("house::doors", &all, &tests.into());
    let file: serde_json::Value = serde_json::from_str(&file).expect("it is JSON");
    assert_eq!(file["schedules"], 4);
    assert_eq!(file["machines"][0]["transitions"][0]["times"], 6);
    assert_eq!(file["tests"][1]["test"], "two");
    assert_eq!(file["tests"][1]["machines"][0]["states"][0]["entered"], 7);
    assert_eq!(file["machines"][0]["covered"]["states"]["covered"], 3);
}

#[test]
fn types_of_one_name_have_files_of_their_own() {
    let door = |path: &str| Covered {
        path: path.to_owned(),
        name: "Door".to_owned(),
        ..Covered::default()
    };
    assert_eq!(names(&[door("a::Door")]), ["Door"]);
    let names = names(&[door("a::Door"), door("a::Door"), door("b::Door<u8>")]);
    assert_eq!(names, ["a.Door", "a.Door-2", "b.Door_u8_"]);
}

#[test]
fn looks_follow_from_counts() {
    let drawing = Drawing::of(&door());
    let looks: Vec<Look> = drawing.arrows.iter().map(|arrow| arrow.look).collect();
    assert!(looks.contains(&Look::Undeclared) && looks.contains(&Look::Never));
    assert_eq!(drawing.boxes[3].title.look, Look::Never);
}
