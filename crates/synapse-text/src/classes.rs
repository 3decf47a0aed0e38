//! Classes of characters, named as regular expressions name them.
//!
//! They are those of one version of Unicode, whatever the library knows: ids must not change when
//! a library learns new characters. It is the version of llama.cpp's tables (15), which is newer
//! than that of any vocabulary here.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

fn group(c: char) -> GeneralCategoryGroup {
    match is_newer(c) {
        true => GeneralCategoryGroup::Other,
        false => c.general_category_group(),
    }
}

/// Whether a character came into Unicode after version 15.
fn is_newer(c: char) -> bool {
    let after = NEWER.partition_point(|&(from, _)| from <= u32::from(c));
    after.checked_sub(1).and_then(|n| NEWER.get(n)).is_some_and(|&(_, to)| u32::from(c) <= to)
}

/// Ascending ranges of characters that version 15 has not, with gaps that no version has.
const NEWER: &[(u32, u32)] = &[
    (0x558, 0x558),
    (0x58b, 0x58c),
    (0x5c8, 0x5c9),
    (0x88f, 0x897),
    (0xb53, 0xb54),
    (0xc5c, 0xc5c),
    (0xcdc, 0xcdc),
    (0x1acf, 0x1af0),
    (0x1b4e, 0x1b4f),
    (0x1b7f, 0x1b7f),
    (0x1c89, 0x1c8a),
    (0x208f, 0x208f),
    (0x209d, 0x209f),
    (0x20c1, 0x20c4),
    (0x2427, 0x2429),
    (0x2b96, 0x2b96),
    (0x2e60, 0x2e63),
    (0x31e4, 0x31e5),
    (0xa7cb, 0xa7cf),
    (0xa7d2, 0xa7d2),
    (0xa7d4, 0xa7d4),
    (0xa7da, 0xa7f1),
    (0xab6c, 0xab6d),
    (0xfbc3, 0xfbd2),
    (0xfd90, 0xfd91),
    (0xfdc8, 0xfdce),
    (0x105c0, 0x105f3),
    (0x107bb, 0x107bf),
    (0x10940, 0x10959),
    (0x10d40, 0x10d8f),
    (0x10ec2, 0x10efc),
    (0x11380, 0x113e2),
    (0x116d0, 0x116e3),
    (0x11b0a, 0x11bf9),
    (0x11db0, 0x11df1),
    (0x11f5a, 0x11f5a),
    (0x1246f, 0x1246f),
    (0x12475, 0x1247f),
    (0x12550, 0x12686),
    (0x13460, 0x143fa),
    (0x16100, 0x16139),
    (0x16d40, 0x16d79),
    (0x16ea0, 0x16ed3),
    (0x16ff2, 0x16ff6),
    (0x187f8, 0x187ff),
    (0x18cd6, 0x18cff),
    (0x18d09, 0x191d2),
    (0x1b123, 0x1b128),
    (0x1b168, 0x1b168),
    (0x1cc00, 0x1cefd),
    (0x1d127, 0x1d128),
    (0x1d1eb, 0x1d1ff),
    (0x1d250, 0x1d281),
    (0x1d6a6, 0x1d6a6),
    (0x1db00, 0x1db1c),
    (0x1df1f, 0x1df24),
    (0x1df2b, 0x1dfff),
    (0x1e5d0, 0x1e6ff),
    (0x1f1ae, 0x1f1ae),
    (0x1f6d8, 0x1f6d9),
    (0x1f777, 0x1f77a),
    (0x1f7da, 0x1f7db),
    (0x1f7f1, 0x1f7ff),
    (0x1f8b2, 0x1f8d8),
    (0x1fa54, 0x1fa57),
    (0x1fa89, 0x1fa8f),
    (0x1fabe, 0x1fabe),
    (0x1fac6, 0x1facd),
    (0x1fadc, 0x1fadf),
    (0x1fae9, 0x1faef),
    (0x1faf9, 0x1fafa),
    (0x1fbcb, 0x1fbef),
    (0x1fbfa, 0x1fbfa),
    (0x2b73a, 0x2b73f),
    (0x2b81e, 0x2b81e),
    (0x2cea2, 0x2cead),
    (0x323b0, 0x33479),
    (0x3d000, 0x3fc3f),
];

