//! Instruction sets: which one this machine has, and the one macro that compiles a kernel for each.
//!
//! A kernel is one plain Rust body marked `#[inline(always)]`; `compiled_for_each_isa` wraps it in
//! one `#[target_feature]` function per instruction set. The body is the same, so the bits are the
//! same: only the width of the vectors that the compiler may use differs.

/// An instruction set that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// What the build target guarantees; on x86-64 that is SSE2.
    Scalar,
    /// x86-64 with AVX2, FMA and F16C.
    Avx2,
    /// The features of [`Isa::Avx2`] and AVX-512 F, BW, VL, DQ and VNNI.
    Avx512,
    /// AArch64 with its vector unit.
    Neon,
}

/// Every instruction set with its name, from the narrowest to the widest.
const ALL: [(Isa, &str); 4] =
    [(Isa::Scalar, "scalar"), (Isa::Neon, "neon"), (Isa::Avx2, "avx2"), (Isa::Avx512, "avx512")];

impl Isa {
    /// The widest instruction set that this machine has.
    pub fn detect() -> Isa {
        Isa::available().pop().unwrap_or(Isa::Scalar)
    }

    /// The instruction sets that this machine has, from the narrowest to the widest.
    pub fn available() -> Vec<Isa> {
        ALL.iter().map(|&(isa, _)| isa).filter(|isa| isa.is_available()).collect()
    }

    /// Whether this machine has the instruction set. The answer never changes while the process
    /// lives.
    pub fn is_available(self) -> bool {
        match self {
            Isa::Scalar => true,
            Isa::Neon => cfg!(target_arch = "aarch64"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => has_avx2(),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                has_avx2()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vnni")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Avx2 | Isa::Avx512 => false,
        }
    }

    /// The name in settings and results: `scalar`, `neon`, `avx2` or `avx512`.
    pub fn name(self) -> &'static str {
        match self {
            Isa::Scalar => "scalar",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Neon => "neon",
        }
    }

    /// The instruction set of a name that [`Isa::name`] gives, whether this machine has it or not.
    pub fn from_name(name: &str) -> Option<Isa> {
        ALL.iter().find(|&&(_, known)| known == name).map(|&(isa, _)| isa)
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c")
}

/// Defines `fn $name(kernels: &Kernels, …)`, which calls the `#[inline(always)]` function `$body`
/// compiled for the instruction set of `kernels`.
///
/// It takes the [`Kernels`](crate::Kernels) and not an [`Isa`], because a `Kernels` exists only for
/// an instruction set that this machine has: that is what makes the call sound.
///
/// With `= $body, avx512 = $wide`, AVX-512 has a body of its own: one with larger tiles for its
/// larger register file.
macro_rules! compiled_for_each_isa {
    ($(#[$note:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:expr) => {
        $crate::isa::compiled_for_each_isa! {
            $(#[$note])* fn $name($($arg: $ty),*) $(-> $ret)? = $body, avx512 = $body
        }
    };
    (
        $(#[$note:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?
        = $body:expr, avx512 = $wide:expr
    ) => {
        $(#[$note])*
        pub(crate) fn $name(kernels: &$crate::Kernels, $($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c")]
            fn avx2($($arg: $ty),*) $(-> $ret)? {
                $body($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(
                enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"
            )]
            fn avx512($($arg: $ty),*) $(-> $ret)? {
                $wide($($arg),*)
            }
            match kernels.isa {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: a `Kernels` with this instruction set is only made where it is available.
                $crate::isa::Isa::Avx2 => unsafe { avx2($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: as above.
                $crate::isa::Isa::Avx512 => unsafe { avx512($($arg),*) },
                _ => $body($($arg),*),
            }
        }
    };
}
pub(crate) use compiled_for_each_isa;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_instruction_set() {
        for (isa, name) in ALL {
            assert_eq!(isa.name(), name);
            assert_eq!(Isa::from_name(name), Some(isa));
        }
        assert_eq!(Isa::from_name("sse9"), None);
    }

    #[test]
    fn the_detected_set_is_available_and_scalar_always_is() {
        let available = Isa::available();
        assert_eq!(available.first(), Some(&Isa::Scalar));
        assert_eq!(available.last(), Some(&Isa::detect()));
        assert!(available.iter().all(|isa| isa.is_available()));
    }
}
