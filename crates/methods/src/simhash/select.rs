//! Selection of terms by weight: terms that are left out get weight 0, as in the thesis (Seshasai
//! 2009, sections 5.1 and 7.1.2).
//!
//! In this order: weights above the one of rank `cap` are reduced to it; weights below `least` or
//! above `most` of the largest are dropped; the `top` largest of the rest are kept.

use super::settings::SimhashSettings;

/// Applies the selection. `terms` break ties of equal weights, so that the result does not depend
/// on the order of terms. The content of `buffer` is ignored. Returns the largest weight before
/// anything is left out. O(terms).
pub(super) fn select(
    settings: &SimhashSettings,
    terms: &[u64],
    weights: &mut [u64],
    buffer: &mut Vec<u64>,
) -> u64 {
    if let Some(cap) = settings.cap.filter(|&rank| rank <= weights.len()) {
        let cap = ranked(weights, cap, buffer);
        weights.iter_mut().for_each(|weight| *weight = (*weight).min(cap));
    }
    let largest = weights.iter().copied().max().unwrap_or(0);
    if settings.least.is_some() || settings.most.is_some() {
        // Bounds are computed once, so that no products are compared per term.
        let least = settings.least.map_or(Some(0), |least| least.least_of(largest));
        let most = settings.most.map_or(u64::MAX, |most| most.of(largest));
        for weight in weights.iter_mut() {
            let stays = least.is_some_and(|least| least <= *weight) & (*weight <= most);
            *weight = if stays { *weight } else { 0 };
        }
    }
    if let Some(top) = settings.top.filter(|&top| top < weights.len()) {
        let least = ranked(weights, top, buffer);
        let heavier = weights.iter().filter(|&&weight| weight > least).count();
        buffer.clear();
        let ties = terms.iter().zip(&*weights).filter(|&(_, &weight)| weight == least);
        buffer.extend(ties.map(|(&term, _)| term));
        // Of the terms with the same weight as the last, the smallest are kept; at least one is.
        let (_, &mut last, _) = buffer.select_nth_unstable(top - heavier - 1);
        for (weight, &term) in weights.iter_mut().zip(terms) {
            if *weight < least || (*weight == least && term > last) {
                *weight = 0;
            }
        }
    }
    largest
}

/// Drops the terms of weight 0.
pub(super) fn drop_weightless(terms: &mut Vec<u64>, weights: &mut Vec<u64>) {
    if weights.iter().all(|&weight| weight > 0) {
        return;
    }
    let mut end = 0;
    for at in 0..weights.len().min(terms.len()) {
        // Branchless: which terms are left out is unpredictable.
        (terms[end], weights[end]) = (terms[at], weights[at]);
        end += usize::from(weights[at] > 0);
    }
    terms.truncate(end);
    weights.truncate(end);
}

/// The weight at a rank; the largest has rank 1.
fn ranked(weights: &[u64], rank: usize, buffer: &mut Vec<u64>) -> u64 {
    buffer.clear();
    buffer.extend_from_slice(weights);
    *buffer.select_nth_unstable_by(rank - 1, |a, b| b.cmp(a)).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn selected(text: &str, weights: &[u64]) -> Vec<u64> {
        let settings =
            SimhashSettings::from_spec(&format!("simhash:{text}").parse().unwrap()).unwrap();
        let terms: Vec<u64> = (0..weights.len() as u64).rev().collect();
        let mut weights = weights.to_vec();
        select(&settings, &terms, &mut weights, &mut vec![1, 2, 3]);
        weights
    }

    #[test]
    fn thresholds_keep_what_is_exactly_at_them() {
        let weights = [200, 100, 99, 2, 1];
        assert_eq!(selected("variant=low", &weights), [200, 100, 99, 2, 0]);
        assert_eq!(selected("variant=high", &weights), [200, 100, 0, 0, 0]);
        assert_eq!(selected("variant=middle", &weights), [0, 100, 99, 2, 0]);
        assert_eq!(selected("variant=middle", &[5, 5]), [0, 0]);
    }

    #[test]
    fn outliers_are_reduced_to_the_weight_at_the_rank() {
        assert_eq!(selected("cap=3", &[9, 1, 90, 7, 700]), [9, 1, 9, 7, 9]);
        assert_eq!(selected("cap=6", &[9, 1, 90, 7, 700]), [9, 1, 90, 7, 700]);
        // The largest weight, of which `least` is a share, is the one after the cap.
        assert_eq!(selected("cap=3,least=0.5", &[9, 1, 90, 7, 700]), [9, 0, 9, 7, 9]);
    }

    proptest! {
        #[test]
        fn the_top_are_the_heaviest_then_the_smallest_terms(
            weights in prop::collection::vec(0u64..6, 0..30), top in 1usize..12,
        ) {
            let got = selected(&format!("top={top}"), &weights);
            let mut order: Vec<usize> = (0..weights.len()).collect();
            // Terms descend along the slice: of equals the last come first.
            order.sort_by_key(|&at| (std::cmp::Reverse(weights[at]), std::cmp::Reverse(at)));
            let mut expected = vec![0; weights.len()];
            order.iter().take(top).for_each(|&at| expected[at] = weights[at]);
            prop_assert_eq!(got, expected);
        }
    }
}
