//! "Did you mean …?": the nearest of the names that would have been right.

/// The name of `known` that is nearest to `name`, if one is near enough to be meant: at most one
/// slip in three letters, and at least two letters to judge by.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = name.chars().count();
    // Longer than any name of the language: not worth the quadratic comparison.
    if !(2..=64).contains(&letters) {
        return None;
    }
    let slips = (letters / 3).max(1);
    known
        .into_iter()
        .filter(|k| *k != name)
        .map(|k| (strsim::damerau_levenshtein(name, k), k))
        .filter(|(d, _)| *d <= slips)
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn one_slip_in_three_letters_is_near_and_more_is_not() {
        assert_eq!(nearest("siluu", ["relu", "silu"]), Some("silu"));
        assert_eq!(nearest("atention", ["attention"]), Some("attention"));
        assert_eq!(nearest("call", ["scale", "mul"]), None);
        assert_eq!(nearest("if", ["x", "relu"]), None);
        assert_eq!(nearest("q", ["k", "v"]), None);
    }

    #[test]
    fn the_same_distance_gives_the_first_name() {
        assert_eq!(nearest("gela", ["gelu", "gelb"]), Some("gelu"));
    }
}
