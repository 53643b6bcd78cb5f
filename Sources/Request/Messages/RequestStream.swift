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
        self.init(length: length, isReplayable: false) { Self.reader(of: portions) }
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
    public func makeReader() throws -> Reader {
        try make()
    }

    private static func reader<Portions: AsyncSequence>(of portions: Portions) -> Reader
    where Portions.Element == Data {
        var iterator = portions.makeAsyncIterator()
        return { try await iterator.next() }
    }
}
