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
        let refusal = streaming.problem.map { RequestError(.badPolicy, phase: .prepare, detail: $0) }
        return Self(OutputDecoder(refusal: refusal, streaming: streaming, make))
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

/// The place of a body that a serializer does not read from memory. Modules above say what it is.
package protocol BodyReceiver: Sendable {}

/// The content of a serializer: the conversion of a response, and what has to be known before a response arrives.
package final class OutputDecoder<Output: Sendable>: Sendable {
    let make: @Sendable (HTTPResponse, SerializationContext) throws -> Output
    /// The error if there is no serializer. It is thrown before anything is sent.
    package let refusal: (any Error)?
    /// The check of the type's isolation, which is made off the main thread before anything is sent.
    package let isolation: DecodingIsolation?
    /// The conversion, if it can be compared.
    package let form: SerializerForm?
    /// The way in which the response is delivered while its body arrives; nil for whole bodies.
    package let streaming: Streaming?
    /// The receiver of the body in place of memory, such as a file; nil for most.
    package let receiver: (any BodyReceiver)?

    package init(
        refusal: (any Error)? = nil, isolation: DecodingIsolation? = nil, form: SerializerForm? = nil,
        streaming: Streaming? = nil, receiver: (any BodyReceiver)? = nil,
        _ make: @escaping @Sendable (HTTPResponse, SerializationContext) throws -> Output
    ) {
        self.make = make
        self.refusal = refusal
        self.isolation = isolation
        self.form = form
        self.streaming = streaming
        self.receiver = receiver
    }

    /// Returns the output of a response, or throws a ``RequestError`` with the response.
    package func output(of response: HTTPResponse, _ context: SerializationContext) throws -> Output {
        do {
            return try make(response, context)
        } catch {
            throw RequestError.from(
                error, response: response, code: .notDecodable,
                detail: "the serializer of the request could not make a \(Output.self) of the response")
        }
    }

    /// Returns a decoder of something else, under the same conditions.
    func converted<Converted: Sendable>(
        _ make: @escaping @Sendable (HTTPResponse, SerializationContext) throws -> Converted
    ) -> OutputDecoder<Converted> {
        OutputDecoder<Converted>(refusal: refusal, isolation: isolation, streaming: streaming, receiver: receiver, make)
    }
}
