//! Enums whose values have names. This crate depends on no other of the workspace, so it has a macro of its own.

/// Declares an enum whose values have names, which are what the values are displayed as.
macro_rules! named {
    (
        $(#[$of_enum:meta])*
        pub enum $Enum:ident { $($(#[$of_variant:meta])* $Variant:ident = $name:literal,)+ }
    ) => {
        $(#[$of_enum])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $Enum { $($(#[$of_variant])* $Variant,)+ }

        impl $Enum {
            /// All values, in the order of their declaration.
            pub const ALL: [$Enum; [$($name),+].len()] = [$($Enum::$Variant),+];

            /// Returns the name.
            pub const fn name(self) -> &'static str {
                match self { $($Enum::$Variant => $name,)+ }
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

pub(crate) use named;
