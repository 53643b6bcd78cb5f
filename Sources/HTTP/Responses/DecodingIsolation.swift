import Synchronization

/// Checks whether a type can be decoded on the current thread.
///
/// In a module whose default isolation is the main actor, a plain `struct User: Codable` conforms on that actor only.
/// The compiler assumes that its `init(from:)` runs there, but responses are decoded on other threads. Casting the type
/// to `Decodable` ignores the isolation. Casting a value with a conditional conformance does not, so the check uses
/// such a value.
enum DecodingIsolation {
    fileprivate struct Probe<Output> {}

    /// The types that can be decoded off the main thread. They are cached, because the check is slow.
    private static let free = Mutex<Set<ObjectIdentifier>>([])

    static func allows<Output>(_ type: Output.Type) -> Bool {
        let id = ObjectIdentifier(type)
        if free.withLock({ $0.contains(id) }) { return true }
        guard Probe<Output>() is any DecodableProbe else { return false }
        if !Scheduler.isOnMainQueue { free.withLock { _ = $0.insert(id) } }
        return true
    }

    static func error<Output>(_ type: Output.Type) -> RequestError {
        RequestError(
            .noSerializer, phase: .prepare,
            detail:
                "only the main actor may decode \(type), because that is the default isolation of its module, and "
                + "responses are decoded on other threads: declare the type `nonisolated`, as in `nonisolated struct`")
    }
}

private protocol DecodableProbe {}
extension DecodingIsolation.Probe: DecodableProbe where Output: Decodable {}
