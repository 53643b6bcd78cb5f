/// An event inside a store that is not an error of a call.
public enum CacheEvent: Sendable {
    /// The database was damaged. It was set aside in the named folder, and the store starts empty.
    case reset(reason: String, setAside: URL?)

    /// A damaged entry was found and removed. The caller got a miss.
    case damaged(key: CacheKey?, reason: String)

    /// The disk cannot be used, so ``CacheStore/shared`` keeps entries in memory and tries again. `reason` gives the
    /// cause.
    case fellBack(reason: String)

    /// The store starts empty, because another version of the application or of Tango wrote the old content.
    case outdated(reason: String)

    /// Entries were evicted, or removed because of their age.
    case evicted(count: Int, bytes: Int)

    /// Files that a killed process had left were removed.
    case swept(files: Int)

    /// Work in the background failed and is retried. No entry is lost.
    case failed(CacheError)
}

extension CacheEvent: CustomStringConvertible {
    public var description: String {
        switch self {
        case .reset(let reason, let folder?): "the cache starts empty: \(reason); the old one is in \(folder.path)"
        case .reset(let reason, nil): "the cache starts empty: \(reason)"
        case .damaged(let key?, let reason): "the entry \(key) was damaged and removed: \(reason)"
        case .damaged(nil, let reason): "an entry was damaged and removed: \(reason)"
        case .fellBack(let reason):
            "entries stay in memory, because the disk cannot be used; opening is retried: \(reason)"
        case .outdated(let reason): "the cache starts empty: \(reason)"
        case .evicted(let count, let bytes): "\(count) entries of \(bytes) bytes were evicted"
        case .swept(let files): "\(files) files of a killed process were removed"
        case .failed(let error): "work in the background failed: \(error)"
        }
    }
}

/// The hook for events of all stores that have no `onEvent` of their own.
///
/// In debug builds, the default prints the events that an application developer should know. A cache was damaged,
/// starts empty or stays in memory, or work in the background failed.
public enum CacheEvents {
    private static let hook = Hook(standard)

    /// Called with every event of such a store, on any thread. Set it once, when your application starts.
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
