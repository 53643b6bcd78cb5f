#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How JSON becomes values and values become JSON: the coders that a client shares among its requests.
///
/// ```swift
/// let coding = JSONCoding(
///     makeDecoder: {
///         let decoder = JSONDecoder()
///         decoder.keyDecodingStrategy = .convertFromSnakeCase
///         decoder.dateDecodingStrategy = .iso8601
///         return decoder
///     })
/// ```
public struct JSONCoding: Sendable {
    private let makeDecoder: @Sendable () -> JSONDecoder
    private let makeEncoder: @Sendable () -> JSONEncoder

    /// Uses these coders for everything. They are not to be changed afterwards.
    public init(decoder: JSONDecoder = JSONDecoder(), encoder: JSONEncoder = JSONEncoder()) {
        self.init(makeDecoder: { decoder }, makeEncoder: { encoder })
    }

    /// Makes coders anew for each use, on any thread.
    public init(
        makeDecoder: @escaping @Sendable () -> JSONDecoder,
        makeEncoder: @escaping @Sendable () -> JSONEncoder = { JSONEncoder() }
    ) {
        self.makeDecoder = makeDecoder
        self.makeEncoder = makeEncoder
    }

    /// Coders as they are when nothing is set.
    public static let `default` = JSONCoding()

    /// The decoder that all share, or a new one, as was said when this was made.
    public var decoder: JSONDecoder { makeDecoder() }
    /// The encoder that all share, or a new one, as was said when this was made.
    public var encoder: JSONEncoder { makeEncoder() }
}

/// What a serializer may use besides the response.
public struct SerializationContext: Sendable {
    /// The coders of the client, for serializers that have none of their own.
    public var json: JSONCoding

    public init(json: JSONCoding = .default) {
        self.json = json
    }
}
