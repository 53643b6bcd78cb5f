import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A body that is in memory, read as one portion.
final class PresentBody: BodySource {
    private let rest: Mutex<Data?>

    init(_ data: Data) {
        rest = Mutex(data.isEmpty ? nil : data)
    }

    func next() async throws -> Data? {
        rest.withLock { rest in
            defer { rest = nil }
            return rest
        }
    }

    func cancel() {
        rest.withLock { $0 = nil }
    }

    var ending: BodyStream.Ending? {
        rest.withLock { $0 == nil } ? BodyStream.Ending() : nil
    }
}
