#if !canImport(Darwin)
    extension UserAgent {
        static var applicationName: String { ProcessInfo.processInfo.processName }

        /// Programs have no version here.
        static var applicationVersion: String? { nil }

        static var system: String { "Linux" }
    }
#endif
