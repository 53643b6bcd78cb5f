import Synchronization

/// The portions of a request body that is not entirely in memory.
public struct RequestStream: Sendable {
    /// Reads the next portion; nil at the end. Only one task at a time may call it.
    package typealias Reader = @concurrent () async throws -> Data?

    /// The total number of bytes; nil if it is unknown.
    public let length: Int?
    /// A Boolean value that indicates whether more than one reader can be made.
    public let isReplayable: Bool
    private let make: @Sendable () throws -> Reader

    init<Portions: AsyncSequence & Sendable>(_ portions: Portions, length: Int?) where Portions.Element == Data {
        let isTaken = Taken()
        self.init(length: length, isReplayable: false) {
            guard isTaken.take() else {
                throw RequestError(
                    .bodyNotReplayable, phase: .send,
                    detail: "the body is a stream that was read before: "
                        + "to send it again, make it with a closure, `.stream { … }`")
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

    /// Creates a reader that starts at the beginning, and returns nil at the end. A transport calls it once for each
    /// transmission. Only one task at a time may call the reader.
    ///
    /// If the stream has another number of bytes than ``length``, the reader throws ``RequestError/Code/badBody``. It returns
    /// the last portion once the stream has ended. So no server takes a wrong body for a complete one, unless the length is 0:
    /// a transport then reads the stream to its end before it sends the request.
    ///
    /// - Throws: ``RequestError/Code/bodyNotReplayable`` if a sequence has been read already. Otherwise the server
    ///   would take the rest of it for the whole body.
    public func makeReader() throws -> @concurrent () async throws -> Data? {
        let next = try make()
        guard let announced = length else { return next }
        var length = AnnouncedLength(announced)
        var isOver = false
        return {
            guard !isOver else { return nil }
            guard let portion = try await next() else {
                try length.end()
                return nil
            }
            try length.add(portion.count)
            guard length.isReached else { return portion }
            while let excess = try await next() { try length.add(excess.count) }
            isOver = true
            return portion
        }
    }

    private static func reader<Portions: AsyncSequence>(of portions: Portions) -> Reader
    where Portions.Element == Data {
        var iterator = portions.makeAsyncIterator()
        return { try await iterator.next() }
    }
}

/// A flag that grants a sequence to the first reader.
private final class Taken: Sendable {
    private let isTaken = Atomic<Bool>(false)

    /// Returns true on the first call only.
    func take() -> Bool {
        !isTaken.exchange(true, ordering: .relaxed)
    }
}
