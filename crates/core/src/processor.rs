//! Functions compiled for optional features of the processor.

/// Defines a function that is compiled for some features of x86-64 processors, and another one that
/// says whether this processor has all of them. Both take the features from one list, so no function
/// can use an instruction that was not looked for.
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
