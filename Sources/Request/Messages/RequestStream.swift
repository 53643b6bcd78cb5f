import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The portions of a request body that is not all in memory.
public struct RequestStream: Sendable {
    /// Reads the next portion; nil is the end. Belongs to one task at a time.
    public typealias Reader = @concurrent () async throws -> Data?

    /// How many bytes there are in all; nil where that is not known.
    public let length: Int?
    /// Whether a reader can be made more than once.
    public let isReplayable: Bool
    private let make: @Sendable () throws -> Reader

    init<Portions: AsyncSequence & Sendable>(_ portions: Portions, length: Int?) where Portions.Element == Data {
        let isTaken = Taken()
        self.init(length: length, isReplayable: false) {
            guard isTaken.take() else {
                throw RequestError(
                    .bodyNotReplayable, phase: .send,
                    detail: "the body is a stream that has been read before: "
                        + "a closure that makes it, `.stream { … }`, can be called again")
            }
            return Self.reader(of: portions)
        }
    }

    init<Portions: AsyncSequence & SendableMetatype>(
        length: Int?, making make: @escaping @Sendable () throws -> Portions
    )
    where Portions.Element == Data {
        self.init(length: length, isReplayable: true) { Self.reader(of: try make()) }
    }

    package init(length: Int?, isReplayable: Bool, makeReader: @escaping @Sendable () throws -> Reader) {
        self.length = length
        self.isReplayable = isReplayable
        make = makeReader
    }

    /// Begins at the beginning. A transport calls it once for each time it sends the request.
    ///
    /// Throws ``RequestError/Code/bodyNotReplayable`` where there is no beginning any more: what is left of a sequence would
    /// look like a whole body.
    public func makeReader() throws -> Reader {
        try make()
    }

    private static func reader<Portions: AsyncSequence>(of portions: Portions) -> Reader
    where Portions.Element == Data {
        var iterator = portions.makeAsyncIterator()
        return { try await iterator.next() }
    }
}

/// Whether a sequence that can be read once was given to a reader.
private final class Taken: Sendable {
    private let isTaken = Atomic<Bool>(false)

    /// Returns true once.
    func take() -> Bool {
        !isTaken.exchange(true, ordering: .relaxed)
    }
}
