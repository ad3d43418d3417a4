//! Checks that every planted difference is found.

use keylane::primitives;
use keylane_contracts::{Call, Case, Subject, agree};

/// SHA-256 has a second implementation on every CPU with vectors.
const PRIMITIVE: &str = "sha256";

/// Whether another implementation than the reference is selected.
fn other() -> bool {
    let primitive = primitives().iter().find(|primitive| primitive.name() == PRIMITIVE).unwrap();
    primitive.implementations().any(|it| it.chosen && it.name != "portable")
}

/// The sum of the data, in place: each byte becomes the sum up to it.
fn sum(call: &mut Call<'_>) {
    let mut sum = 0u8;
    for byte in &mut *call.data {
        sum = sum.wrapping_add(*byte);
        *byte = sum;
    }
    call.answer(&[sum]);
}

fn right() -> Subject {
    Subject::new(PRIMITIVE, "right", |_| Box::new(sum)).class("sum")
}

/// Answers differently on the other implementations.
fn wrong_answer() -> Subject {
    let subject = Subject::new(PRIMITIVE, "wrong-answer", |_| {
        Box::new(|call| {
            sum(call);
            call.answer[63] ^= u8::from(other());
        })
    });
    subject.class("sum")
}

/// Leaves other data on the other implementations.
fn wrong_data() -> Subject {
    Subject::new(PRIMITIVE, "wrong-data", |_| {
        Box::new(|call| {
            sum(call);
            if let Some(last) = call.data.last_mut() {
                *last ^= u8::from(other());
            }
        })
    })
}

/// Agrees with itself everywhere, and with no other subject on data that is cut.
fn wrong_class() -> Subject {
    let subject = Subject::new(PRIMITIVE, "wrong-class", |_| {
        Box::new(|call| {
            sum(call);
            call.answer[0] ^= call.cuts.len() as u8;
        })
    });
    subject.class("sum")
}

fn panics() -> Subject {
    Subject::new(PRIMITIVE, "panics", |_| Box::new(|_| assert!(!other(), "as it should in this test")))
}

fn found(subjects: &[Subject]) -> Result<u64, String> {
    let case = Case { key: vec![1], data: vec![1, 2, 3], cuts: vec![1, 2], offset: 3 };
    agree(PRIMITIVE, subjects, &case)
}

/// Whether there is nothing to compare with here.
fn alone() -> bool {
    found(&[right()]) == Ok(0)
}

#[test]
fn agreement_is_found() {
    let others = found(&[right()]).unwrap();
    assert_eq!(found(&[right(), right()]), Ok(2 * others + 1));
}

#[test]
fn a_wrong_answer_is_found() {
    if alone() {
        return;
    }
    let difference = found(&[right(), wrong_answer()]).unwrap_err();
    assert!(difference.starts_with("wrong-answer on portable gave [06, 00"), "{difference}");
    assert!(difference.contains("\nwrong-answer on "), "{difference}");
    assert!(difference.ends_with("01]"), "{difference}");
}

#[test]
fn wrong_data_is_found() {
    if alone() {
        return;
    }
    assert!(found(&[wrong_data()]).unwrap_err().ends_with("data [01, 03, 06]\nand the second [01, 03, 07]"));
}

#[test]
fn subjects_that_disagree_are_found() {
    let difference = found(&[right(), wrong_class()]).unwrap_err();
    assert!(difference.starts_with("right on portable gave [06"), "{difference}");
    assert!(difference.contains("\nwrong-class on portable gave [04"), "{difference}");
    assert!(found(&[wrong_class()]).is_ok());
}

#[test]
fn a_panic_is_found() {
    if alone() {
        return;
    }
    assert!(found(&[panics()]).unwrap_err().ends_with(" panicked"));
}
