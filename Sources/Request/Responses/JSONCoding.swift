#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The coders of JSON that a client shares among its requests.
///
/// By default, dates are written as in queries, `2025-01-31T12:00:00.500Z`, and read with or without a fraction of a second, in
/// UTC or with an offset. Coders of your own have strategies of their own: for a part of the defaults, begin with
/// ``makeDefaultDecoder()`` or ``makeDefaultEncoder()``.
///
/// ```swift
/// let coding = JSONCoding(
///     makeDecoder: {
///         let decoder = JSONCoding.makeDefaultDecoder()
///         decoder.keyDecodingStrategy = .convertFromSnakeCase
///         return decoder
///     },
///     makeEncoder: {
///         let encoder = JSONCoding.makeDefaultEncoder()
///         encoder.keyEncodingStrategy = .convertToSnakeCase
///         return encoder
///     })
/// ```
public struct JSONCoding: Sendable {
    private let makeDecoder: @Sendable () -> JSONDecoder
    private let makeEncoder: @Sendable () -> JSONEncoder

    /// Uses these coders for everything, or the default ones in place of those that are left out. They must not be changed
    /// afterwards.
    public init(decoder: JSONDecoder? = nil, encoder: JSONEncoder? = nil) {
        let decoder = decoder ?? Self.makeDefaultDecoder()
        let encoder = encoder ?? Self.makeDefaultEncoder()
        makeDecoder = { decoder }
        makeEncoder = { encoder }
    }

    /// Makes a decoder for each use, on any thread, and shares an encoder.
    public init(makeDecoder: @escaping @Sendable () -> JSONDecoder) {
        let encoder = Self.makeDefaultEncoder()
        self.init(makeDecoder: makeDecoder, makeEncoder: { encoder })
    }

    /// Makes an encoder for each use, on any thread, and shares a decoder.
    public init(makeEncoder: @escaping @Sendable () -> JSONEncoder) {
        let decoder = Self.makeDefaultDecoder()
        self.init(makeDecoder: { decoder }, makeEncoder: makeEncoder)
    }

    /// Makes coders for each use, on any thread.
    public init(
        makeDecoder: @escaping @Sendable () -> JSONDecoder, makeEncoder: @escaping @Sendable () -> JSONEncoder
    ) {
        self.makeDecoder = makeDecoder
        self.makeEncoder = makeEncoder
    }

    /// The default coders.
    public static let `default` = JSONCoding()

    /// A decoder that reads dates in ISO 8601, with or without a fraction of a second.
    public static func makeDefaultDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self), let date = ISO8601.date(text) { return date }
            throw DecodingError.typeMismatch(
                Date.self,
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "a date in ISO 8601 was expected: a client whose server writes others needs a "
                        + "JSONCoding with a date strategy"))
        }
        return decoder
    }

    /// An encoder that writes dates in ISO 8601, with milliseconds if there are any.
    public static func makeDefaultEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            guard let milliseconds = ISO8601.milliseconds(of: date) else {
                throw EncodingError.invalidValue(
                    date,
                    EncodingError.Context(
                        codingPath: encoder.codingPath,
                        debugDescription: "a date outside the years 1 to 9999 cannot be written in ISO 8601"))
            }
            var container = encoder.singleValueContainer()
            try container.encode(ISO8601.text(milliseconds: milliseconds))
        }
        return encoder
    }

    /// The decoder that all share, or a new one.
    public var decoder: JSONDecoder { makeDecoder() }
    /// The encoder that all share, or a new one.
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
