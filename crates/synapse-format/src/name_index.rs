//! Finding an entry by name without a second copy of the names.

/// The order of entries by name: a lookup is a binary search, and equal names are neighbours.
///
/// No hashing: names come from foreign files, and nothing here depends on how they collide.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NameIndex(Vec<u32>);

impl NameIndex {
    /// Indexes `items`; on equal names the first one is found.
    pub(crate) fn new<T>(items: &[T], name: impl Fn(&T) -> &str) -> NameIndex {
        let mut order: Vec<u32> = (0..items.len()).map_while(|i| u32::try_from(i).ok()).collect();
        order.sort_by(|&a, &b| {
            items.get(a as usize).map(&name).cmp(&items.get(b as usize).map(&name))
        });
        NameIndex(order)
    }

    /// The entry called `wanted`, the first one where several are.
    pub(crate) fn find<'t, T>(
        &self,
        items: &'t [T],
        name: impl Fn(&T) -> &str,
        wanted: &str,
    ) -> Option<&'t T> {
        let at =
            self.0.partition_point(|&i| items.get(i as usize).is_some_and(|e| name(e) < wanted));
        let item = items.get(*self.0.get(at)? as usize)?;
        (name(item) == wanted).then_some(item)
    }

    /// The second of two entries with the same name, with the smallest position in the file.
    pub(crate) fn duplicate<T>(&self, items: &[T], name: impl Fn(&T) -> &str) -> Option<usize> {
        self.0
            .windows(2)
            .filter_map(|pair| {
                let [a, b] = pair else { return None };
                let (a, b) = (items.get(*a as usize)?, (items.get(*b as usize)?, *b as usize));
                (name(a) == name(b.0)).then_some(b.1)
            })
            .min()
    }
}

#[cfg(test)]
mod tests {
    use super::NameIndex;

    #[test]
    fn the_first_of_equal_names_is_found_and_the_second_reported() {
        let items = [("b", 0), ("a", 1), ("b", 2), ("c", 3)];
        let index = NameIndex::new(&items, |i| i.0);
        assert_eq!(index.find(&items, |i| i.0, "b"), Some(&("b", 0)));
        assert_eq!(index.find(&items, |i| i.0, "c"), Some(&("c", 3)));
        assert_eq!(index.find(&items, |i| i.0, "d"), None);
        assert_eq!(index.duplicate(&items, |i| i.0), Some(2));
        assert_eq!(index.duplicate(&items[..2], |i| i.0), None);
    }
}
