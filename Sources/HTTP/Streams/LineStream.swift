/// The lines of a text while they arrive: an output for ``Request``.
///
/// A line feed ends a line, with or without a carriage return before it. Both are left out. A carriage return alone does
/// not end a line. Empty lines are lines; the last line needs no end. The text is UTF-8: invalid bytes become U+FFFD, and a
/// byte order mark at the beginning is left out.
///
/// A line of more than 1 MB throws ``RequestError/Code/elementTooLarge``. For another limit, override the serializer:
/// `override var serializer: Serializer<Lines> { .lines(limit: 65_536) }`.
///
/// See ``StreamedOutput`` for the rules of all streams.
public struct Lines: StreamedOutput {
    public let response: HTTPResponse
    private let stream: BodyStream
    private let limit: Int

    /// The highest number of bytes in a line, unless another one is given.
    public static let defaultLimit = 1 << 20

    /// Creates the lines of a response. For a raw message, send it with ``TransportOptions/Delivery/stream``.
    public init(_ response: HTTPResponse, limit: Int = defaultLimit) {
        self.response = response.head
        self.limit = limit
        stream = response.stream
    }

    public static var serializer: Serializer<Lines> { .lines() }

    public func makeAsyncIterator() -> some AsyncIteratorProtocol<String, any Error> {
        Iterator(reader: StreamedLines(stream, response, limit: limit))
    }

    struct Iterator: AsyncIteratorProtocol {
        let reader: StreamedLines

        mutating func next() async throws -> String? {
            try await reader.next { line, _ in String(decoding: line, as: UTF8.self) }
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> String? {
            try await next()
        }
    }
}

extension Serializer where Output == Lines {
    /// Delivers the lines of a text while they arrive.
    ///
    /// - Parameter limit: The highest number of bytes in a line, without its end.
    public static func lines(limit: Int = Lines.defaultLimit) -> Self {
        .streaming(Streaming(problem: SettingProblem.low("the limit of lines", limit))) { response, _ in
            Lines(response, limit: limit)
        }
    }
}

/// Reads lines from a body. Releasing it closes the connection.
final class StreamedLines {
    private let reader: BodyStream.Reader
    private let response: HTTPResponse
    private var splitter: LineSplitter
    private var isOver = false

    init(_ stream: BodyStream, _ response: HTTPResponse, limit: Int) {
        reader = stream.reader()
        self.response = response
        splitter = LineSplitter(limit: limit)
    }

    /// Returns the result of a closure that gets the next line and its number; nil at the end.
    func next<Result>(_ make: (UnsafeRawBufferPointer, Int) throws -> Result) async throws -> Result? {
        do {
            while !isOver {
                let number = splitter.count + 1
                if let result = try splitter.next({ try make($0, number) }) { return result }
                try await readPortion()
            }
            let number = splitter.count + 1
            return try splitter.next { try make($0, number) }
        } catch {
            let error = (error as? ElementExcess)?.error(response) ?? error
            isOver = true
            splitter = LineSplitter(limit: splitter.limit)
            reader.fail(error)
            throw error
        }
    }

    @inline(never)
    private func readPortion() async throws {
        if let portion = try await reader.next() {
            splitter.append(portion)
        } else {
            splitter.end()
            isOver = true
        }
    }
}
