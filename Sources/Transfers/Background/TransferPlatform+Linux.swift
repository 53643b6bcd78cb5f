#if !canImport(Darwin)
    /// Linux ends no program that is not used, so there is nothing that could go on after it.
    enum TransferPlatform {
        static func system(_ identifier: String) -> (any TransferSystem)? { nil }
        /// Returns whether the system can take over transfers from a transport. A test has a system of its own.
        static func replaces(_ transport: any Transport) -> Bool { true }
        static func folder(of identifier: String) -> String { "" }
    }
#endif
