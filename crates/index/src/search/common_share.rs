//! How much of a set lies in long posting lists.

/// Number of entries from which a posting list is long: one more than the longest short list.
pub const LONG_LIST: u32 = 257;

/// The part of a set whose elements have long posting lists ([`LONG_LIST`]), in 255ths, rounded up.
///
/// A set D shares at most its own common elements with a query through long lists, however many
/// long lists the query has. Where pages are made from templates, a query over several pages has
/// hundreds of long lists; without this byte each unit could be in all of them.
///
/// Whoever writes a segment knows the lengths of all lists (by the top 40 bits, as they are looked
/// up): it adds one to each unit in a long list, and keeps [`CommonShare::new`] of the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct CommonShare(pub u8);

impl CommonShare {
    /// The share of a set of `size` elements, of which `common` have long lists. Entries of a list
    /// that repeat a unit count as often as they occur; more than `size` is the same as all.
    #[must_use]
    pub fn new(common: u32, size: u32) -> Self {
        let share = (u64::from(common) * 255).div_ceil(u64::from(size.max(1)));
        Self(share.min(255) as u8)
    }

    /// The most elements with long lists that a set of `size` elements with this share has.
    ///
    /// share ≥ 255·common/size ⇒ common ≤ share·size/255.
    #[inline]
    #[must_use]
    pub fn most(self, size: u32) -> u32 {
        (u64::from(self.0) * u64::from(size) / 255) as u32
    }

    /// The least share with which a set of any of `size` or fewer elements can have `needed(size)`
    /// common ones, if needed(m)/m, before rounding up, does not rise with m.
    pub(super) fn least(needed: u32, size: u32) -> Self {
        let share = u64::from(needed.saturating_sub(1)) * 255 / u64::from(size.max(1));
        Self(share.min(255) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_share_is_an_upper_bound_within_one_part(size in 1u32..100_000, part in 0.0f64..=1.0) {
            let common = (f64::from(size) * part) as u32;
            let most = CommonShare::new(common, size).most(size);
            prop_assert!(most >= common && most <= size);
            prop_assert!(most - common <= size / 255 + 1);
            // What has enough common elements passes the coarse test.
            for needed in [1, common.max(1)] {
                if common >= needed {
                    prop_assert!(CommonShare::new(common, size) >= CommonShare::least(needed, size));
                }
            }
        }
    }

    #[test]
    fn extremes() {
        assert_eq!(CommonShare::new(0, 7), CommonShare(0));
        assert_eq!(CommonShare::new(1, u32::MAX), CommonShare(1));
        assert_eq!(CommonShare::new(9, 7), CommonShare(255));
        assert_eq!(CommonShare(255).most(u32::MAX), u32::MAX);
        assert_eq!(CommonShare(0).most(u32::MAX), 0);
    }
}
