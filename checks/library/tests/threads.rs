//! Threads that choose implementations at the same time, and threads that select implementations while others
//! compute: all results are the same.
//!
//! There is only one test, so that no implementation was chosen before it.

use keylane::{Primitive, primitives};
use keylane_contracts::{Random, Work, of, painted};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

/// More than most machines have cores, so that threads are interrupted anywhere.
const THREADS: usize = 8;
const ROUNDS: usize = 10;

/// Returns the results of the primitive's subjects for the same call.
fn answers(primitive: &Primitive) -> Vec<[u8; 64]> {
    // Without PBKDF2, which takes most of the time and tests no more than HMAC.
    let quick = |work| !matches!(work, Work::Fixed { units: 1000.. });
    let subjects = of(primitive).filter(|subject| quick(subject.work));
    let cuts = [20, 90, 700, 701, 1000, 1200];
    subjects.map(|subject| subject.run(&Random::new(90).bytes(48), &mut painted(1500), &cuts)).collect()
}

/// Selects each implementation in turn, repeatedly, and undoes the selection in between.
fn select_until(done: &AtomicBool) {
    loop {
        for primitive in primitives() {
            for implementation in primitive.implementations().filter(|i| i.usable) {
                primitive.select(implementation.name).unwrap();
                thread::yield_now();
            }
            primitive.reset();
        }
        if done.load(Relaxed) {
            return;
        }
    }
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "no threads")]
fn a_choice_in_another_thread_changes_no_result() {
    let barrier = Barrier::new(THREADS);
    let first_uses: Vec<_> = thread::scope(|scope| {
        let come_first = |thread| {
            // Each primitive is the first that some thread uses.
            let mut in_turn: Vec<_> = primitives().iter().enumerate().collect();
            in_turn.rotate_left(thread % primitives().len());
            barrier.wait();
            let mut all: Vec<_> =
                in_turn.into_iter().map(|(place, primitive)| (place, answers(primitive))).collect();
            all.sort_unstable();
            all
        };
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || come_first(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });

    primitives().iter().for_each(|primitive| primitive.select("portable").unwrap());
    let expected: Vec<_> = primitives().iter().map(answers).enumerate().collect();
    primitives().iter().for_each(Primitive::reset);
    assert!(expected.iter().all(|(_, answers)| !answers.is_empty()));
    for answers in first_uses {
        assert_eq!(answers, expected);
    }

    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let selecting = [(); 2].map(|()| scope.spawn(|| select_until(&done)));
        let computing: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..ROUNDS {
                        for (primitive, (_, expected)) in primitives().iter().zip(&expected) {
                            assert_eq!(answers(primitive), *expected, "{}", primitive.name());
                        }
                    }
                })
            })
            .collect();
        let all_computed = computing.into_iter().map(|thread| thread.join()).collect::<Vec<_>>();
        done.store(true, Relaxed);
        assert!(all_computed.iter().all(Result::is_ok));
        assert!(selecting.into_iter().all(|thread| thread.join().is_ok()));
    });
    primitives().iter().for_each(Primitive::reset);
}
