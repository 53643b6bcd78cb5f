import Synchronization
import TangoPromise

/// Whether a type may be decoded on this thread.
///
/// In a module whose default isolation is the main actor, the conformance of a plain `struct User: Codable` is isolated to that
/// actor: the compiler assumes that its `init(from:)` runs there. Responses are decoded elsewhere. A cast to `Decodable` of
/// the type itself does not see the isolation, the cast of a value with a conditional conformance does.
enum DecodingIsolation {
    fileprivate struct Probe<Output> {}

    /// Types that were found to be decodable on another thread than the main one, which is what costs time.
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
                "\(type) may be decoded by the main actor only, because that is the default isolation of its module, and "
                + "responses are decoded on other threads: declare the type `nonisolated`, as in `nonisolated struct`")
    }
}

private protocol DecodableProbe {}
extension DecodingIsolation.Probe: DecodableProbe where Output: Decodable {}
