#if os(Linux)
    import Glibc

    /// Runs at most 16 tests at once, unless the environment says otherwise.
    ///
    /// Swift Testing starts all tests of a run at the same time. Thousands that share two processors take minutes each, and then the
    /// times that servers and clients wait for each other are over. This runs when the tests are loaded, before any of them starts.
    @section(".init_array") @used
    private let limitTestsAtOnce: @convention(c) () -> Void = {
        setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "16", 0)
    }
#endif
