#if canImport(Darwin)
    import Foundation

    extension FileProtection {
        /// Protects a folder and all files that are created in it later.
        func apply(to folder: String) throws {
            #if !os(macOS)
                try FileManager.default.setAttributes([.protectionKey: type], ofItemAtPath: folder)
            #endif
        }

        private var type: FileProtectionType {
            switch self {
            case .none: .none
            case .untilFirstUnlock: .completeUntilFirstUserAuthentication
            case .unlessOpen: .completeUnlessOpen
            case .complete: .complete
            }
        }
    }
#else
    extension FileProtection {
        func apply(to folder: String) throws {}
    }
#endif
