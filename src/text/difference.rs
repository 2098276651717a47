//! What has to change in a text to make it another: whole lines, and few of them.

use super::{Edit, Span};

/// From so many lines that differ on, the stretch between the first and the last of them is replaced as one: the
/// search takes time and room in the square of it.
const MOST_DIFFERENCES: usize = 500;

/// Edits, in order and each of whole lines, that make `after` of `before`; none where they are equal.
pub fn difference(before: &str, after: &str) -> Vec<Edit> {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let same_head = common(old.iter(), new.iter());
    let (old_rest, new_rest) = (&old[same_head..], &new[same_head..]);
    let same_tail = common(old_rest.iter().rev(), new_rest.iter().rev());
    let old_middle = &old_rest[..old_rest.len() - same_tail];
    let new_middle = &new_rest[..new_rest.len() - same_tail];

    let mut edits: Vec<Edit> = Vec::new();
    let mut offset = old[..same_head].iter().map(|line| line.len()).sum();
    for step in steps(old_middle, new_middle) {
        match step {
            Step::Keep(line) => offset += line.len(),
            Step::Remove(line) => {
                let edit = edit_at(&mut edits, offset);
                edit.span.end += line.len();
                offset += line.len();
            }
            Step::Insert(line) => edit_at(&mut edits, offset).text.push_str(line),
        }
    }
    edits
}

/// The edit that ends at `offset`, so that lines next to each other change in one.
fn edit_at(edits: &mut Vec<Edit>, offset: usize) -> &mut Edit {
    if edits.last().is_none_or(|edit| edit.span.end != offset) {
        edits.push(Edit {
            span: Span::empty(offset),
            text: String::new(),
        });
    }
    let last = edits.len() - 1;
    &mut edits[last]
}

fn common<'a>(
    one: impl Iterator<Item = &'a &'a str>,
    other: impl Iterator<Item = &'a &'a str>,
) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}

enum Step<'a> {
    Keep(&'a str),
    Remove(&'a str),
    Insert(&'a str),
}

/// The shortest way from `old` to `new`, by Myers' greedy search ("An O(ND) Difference Algorithm and Its Variations",
/// 1986).
fn steps<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Step<'a>> {
    let replace_all = || {
        let removed = old.iter().map(|line| Step::Remove(line));
        let inserted = new.iter().map(|line| Step::Insert(line));
        removed.chain(inserted).collect()
    };
    let most = (old.len() + new.len()).min(MOST_DIFFERENCES);
    // How far each diagonal `k` (lines removed less lines inserted) has come in `old`, after each number of
    // differences; `k` is counted from `-most`.
    let mut reached = vec![0; 2 * most + 3];
    let index = |k: isize| (k + most as isize + 1) as usize;
    let mut trace: Vec<Vec<usize>> = Vec::new();
    for differences in 0..=most as isize {
        trace.push(reached.clone());
        for k in (-differences..=differences).step_by(2) {
            let mut x = match comes_by_insertion(&reached, index, k, differences) {
                true => reached[index(k + 1)],
                false => reached[index(k - 1)] + 1,
            };
            while let Some(y) = x.checked_add_signed(-k)
                && x < old.len()
                && y < new.len()
                && old[x] == new[y]
            {
                x += 1;
            }
            reached[index(k)] = x;
            if x == old.len() && x.checked_add_signed(-k) == Some(new.len()) {
                return way_back(old, new, &trace, index);
            }
        }
    }
    replace_all()
}

/// Whether the farthest way onto diagonal `k` comes from the one above, by a line that is inserted.
fn comes_by_insertion(
    reached: &[usize],
    index: impl Fn(isize) -> usize,
    k: isize,
    differences: isize,
) -> bool {
    k == -differences || k != differences && reached[index(k - 1)] < reached[index(k + 1)]
}

fn way_back<'a>(
    old: &[&'a str],
    new: &[&'a str],
    trace: &[Vec<usize>],
    index: impl Fn(isize) -> usize + Copy,
) -> Vec<Step<'a>> {
    let mut steps = Vec::new();
    let (mut x, mut y) = (old.len(), new.len());
    for (differences, reached) in trace.iter().enumerate().rev() {
        let k = x as isize - y as isize;
        let differences = differences as isize;
        let inserted = comes_by_insertion(reached, index, k, differences);
        let (from_x, from_y) = if differences == 0 {
            (0, 0)
        } else {
            let from = if inserted { k + 1 } else { k - 1 };
            let from_x = reached[index(from)];
            (from_x, (from_x as isize - from) as usize)
        };
        while x > from_x && y > from_y {
            (x, y) = (x - 1, y - 1);
            steps.push(Step::Keep(old[x]));
        }
        if differences > 0 {
            if inserted {
                y -= 1;
                steps.push(Step::Insert(new[y]));
            } else {
                x -= 1;
                steps.push(Step::Remove(old[x]));
            }
        }
    }
    steps.reverse();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::apply_edits;
    use proptest::prelude::*;

    fn edit(start: usize, end: usize, text: &str) -> Edit {
        Edit {
            span: Span::new(start, end),
            text: text.into(),
        }
    }

    #[test]
    fn lines_that_stay_are_not_touched() {
        for (before, after, edits) in [
            ("", "", vec![]),
            ("a\nb\n", "a\nb\n", vec![]),
            ("a\nb\nc\n", "a\nc\n", vec![edit(2, 4, "")]),
            ("a\nc\n", "a\nb\nc\n", vec![edit(2, 2, "b\n")]),
            ("a\nb\nc\n", "a\nx\nc\n", vec![edit(2, 4, "x\n")]),
            (
                "a\nb\nc\nd\ne\n",
                "x\nb\nc\nd\ny\n",
                vec![edit(0, 2, "x\n"), edit(8, 10, "y\n")],
            ),
            ("a\r\nb", "a\r\nb\r\n", vec![edit(3, 4, "b\r\n")]),
        ] {
            assert_eq!(difference(before, after), edits, "{before:?} {after:?}");
        }
    }

    #[test]
    fn texts_that_share_nothing_change_as_one() {
        let lines = |from: u32| -> String {
            let numbers = (from..from + 2_000).map(|n| format!("{n}\n"));
            numbers.collect()
        };
        let (before, after) = (lines(0), lines(10_000));
        assert_eq!(difference(&before, &after), [edit(0, before.len(), &after)]);
    }

    proptest! {
        #[test]
        fn the_edits_make_the_other_text(before in "([abcé]?\n?){0,12}", after in "([abcé]?\n?){0,12}") {
            let edits = difference(&before, &after);
            prop_assert_eq!(apply_edits(&before, &edits), Some(after));
        }
    }
}
