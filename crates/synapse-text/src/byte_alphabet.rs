//! The byte alphabet of byte-level vocabularies.
//!
//! Such a vocabulary spells every byte as one printable character, so that token texts hold
//! neither spaces nor control characters. Source: GPT-2's `bytes_to_unicode`: printable Latin-1
//! bytes stand for themselves, the others, in ascending order, for U+0100, U+0101, ….

/// Whether the byte stands for itself.
const fn printable(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff)
}

/// The code point that spells each byte; all are below U+0144.
const CODE_POINT: [u16; 256] = {
    let mut table = [0u16; 256];
    let mut next = 0x100;
    let mut byte = 0;
    while byte < 256 {
        if printable(byte as u8) {
            table[byte] = byte as u16;
        } else {
            table[byte] = next;
            next += 1;
        }
        byte += 1;
    }
    table
};

/// The byte of each code point below U+0144; 0x100 where there is none.
const BYTE: [u16; 0x144] = {
    let mut table = [0x100u16; 0x144];
    let mut byte = 0;
    while byte < 256 {
        table[CODE_POINT[byte] as usize] = byte as u16;
        byte += 1;
    }
    table
};

/// Appends the character that spells `byte`.
pub fn push_spelled(byte: u8, out: &mut Vec<u8>) {
    let code = CODE_POINT[byte as usize];
    // Every code point here is below U+0800: one or two bytes of UTF-8.
    if code < 0x80 {
        out.push(code as u8);
    } else {
        out.push(0xc0 | (code >> 6) as u8);
        out.push(0x80 | (code & 0x3f) as u8);
    }
}

/// Appends the bytes that a token's text spells. A character outside of the alphabet, and bytes
/// that are not UTF-8, stand for themselves.
pub fn push_bytes_of(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some((&first, tail)) = rest.split_first() {
        if first < 0x80 {
            // ASCII: printable characters stand for themselves, and the others are not in the
            // alphabet, so they do too.
            out.push(first);
            rest = tail;
            continue;
        }
        if let (0xc3..=0xc5, Some(&second)) = (first, tail.first())
            && second & 0xc0 == 0x80
        {
            let code = usize::from(first & 0x1f) << 6 | usize::from(second & 0x3f);
            if let Some(&byte @ 0..=0xff) = BYTE.get(code) {
                out.push(byte as u8);
                rest = tail.get(1..).unwrap_or_default();
                continue;
            }
        }
        if let (0xc2, Some(&second @ 0xa1..=0xbf)) = (first, tail.first())
            && second != 0xad
        {
            out.push(second);
            rest = tail.get(1..).unwrap_or_default();
            continue;
        }
        out.push(first);
        rest = tail;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        for byte in 0..=255u8 {
            let (mut text, mut back) = (Vec::new(), Vec::new());
            push_spelled(byte, &mut text);
            assert!(std::str::from_utf8(&text).unwrap().chars().count() == 1);
            push_bytes_of(&text, &mut back);
            assert_eq!(back, [byte]);
        }
    }

    #[test]
    fn space_and_newline_are_spelled_as_gpt2_does() {
        let mut out = Vec::new();
        push_spelled(b' ', &mut out);
        push_spelled(b'\n', &mut out);
        assert_eq!(std::str::from_utf8(&out).unwrap(), "ĠĊ");
    }

    #[test]
    fn characters_outside_of_the_alphabet_stand_for_themselves() {
        let mut out = Vec::new();
        push_bytes_of("a中\u{ad}".as_bytes(), &mut out);
        assert_eq!(out, "a中\u{ad}".as_bytes());
        let mut out = Vec::new();
        push_bytes_of(&[0xff, 0xc4], &mut out);
        assert_eq!(out, [0xff, 0xc4]);
    }
}
