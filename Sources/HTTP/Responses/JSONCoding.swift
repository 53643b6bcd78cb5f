/// The JSON coders that the requests of a client share.
///
/// By default, dates are written as in queries, `2025-01-31T12:00:00.500Z`. They are read with or without a fraction of
/// a second, in UTC or with an offset. Your own coders have their own strategies. To keep some of the defaults, start
/// with ``makeDefaultDecoder()`` or ``makeDefaultEncoder()``.
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

    /// Creates a coding that always uses these coders, or the default coders for those that are nil. Do not change the
    /// coders afterwards.
    public init(decoder: JSONDecoder? = nil, encoder: JSONEncoder? = nil) {
        let decoder = decoder ?? Self.makeDefaultDecoder()
        let encoder = encoder ?? Self.makeDefaultEncoder()
        makeDecoder = { decoder }
        makeEncoder = { encoder }
    }

    /// Creates a coding that makes a decoder for each use, on any thread, and shares the default encoder.
    public init(makeDecoder: @escaping @Sendable () -> JSONDecoder) {
        let encoder = Self.makeDefaultEncoder()
        self.init(makeDecoder: makeDecoder, makeEncoder: { encoder })
    }

    /// Creates a coding that makes an encoder for each use, on any thread, and shares the default decoder.
    public init(makeEncoder: @escaping @Sendable () -> JSONEncoder) {
        let decoder = Self.makeDefaultDecoder()
        self.init(makeDecoder: { decoder }, makeEncoder: makeEncoder)
    }

    /// Creates a coding that makes coders for each use, on any thread.
    public init(
        makeDecoder: @escaping @Sendable () -> JSONDecoder, makeEncoder: @escaping @Sendable () -> JSONEncoder
    ) {
        self.makeDecoder = makeDecoder
        self.makeEncoder = makeEncoder
    }

    /// The default coders.
    public static let `default` = JSONCoding()

    /// Returns a decoder that reads dates in ISO 8601, with or without a fraction of a second.
    public static func makeDefaultDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self), let date = ISO8601.date(text) { return date }
            throw DecodingError.typeMismatch(
                Date.self,
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "expected a date in ISO 8601: for other formats, give the client a "
                        + "JSONCoding with a date strategy"))
        }
        return decoder
    }

    /// Returns an encoder that writes dates in ISO 8601, with milliseconds if there are any.
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

    /// The shared decoder, or a new one.
    public var decoder: JSONDecoder { makeDecoder() }
    /// The shared encoder, or a new one.
    public var encoder: JSONEncoder { makeEncoder() }
}

/// The values that a serializer may use in addition to the response.
public struct SerializationContext: Sendable {
    /// The coders of the client, for serializers without their own.
    public var json: JSONCoding

    public init(json: JSONCoding = .default) {
        self.json = json
    }
}
