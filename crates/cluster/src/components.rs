//! Connected components by union-find.

/// Union-find over `0..n` by Rem's algorithm with splicing: one pass, no ranks. The root of a
/// component is always its smallest element, so labels do not depend on the order of the edges.
///
/// Elements are plain numbers: callers connect sets of a join, distinct sets or documents, each
/// with identifiers of its own type.
#[derive(Debug, Clone)]
pub struct Components {
    parent: Vec<u32>,
}

impl Components {
    /// `n` elements without edges.
    #[must_use]
    pub fn new(n: u32) -> Self {
        Self { parent: (0..n).collect() }
    }

    /// Unites the components of `a` and `b`; returns `true` if they were different.
    pub fn join(&mut self, mut a: u32, mut b: u32) -> bool {
        let parent = &mut self.parent;
        loop {
            let (pa, pb) = (parent[a as usize], parent[b as usize]);
            if pa == pb {
                return false;
            }
            // Proceeds from the side with the larger parent; splicing shortens its path.
            if pa > pb {
                parent[a as usize] = pb;
                if pa == a {
                    return true;
                }
                a = pa;
            } else {
                parent[b as usize] = pa;
                if pb == b {
                    return true;
                }
                b = pb;
            }
        }
    }

    /// The smallest element of `a`'s component. Halves the path on the way.
    pub fn root(&mut self, mut a: u32) -> u32 {
        loop {
            let parent = self.parent[a as usize];
            if parent == a {
                return a;
            }
            let above = self.parent[parent as usize];
            self.parent[a as usize] = above;
            a = above;
        }
    }

    /// Whether both are in one component.
    pub fn connected(&mut self, a: u32, b: u32) -> bool {
        self.root(a) == self.root(b)
    }

    /// The component of every element, named by its smallest element.
    #[must_use]
    pub fn labels(mut self) -> Vec<u32> {
        // Parents are smaller than their children, so one ascending pass resolves all.
        for element in 0..self.parent.len() {
            self.parent[element] = self.parent[self.parent[element] as usize];
        }
        self.parent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn labels_are_the_least_reachable(edges in prop::collection::vec((0u32..60, 0u32..60), 0..80)) {
            let mut components = Components::new(60);
            let mut joined = 0;
            for &(a, b) in &edges {
                joined += usize::from(components.join(a, b));
            }
            // Naive fixpoint iteration.
            let mut truth: Vec<u32> = (0..60).collect();
            loop {
                let before = truth.clone();
                for &(a, b) in &edges {
                    let least = truth[a as usize].min(truth[b as usize]);
                    truth[a as usize] = least;
                    truth[b as usize] = least;
                }
                if truth == before { break }
            }
            for element in 0..60 {
                prop_assert_eq!(components.root(element), truth[element as usize]);
            }
            prop_assert_eq!(components.labels(), truth.clone());
            let sets = truth.iter().enumerate().filter(|(i, l)| *i as u32 == **l).count();
            prop_assert_eq!(60 - joined, sets);
        }
    }
}
