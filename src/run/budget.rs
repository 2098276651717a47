//! Tokens: a turn counts its own and those of every turn below it.

use super::Usage;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// The tokens of a turn and of all turns below it.
pub(super) struct Budget {
    /// The limit `tokens` of the turn; 0 is no cap.
    max: u64,
    used: Mutex<Usage>,
    /// Cancelled when a turn below finds the cap exceeded.
    spent: CancellationToken,
    above: Option<Arc<Budget>>,
}

impl Budget {
    /// That of a turn with the limit `max`, below that of `above`.
    pub fn new(max: u64, above: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self {
            max,
            used: Mutex::default(),
            spent: CancellationToken::new(),
            above,
        })
    }

    /// Counts `usage`, here and above.
    pub fn add(&self, usage: Usage) {
        for budget in self.upwards() {
            *budget.used.lock().unwrap_or_else(PoisonError::into_inner) += usage;
        }
    }

    /// What was used so far.
    pub fn used(&self) -> Usage {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tokens that were used, where they are more than the cap.
    pub fn excess(&self) -> Option<u64> {
        let used = self.used().total();
        (self.max > 0 && used > self.max).then_some(used)
    }

    /// Whether the cap of a turn above is exceeded; tells that turn, so that it ends and all below it.
    pub fn is_spent_above(&self) -> bool {
        let above = self.upwards().skip(1);
        let exceeded: Vec<_> = above.filter(|budget| budget.excess().is_some()).collect();
        exceeded.iter().for_each(|budget| budget.spent.cancel());
        !exceeded.is_empty()
    }

    /// Cancelled when a turn below finds the cap exceeded.
    pub fn spent(&self) -> &CancellationToken {
        &self.spent
    }

    fn upwards(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |budget| budget.above.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64) -> Usage {
        Usage {
            input,
            output,
            ..Usage::default()
        }
    }

    #[test]
    fn tokens_count_upwards_and_a_cap_above_ends_what_is_there() {
        let root = Budget::new(10, None);
        let middle = Budget::new(0, Some(root.clone()));
        let leaf = Budget::new(3, Some(middle.clone()));
        root.add(usage(4, 0));
        leaf.add(usage(2, 2));
        assert_eq!(leaf.excess(), Some(4));
        assert_eq!((middle.excess(), root.excess()), (None, None));
        assert_eq!(root.used(), usage(6, 2));
        assert!(!leaf.is_spent_above());
        middle.add(usage(0, 3));
        assert_eq!(root.excess(), Some(11));
        assert!(leaf.is_spent_above());
        let spent = [&root, &middle, &leaf].map(|budget| budget.spent().is_cancelled());
        assert_eq!(spent, [true, false, false]);
    }
}
