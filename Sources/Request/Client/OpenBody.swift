import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The body of a response that is still on its way when its call has ended, so that its client can end it too.
final class OpenBody: BodySource {
    let id: UInt64
    private let registry: CallRegistry
    private let stream: BodyStream
    private let reader: BodyStream.Reader
    private let failure = Mutex<(any Error)?>(nil)

    private static let lastID = Atomic<UInt64>(0)

    init(_ stream: BodyStream, of registry: CallRegistry) {
        id = Self.lastID.add(1, ordering: .relaxed).newValue
        self.registry = registry
        self.stream = stream
        reader = stream.reader()
        registry.add(self)
    }

    deinit {
        registry.remove(id)
    }

    func next() async throws -> Data? {
        if let failure = failure.withLock({ $0 }) { throw failure }
        do {
            let portion = try await reader.next()
            if portion == nil { registry.remove(id) }
            return portion
        } catch {
            registry.remove(id)
            throw failure.withLock { $0 } ?? error
        }
    }

    /// Ends the body for its reader, and closes its connection.
    func end(_ error: any Error) {
        failure.withLock { $0 = $0 ?? error }
        cancel()
    }

    func cancel() {
        stream.cancel()
        registry.remove(id)
    }

    var ending: BodyStream.Ending? { stream.ending }
}
