#if canImport(os)
    import os

    extension CallLog {
        /// The default sink: the system's log on Apple platforms, and standard error elsewhere.
        ///
        /// The entries have the subsystem `tango` and the category `calls`. They contain no secrets, so their text is public.
        public static let system: @Sendable (Entry) -> Void = { entry in
            logger.log(level: entry.severity.type, "\(entry.description, privacy: .public)")
        }

        private static let logger = Logger(subsystem: "tango", category: "calls")
    }

    extension CallLog.Entry.Severity {
        fileprivate var type: OSLogType {
            switch self {
            case .info: .info
            case .warning: .default
            case .error: .error
            }
        }
    }
#endif
