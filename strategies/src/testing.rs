//! What tests of strategies share.

use std::convert::Infallible;

use rand::TryRng;

/// Fails the test that draws from it.
pub(crate) struct PanicRng;

impl TryRng for PanicRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        panic!("a deterministic strategy drew randomness")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        panic!("a deterministic strategy drew randomness")
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        panic!("a deterministic strategy drew randomness")
    }
}
