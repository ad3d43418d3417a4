//! The choice, among kernels of which some are broken.

use super::super::Cost;
use super::*;

/// A primitive that doubles.
type Double = fn(u32) -> u32;
const RIGHT: &Double = &((|x| 2 * x) as Double);
const WRONG: &Double = &((|x| 2 * x + 1) as Double);
const ABSENT: &Double = &((|_| unreachable!("this CPU lacks its instructions")) as Double);

fn self_test(double: &Double) -> bool {
    double(21) == 42
}

/// Makes a list with the self-test.
const fn list(entries: &'static [Entry<Double>]) -> Backends<Double> {
    Backends::new("double", entries, &[self_test])
}

impl Backends<Double> {
    fn erased(&'static self) -> &'static dyn List {
        self
    }
}

const fn entry(name: &'static str, kernel: &'static Double) -> Entry<Double> {
    Entry { name, cost: [Cost::NONE; 2], usable: || true, kernel }
}

const fn absent() -> Entry<Double> {
    Entry { usable: || false, ..entry("absent", ABSENT) }
}

#[test]
fn a_corrupted_candidate_is_skipped() {
    static LIST: Backends<Double> =
        list(&[absent(), entry("corrupted", WRONG), entry("good", RIGHT), entry("portable", RIGHT)]);
    assert_eq!(LIST.chosen()(4), 8);
    let names: Vec<_> = (0..LIST.len()).map(|i| LIST.erased().describe(i)).collect();
    assert_eq!(names.iter().map(|i| i.chosen).collect::<Vec<_>>(), [false, false, true, false]);
    assert_eq!(names.iter().map(|i| i.passes_self_test).collect::<Vec<_>>(), [false, false, true, true]);
    let error = LIST.erased().test().unwrap_err();
    assert_eq!((error.primitive(), error.implementation()), ("double", Some("corrupted")));
    assert_eq!(error.to_string(), "the implementation corrupted of double fails its self-test");
}

#[test]
fn what_fails_side_by_side_is_not_used_alone() {
    static LIST: Backends<Double> = Backends::new(
        "double",
        &[entry("corrupted", WRONG), entry("portable", RIGHT)],
        &[|_| true, self_test],
    );
    assert_eq!(LIST.chosen()(4), 9);
    assert_eq!([LIST.chosen_for(2)(4), LIST.chosen()(4)], [8, 8]);
}

#[test]
fn if_all_fail_there_is_an_error_and_no_result() {
    static LIST: Backends<Double> = list(&[entry("fast", WRONG), entry("portable", WRONG)]);
    let error = LIST.erased().choose(1).err().unwrap();
    assert_eq!(error.to_string(), "no implementation of double passes its self-test; refusing to compute");
    let panic = std::panic::catch_unwind(|| LIST.chosen()(4)).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>().unwrap(), &error.to_string());
    assert!(std::panic::catch_unwind(|| LIST.chosen_for(8)(4)).is_err());
}

#[test]
fn the_number_of_messages_and_their_blocks_choose() {
    const fn costing(alone: u16, together: u16, lanes: u16) -> Entry<Double> {
        entry("costing", RIGHT).costing(Cost { alone, together, lanes })
    }
    static LIST: Backends<Double> = list(&[costing(500, 1000, 8), costing(200, 300, 2)]);
    // Pairs cost 900 for six messages, 1100 for seven; the wide one passes twice, or once and one alone.
    for (messages, place) in [(1, 1), (2, 1), (6, 1), (7, 0), (8, 0), (9, 1), (16, 0)] {
        assert_eq!(LIST.erased().choose(messages).unwrap(), place, "{messages} messages");
        assert_eq!(LIST.chosen_for(messages)(1), 2);
    }
    assert!(LIST.erased().describe(0).chosen && LIST.erased().describe(1).chosen);
    assert_eq!([LIST.erased().describe(0).from_messages, LIST.erased().describe(1).from_messages], [7, 1]);
    // Two save 100 of 400 a block, eight 600 of 1600, 16 twice that; no block pays for what one costs
    // more.
    for (messages, from) in [(1, None), (2, Some(6)), (8, Some(2)), (16, Some(2))] {
        let gains = |blocks: &usize| LIST.gain(messages, 1, *blocks);
        assert_eq!((1..255).find(gains), from, "{messages} messages");
    }
    LIST.erased().select(0).unwrap();
    assert_eq!(LIST.erased().choose(1).unwrap(), 0);
    assert!(LIST.gain(8, 1, 1), "alone, each costs 500");
    LIST.erased().reset();
    assert_eq!(LIST.erased().choose(1).unwrap(), 1);
}

/// SHA-1's costs: an Intel does not take four streams, and a Zen 3 no eight lanes of AVX2.
#[test]
fn the_cpu_chooses_the_streams() {
    const fn entry_of(lanes: u16, [alone, together]: [u16; 2], on_amd: [u16; 2]) -> Entry<Double> {
        let on_amd = Cost { alone: on_amd[0], together: on_amd[1], lanes };
        entry("costing", RIGHT).costing(Cost { alone, together, lanes }).on_amd(on_amd)
    }
    static LIST: Backends<Double> = list(&[
        entry_of(8, [235, 560], [235, 560]),
        entry_of(2, [127, 220], [120, 146]),
        entry_of(4, [127, 515], [120, 208]),
    ]);
    for (messages, places, from) in
        [(1, [1, 1], [255, 255]), (2, [1, 1], [16, 7]), (4, [1, 2], [10, 3]), (8, [0, 2], [2, 3])]
    {
        for cpu in 0..2 {
            let place = LIST.erased().cheapest(0..3, messages, cpu).unwrap();
            let [alone, together] = [1, place].map(|place| LIST.entries[place].cost[cpu]);
            let found = (place, gains_from(messages, alone, together, cpu));
            assert_eq!(found, (places[cpu], from[cpu]), "{messages} messages");
        }
    }
}

#[test]
fn an_implementation_that_cannot_run_cannot_be_selected() {
    static LIST: Backends<Double> = list(&[absent(), entry("corrupted", WRONG), entry("portable", RIGHT)]);
    let (absent, corrupted) =
        ("implementation: this CPU cannot run it", "implementation: it fails its self-test");
    for (place, what) in [(0, absent), (1, corrupted), (7, absent)] {
        assert_eq!(LIST.erased().select(place), Err(Error::InvalidParameter { what }));
    }
    assert_eq!(LIST.chosen()(1), 2);
}

#[test]
fn a_selection_outlasts_a_first_choice_that_began_before() {
    static LIST: Backends<Double> = Backends::new(
        "double",
        &[entry("slow", RIGHT), entry("selected", RIGHT)],
        &[|_| {
            // While the first is tested, another thread selects the second.
            LIST.state.selected.store(2, ORDER);
            LIST.erased().set_choices(2);
            true
        }],
    );
    assert_eq!(LIST.chosen()(1), 2);
    assert_eq!(LIST.state.chosen[0].load(ORDER), 2);
}

#[test]
fn threads_may_choose_at_the_same_time() {
    static LIST: Backends<Double> = list(&[entry("corrupted", WRONG), entry("portable", RIGHT)]);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| assert_eq!(LIST.chosen()(5), 10));
        }
    });
}
