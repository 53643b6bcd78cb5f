#if canImport(Darwin)
    import Foundation
#endif

/// The times at which the files of a store can be used on Apple platforms. It has no effect on other platforms.
public enum FileProtection: Sendable {
    /// Always.
    case none

    /// After the user has unlocked the device once since it was started. Background tasks need this.
    case untilFirstUnlock

    /// While the device is unlocked. Open files stay usable when it is locked.
    case unlessOpen

    /// While the device is unlocked. A store that is used on a locked device reports errors.
    case complete
}

extension FileProtection {
    /// Protects a folder and all files that are created in it later.
    func apply(to folder: String) throws {
        #if canImport(Darwin) && !os(macOS)
            let type: FileProtectionType =
                switch self {
                case .none: .none
                case .untilFirstUnlock: .completeUntilFirstUserAuthentication
                case .unlessOpen: .completeUnlessOpen
                case .complete: .complete
                }
            try FileManager.default.setAttributes([.protectionKey: type], ofItemAtPath: folder)
        #endif
    }
}
