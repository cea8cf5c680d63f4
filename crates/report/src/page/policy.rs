//! The content security policy of a page: a browser runs only this program's scripts, and makes no network requests.
//!
//! Scripts are identified by their SHA-256 digests (NIST FIPS 180-4, <https://doi.org/10.6028/NIST.FIPS.180-4>), so
//! injected scripts do not run.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

/// Returns the policy of a page with this script, and with `playable`, an embedded page for playing, if given.
pub(super) fn policy(script: &str, playable: Option<&str>) -> String {
    let mut sources = vec![source(script)];
    sources.extend(playable.into_iter().flat_map(scripts).map(source));
    // The embedded page is under this policy, too. Its games need WebAssembly in a worker.
    let (more, workers) = match playable {
        Some(_) => (" 'wasm-unsafe-eval' blob:", " worker-src blob:;"),
        None => ("", ""),
    };
    format!(
        "default-src 'none'; script-src {}{more};{workers} style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
         form-action 'none'",
        sources.join(" ")
    )
}

/// Returns the expression that allows a script: its digest.
pub(super) fn source(script: &str) -> String {
    format!("'sha256-{}'", BASE64.encode(sha256(script.as_bytes())))
}

/// Returns the scripts in a document that this program has written. Script elements with a type are data, and are
/// skipped.
fn scripts(document: &str) -> impl Iterator<Item = &str> {
    document.split("<script").skip(1).filter_map(|rest| {
        let (attributes, rest) = rest.split_once('>')?;
        let (text, _) = rest.split_once("</script>")?;
        (!attributes.contains("type=")).then_some(text)
    })
}

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section 4.2.2).
const CUBE_ROOTS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];
/// The first 32 bits of the fractional parts of the square roots of the first 8 primes (section 5.3.3).
const SQUARE_ROOTS: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// Returns the SHA-256 digest of a message.
fn sha256(message: &[u8]) -> [u8; 32] {
    const BLOCK: usize = 64;
    // The message is padded with a one bit, zeros, and its length in bits (section 5.1.1).
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % BLOCK != BLOCK - size_of::<u64>() {
        padded.push(0);
    }
    padded.extend((message.len() as u64 * 8).to_be_bytes());
    let mut hash = SQUARE_ROOTS;
    let (blocks, _) = padded.as_chunks::<BLOCK>();
    for block in blocks {
        // The message schedule (section 6.2.2, step 1).
        let mut w = [0; BLOCK];
        let (words, _) = block.as_chunks::<4>();
        for (w, word) in w.iter_mut().zip(words) {
            *w = u32::from_be_bytes(*word);
        }
        for t in words.len()..BLOCK {
            let (x, y) = (w[t - 15], w[t - 2]);
            let sigma_0 = x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3);
            let sigma_1 = y.rotate_right(17) ^ y.rotate_right(19) ^ (y >> 10);
            w[t] = sigma_1.wrapping_add(w[t - 7]).wrapping_add(sigma_0).wrapping_add(w[t - 16]);
        }
        // Steps 2 and 3.
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = hash;
        for (k, w) in CUBE_ROOTS.iter().zip(&w) {
            let sum_1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let t1 = h.wrapping_add(sum_1).wrapping_add(choice).wrapping_add(*k).wrapping_add(*w);
            let sum_0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            let t2 = sum_0.wrapping_add(majority);
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
        }
        // Step 4.
        for (sum, new) in hash.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *sum = sum.wrapping_add(new);
        }
    }
    let mut digest = [0; 32];
    for (bytes, word) in digest.chunks_exact_mut(4).zip(hash) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of NIST (FIPS 180-2, appendix B), and the digest of the empty message; checked with `sha256sum`.
    #[test]
    fn digests_are_those_of_the_standard() {
        let hex = |message: &[u8]| -> String {
            sha256(message).iter().map(|byte| format!("{byte:02x}")).collect()
        };
        let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        for (message, digest) in [
            (&b""[..], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (long, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        ] {
            assert_eq!(hex(message), digest);
        }
        let million = vec![b'a'; 1_000_000];
        let digest = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
        assert_eq!(hex(&million), digest);
    }

    #[test]
    fn scripts_of_the_page_within_are_allowed_and_data_are_not() {
        let page = "<p>x</p><script type=\"text/plain\" id=\"a\">data</script>\n\
            <script id=\"b\">\none();\n</script><script>two();</script>";
        assert_eq!(scripts(page).collect::<Vec<_>>(), ["\none();\n", "two();"]);
        let of_both = policy("sort();", Some(page));
        for script in ["sort();", "\none();\n", "two();"] {
            assert!(of_both.contains(&source(script)), "{of_both}");
        }
        assert!(!of_both.contains(&source("data")) && !of_both.contains("script-src 'unsafe"));
        let alone = policy("sort();", None);
        assert!(!alone.contains("wasm") && !alone.contains("blob:"), "{alone}");
    }
}
