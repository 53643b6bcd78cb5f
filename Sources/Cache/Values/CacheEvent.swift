#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Something that happened inside a store which no caller would hear of otherwise.
public enum CacheEvent: Sendable {
    /// The database was damaged. It was set aside, in the folder named, and the store began anew, empty.
    case reset(reason: String, setAside: URL?)

    /// An entry was found damaged, and removed. The caller saw a miss.
    case damaged(key: CacheKey?, reason: String)

    /// The engine asked for cannot be used, so another one is: `reason` says why.
    case fellBack(reason: String)

    /// The store began empty because what was there was written by another version of the application or of Tango.
    case outdated(reason: String)

    /// Entries were removed to make room, or because of their age.
    case evicted(count: Int, bytes: Int)

    /// Files that a killed process had left were removed.
    case swept(files: Int)

    /// Work in the background failed. No entry is lost by it; it is tried again.
    case failed(CacheError)
}

extension CacheEvent: CustomStringConvertible {
    public var description: String {
        switch self {
        case .reset(let reason, let folder?): "the cache began anew: \(reason); the old one is in \(folder.path)"
        case .reset(let reason, nil): "the cache began anew: \(reason)"
        case .damaged(let key?, let reason): "the entry \(key) was damaged and is removed: \(reason)"
        case .damaged(nil, let reason): "an entry was damaged and is removed: \(reason)"
        case .fellBack(let reason): "another engine is used: \(reason)"
        case .outdated(let reason): "the cache starts empty: \(reason)"
        case .evicted(let count, let bytes): "\(count) entries of \(bytes) bytes were removed to make room"
        case .swept(let files): "\(files) files of a process that ended early were removed"
        case .failed(let error): "work in the background failed: \(error)"
        }
    }
}

/// What all stores report that were not given an `onEvent` of their own.
///
/// The default prints, in debug builds, what an application developer should know of: that a cache was damaged, began
/// empty or uses another engine, or that work in the background failed.
public enum CacheEvents {
    private static let hook = Hook(standard)

    /// Hears of every event of such a store, on any thread. Set it once, early.
    public static var onEvent: @Sendable (CacheEvent) -> Void {
        get { hook.report }
        set { hook.report = newValue }
    }

    private static func standard(_ event: CacheEvent) {
        #if DEBUG
            switch event {
            case .evicted, .swept: break
            default: print("Tango cache: \(event)")
            }
        #endif
    }
}
