/// The values of a body with a JSON document in each line, decoded while they arrive: an output for ``Request``.
///
/// ```swift
/// final class GetRows: Request<NDJSON<Row>> {
///     override var endpoint: Endpoint { .get("/rows") }
/// }
/// ```
///
/// Blank lines are skipped. A line that is not a value throws ``RequestError/Code/notDecodable`` with the number of the
/// line and closes the connection. The limit of a line is that of ``Lines``. The decoder is that of the client.
///
/// See ``StreamedOutput`` for the rules of all streams.
public struct NDJSON<Value: Decodable & Sendable>: StreamedOutput {
    public let response: HTTPResponse
    private let stream: BodyStream
    private let limit: Int
    private let json: JSONCoding

    /// Creates the values of a response. For a raw message, send it with ``TransportOptions/Delivery/stream``.
    public init(_ response: HTTPResponse, limit: Int = Lines.defaultLimit, json: JSONCoding = .default) {
        self.response = response.head
        self.limit = limit
        self.json = json
        stream = response.stream
    }

    public static var serializer: Serializer<NDJSON> { .ndjson() }

    public func makeAsyncIterator() -> some AsyncIteratorProtocol<Value, any Error> {
        Iterator(reader: StreamedLines(stream, response, limit: limit), decoder: json.decoder, response: response)
    }

    struct Iterator: AsyncIteratorProtocol {
        let reader: StreamedLines
        let decoder: JSONDecoder
        let response: HTTPResponse

        mutating func next() async throws -> Value? {
            let (decoder, response) = (decoder, response)
            while let value = try await reader.next({ line, number -> Value? in
                guard let data = JSONLine.data(line) else { return nil }
                do {
                    return try decoder.decode(Value.self, from: data)
                } catch {
                    throw JSONLine.error(error, data, Value.self, "line \(number)", response)
                }
            }) {
                if let value { return value }
            }
            return nil
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
            try await next()
        }
    }
}

extension Serializer {
    /// Decodes a JSON document in each line while the lines arrive.
    ///
    /// - Parameters:
    ///   - limit: The highest number of bytes in a line, without its end.
    ///   - json: The coders; nil for those of the client.
    public static func ndjson<Value>(limit: Int = Lines.defaultLimit, json: JSONCoding? = nil) -> Self
    where Output == NDJSON<Value> {
        .streaming(Streaming(problem: SettingProblem.low("the limit of ndjson", limit))) { response, context in
            NDJSON(response, limit: limit, json: json ?? context.json)
        }
    }
}

/// A JSON document that is a part of a streamed body.
package enum JSONLine {
    /// Returns the bytes of a line; nil if it is blank.
    static func data(_ line: UnsafeRawBufferPointer) -> Data? {
        guard let first = line.first else { return nil }
        // A document begins with a visible character, so mostly the first byte decides.
        if first <= 0x20, line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
        return Data(line)
    }

    /// Returns the error of a document that could not be decoded.
    package static func error(
        _ error: any Error, _ data: Data, _ type: Any.Type, _ place: String, _ response: HTTPResponse
    ) -> any Error {
        guard let error = error as? DecodingError else {
            return RequestError.from(
                error, response: response, code: .notDecodable, detail: "\(place) of the body could not be decoded")
        }
        let problem = DecodingProblem(error, format: "JSON", body: data)
        return RequestError(
            .notDecodable, phase: .decode, detail: "no \(type) in \(place) of the body: \(problem)",
            request: response.request, response: response, underlying: problem)
    }
}
