//! Lists of features of which some elements go.

use crate::{FeatureList, Replacement};

/// The indices of the elements that stay: the leftmost subsequence that equals the shorter list. `None` if
/// the list is not the old one, or has no such subsequence.
pub(super) fn staying(list: &FeatureList, change: Replacement<'_>) -> Option<Vec<usize>> {
    if list.to_string() != change.old {
        return None;
    }
    let shorter = FeatureList::of_lines(change.new);
    let mut elements = list.iter().enumerate();
    let next = |wanted| elements.find(|&(_, element)| element == wanted).map(|(at, _)| at);
    shorter.iter().map(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(features: &[&str]) -> FeatureList {
        let mut list = FeatureList::default();
        features.iter().for_each(|feature| list.push(feature));
        list
    }

    proptest! {
        #[test]
        fn what_stays_is_the_shorter_list(
            elements in prop::collection::vec(("[a\n\\\\7]{0,2}", any::<bool>()), 0..12),
        ) {
            let all: Vec<&str> = elements.iter().map(|(element, _)| element.as_str()).collect();
            let stays = elements.iter().filter(|(_, stays)| *stays);
            let shorter: Vec<&str> = stays.map(|(element, _)| element.as_str()).collect();
            let (old, new) = (list(&all).to_string(), list(&shorter).to_string());
            let stay = staying(&list(&all), Replacement { old: &old, new: &new }).unwrap();
            prop_assert!(stay.is_sorted_by(|one, next| one < next));
            prop_assert_eq!(stay.iter().map(|&at| all[at]).collect::<Vec<_>>(), shorter);
        }
    }

    #[test]
    fn another_list_is_refused() {
        let list = list(&["1", "2"]);
        let of = |old, new| staying(&list, Replacement { old, new });
        assert_eq!(of("1\n2\n", "2\n"), Some(vec![1]));
        assert_eq!(of("1\n2\n", ""), Some(vec![]));
        assert_eq!(of("1\n2\n", "2\n1\n"), None);
        assert_eq!(of("1\n2", "2\n"), None);
        assert_eq!(of("1\n3\n", "3\n"), None);
    }
}