/// `\p{L}`
pub fn is_letter(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphabetic() } else { group(c) == GeneralCategoryGroup::Letter }
}

/// `\p{N}`
pub fn is_number(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_digit() } else { group(c) == GeneralCategoryGroup::Number }
}

/// `\p{M}`
pub fn is_mark(c: char) -> bool {
    !c.is_ascii() && group(c) == GeneralCategoryGroup::Mark
}

/// `\p{P}`
pub fn is_punctuation(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_punctuation() && !is_ascii_symbol(c),
        false => group(c) == GeneralCategoryGroup::Punctuation,
    }
}

/// `\p{S}` in ASCII.
fn is_ascii_symbol(c: char) -> bool {
    matches!(c, '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~')
}

/// The letters with a case as the makers of `deepseek-llm` list them in its expression:
/// `A-Za-zµÀ-ÖØ-öø-ƺ…`.
pub fn is_listed_cased_letter(c: char) -> bool {
    let after = CASED_LETTERS.partition_point(|&(from, _)| from <= c);
    after.checked_sub(1).and_then(|n| CASED_LETTERS.get(n)).is_some_and(|&(_, to)| c <= to)
}

/// Ascending ranges.
const CASED_LETTERS: &[(char, char)] = &[
    ('\u{41}', '\u{5a}'),
    ('\u{61}', '\u{7a}'),
    ('\u{b5}', '\u{b5}'),
    ('\u{c0}', '\u{d6}'),
    ('\u{d8}', '\u{f6}'),
    ('\u{f8}', '\u{1ba}'),
    ('\u{1bc}', '\u{1bf}'),
    ('\u{1c4}', '\u{293}'),
    ('\u{295}', '\u{2af}'),
    ('\u{370}', '\u{373}'),
    ('\u{376}', '\u{377}'),
    ('\u{37b}', '\u{37d}'),
    ('\u{37f}', '\u{37f}'),
    ('\u{386}', '\u{386}'),
    ('\u{388}', '\u{38a}'),
    ('\u{38c}', '\u{38c}'),
    ('\u{38e}', '\u{3a1}'),
    ('\u{3a3}', '\u{3f5}'),
    ('\u{3f7}', '\u{481}'),
    ('\u{48a}', '\u{52f}'),
    ('\u{531}', '\u{556}'),
    ('\u{10a0}', '\u{10c5}'),
    ('\u{13a0}', '\u{13f5}'),
    ('\u{13f8}', '\u{13fd}'),
    ('\u{1c90}', '\u{1cba}'),
    ('\u{1cbd}', '\u{1cbf}'),
    ('\u{1d00}', '\u{1d2b}'),
    ('\u{1d6b}', '\u{1d77}'),
    ('\u{1d79}', '\u{1d9a}'),
    ('\u{1e00}', '\u{1f15}'),
    ('\u{1f18}', '\u{1f1d}'),
    ('\u{1f20}', '\u{1f45}'),
    ('\u{1f48}', '\u{1f4d}'),
    ('\u{1f50}', '\u{1f57}'),
    ('\u{1f59}', '\u{1f59}'),
    ('\u{1f5b}', '\u{1f5b}'),
    ('\u{1f5d}', '\u{1f5d}'),
    ('\u{1f5f}', '\u{1f7d}'),
    ('\u{1f80}', '\u{1fb4}'),
    ('\u{1fb6}', '\u{1fbc}'),
    ('\u{1fbe}', '\u{1fbe}'),
    ('\u{1fc2}', '\u{1fc4}'),
    ('\u{1fc6}', '\u{1fcc}'),
    ('\u{1fd0}', '\u{1fd3}'),
    ('\u{1fd6}', '\u{1fdb}'),
    ('\u{1fe0}', '\u{1fec}'),
    ('\u{1ff2}', '\u{1ff4}'),
    ('\u{1ff6}', '\u{1ffc}'),
    ('\u{2102}', '\u{2102}'),
    ('\u{2107}', '\u{2107}'),
    ('\u{210a}', '\u{2113}'),
    ('\u{2115}', '\u{2115}'),
    ('\u{2119}', '\u{211d}'),
    ('\u{2124}', '\u{2124}'),
    ('\u{2126}', '\u{2126}'),
    ('\u{2128}', '\u{2128}'),
    ('\u{212a}', '\u{212d}'),
    ('\u{212f}', '\u{2134}'),
    ('\u{2139}', '\u{2139}'),
    ('\u{213c}', '\u{213f}'),
    ('\u{2145}', '\u{2149}'),
    ('\u{214e}', '\u{214e}'),
    ('\u{2183}', '\u{2184}'),
    ('\u{2c00}', '\u{2c7b}'),
    ('\u{2c7e}', '\u{2ce4}'),
    ('\u{2ceb}', '\u{2cee}'),
    ('\u{2cf2}', '\u{2cf3}'),
    ('\u{a640}', '\u{a66d}'),
    ('\u{a680}', '\u{a69b}'),
    ('\u{a722}', '\u{a76f}'),
    ('\u{a771}', '\u{a787}'),
    ('\u{a78b}', '\u{a78e}'),
    ('\u{ab70}', '\u{abbf}'),
    ('\u{fb00}', '\u{fb06}'),
    ('\u{fb13}', '\u{fb17}'),
    ('\u{ff21}', '\u{ff3a}'),
    ('\u{ff41}', '\u{ff5a}'),
    ('\u{10400}', '\u{1044f}'),
    ('\u{104b0}', '\u{104d3}'),
    ('\u{104d8}', '\u{104fb}'),
    ('\u{10c80}', '\u{10cb2}'),
    ('\u{10cc0}', '\u{10cf2}'),
    ('\u{118a0}', '\u{118df}'),
    ('\u{1e900}', '\u{1e943}'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_classes_are_those_of_unicode() {
        for c in (0..128u8).map(char::from) {
            assert_eq!(is_letter(c), group(c) == GeneralCategoryGroup::Letter, "{c:?}");
            assert_eq!(is_number(c), group(c) == GeneralCategoryGroup::Number, "{c:?}");
            assert_eq!(is_mark(c), group(c) == GeneralCategoryGroup::Mark, "{c:?}");
            assert_eq!(is_punctuation(c), group(c) == GeneralCategoryGroup::Punctuation, "{c:?}");
        }
    }

    /// The expected number is computed from llama.cpp's own table.
    #[test]
    fn classes_of_all_characters_are_those_of_the_pinned_version() {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        for c in '\0'..=char::MAX {
            let class = match c {
                _ if is_letter(c) => 1,
                _ if is_number(c) => 2,
                _ if is_mark(c) => 3,
                _ if is_punctuation(c) => 4,
                _ => 0,
            };
            hash = (hash ^ class).wrapping_mul(0x0100_0000_01b3);
        }
        assert_eq!(hash, 0x645f361ba2b31787);
    }

    #[test]
    fn listed_ranges_ascend_and_hold_their_ends() {
        assert!(NEWER.is_sorted_by(|a, b| a.1 < b.0));
        assert!(CASED_LETTERS.is_sorted_by(|a, b| a.1 < b.0));
        for &(from, to) in CASED_LETTERS {
            assert!(is_listed_cased_letter(from) && is_listed_cased_letter(to));
        }
        assert!(!is_listed_cased_letter('@') && !is_listed_cased_letter('\u{10ffff}'));
    }
}
