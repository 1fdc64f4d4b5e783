//! Functions compiled for optional features of the processor.

/// Defines a function compiled for optional x86-64 features, and a second one that says whether
/// this processor has all of them. Both use one list of features, so no function can use an
/// instruction that was not detected.
macro_rules! compiled_for {
    (
        [$($feature:tt),+], if $available:ident:
        $(#[$attribute:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    ) => {
        #[cfg(target_arch = "x86_64")]
        fn $available() -> bool {
            $(std::arch::is_x86_feature_detected!($feature))&&+
        }

        #[cfg(target_arch = "x86_64")]
        $(#[$attribute])*
        $(#[target_feature(enable = $feature)])+
        fn $name($($argument: $type),*) $(-> $result)? $body
    };
}

pub(crate) use compiled_for;
