/// Converts a response to the output of a request.
///
/// A serializer is a value. It runs on a background thread, after the response has been validated. The output
/// determines its type, so `.json` is enough in a request that declares `[Post]`.
///
/// ```swift
/// let users = Serializer<[String]>.json(at: "data.names")
/// let size = Serializer { response in response.body.count }
/// ```
public struct Serializer<Output: Sendable>: Sendable {
    package let decoder: OutputDecoder<Output>

    init(_ decoder: OutputDecoder<Output>) {
        self.decoder = decoder
    }

    /// Creates a serializer from a closure.
    public init(_ make: @escaping @Sendable (HTTPResponse) throws -> Output) {
        decoder = OutputDecoder { response, _ in try make(response) }
    }

    /// Creates a serializer from a closure that uses the coders of the client.
    public init(_ make: @escaping @Sendable (HTTPResponse, SerializationContext) throws -> Output) {
        decoder = OutputDecoder(make)
    }

    /// Creates a serializer that gets the response as soon as its head has arrived. The body is in
    /// ``HTTPResponse/stream``.
    ///
    /// The call goes on until the body has ended, or is released: see ``StreamedOutput``.
    public static func streaming(
        _ make: @escaping @Sendable (HTTPResponse, SerializationContext) throws -> Output
    ) -> Self {
        streaming(Streaming(), make)
    }

    /// Creates a serializer of responses whose body is received elsewhere.
    package static func receiving(
        _ receiver: some BodyReceiver, _ make: @escaping @Sendable (HTTPResponse, SerializationContext) throws -> Output
    ) -> Self {
        Self(OutputDecoder(receiver: receiver, make))
    }

    package static func streaming(
        _ streaming: Streaming, _ make: @escaping @Sendable (HTTPResponse, SerializationContext) throws -> Output
    ) -> Self {
        Self(OutputDecoder(streaming: streaming, make))
    }

    /// The error if there is no serializer. It is thrown before anything is sent.
    package var refusal: (any Error)? { decoder.refusal }
    /// The conversion, if it can be compared. Serializers with the same output and form have the same results.
    package var form: SerializerForm? { decoder.form }

    /// Converts a response whose body has been collected.
    ///
    /// - Throws: A ``RequestError`` with the response. An error of another type becomes its ``RequestError/underlying``
    ///   error.
    public func serialize(
        _ response: HTTPResponse, context: SerializationContext = SerializationContext()
    ) throws -> Output {
        try decoder.output(of: response, context)
    }

    /// Returns a serializer that passes its output to a closure.
    public func map<Mapped: Sendable>(
        _ transform: @escaping @Sendable (Output) throws -> Mapped
    ) -> Serializer<Mapped> {
        Serializer<Mapped>(
            decoder.converted { response, context in try transform(decoder.make(response, context)) })
    }

    /// Returns a serializer whose output is nil for a response without a body.
    public var optional: Serializer<Output?> {
        Serializer<Output?>(
            decoder.converted { response, context in
                response.hasBlankBody ? nil : try decoder.make(response, context)
            })
    }
}

/// The conversion of a serializer, if it is known.
package enum SerializerForm: Hashable, Sendable {
    case data
    case empty
    case text
    case propertyList
    /// Decodes the value at a path with the decoder of the client.
    case json([ExactString])
}

extension RequestError {
    /// Returns the error of a check or a serializer, with its response.
    static func from(_ error: any Error, response: HTTPResponse, code: Code, detail: String) -> any Error {
        if error is CancellationError { return error }
        var result =
            error as? RequestError ?? RequestError(code, phase: .decode, detail: detail, underlying: error)
        result.response = result.response ?? response
        result.request = result.request ?? response.request
        return result
    }
}

extension Serializer where Output == Data {
    /// Returns the bytes of the body.
    public static var data: Self { Self(OutputDecoder(form: .data) { response, _ in response.body }) }
}

extension Serializer where Output == Void {
    /// Ignores the body.
    public static var empty: Self { Self(OutputDecoder(form: .empty) { _, _ in }) }
}

extension Serializer where Output == HTTPResponse {
    /// Returns the response itself.
    public static var response: Self { Self { response in response } }
}
