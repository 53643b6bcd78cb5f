#if canImport(Darwin)
    extension UserAgent {
        static var applicationName: String { entry("CFBundleName") ?? ProcessInfo.processInfo.processName }

        static var applicationVersion: String? { entry("CFBundleShortVersionString") }

        static var system: String {
            let version = ProcessInfo.processInfo.operatingSystemVersion
            return "\(platform) \(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        }

        private static func entry(_ key: String) -> String? {
            Bundle.main.object(forInfoDictionaryKey: key) as? String
        }

        #if os(iOS)
            private static let platform = "iOS"
        #elseif os(macOS)
            private static let platform = "macOS"
        #elseif os(tvOS)
            private static let platform = "tvOS"
        #elseif os(watchOS)
            private static let platform = "watchOS"
        #else
            private static let platform = "visionOS"
        #endif
    }
#endif
