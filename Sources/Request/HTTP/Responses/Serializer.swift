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
    private let make: @Sendable (HTTPResponse, SerializationContext) throws -> Output
    /// The error if there is no serializer. It is thrown before anything is sent.
    package private(set) var refusal: (any Error)?
    /// A check that runs off the main thread before anything is sent.
    private(set) var check: (@Sendable () throws -> Void)?
    /// The conversion, if it can be compared. Serializers with the same output and form have the same results.
    package internal(set) var form: SerializerForm?
    /// The way in which the response is delivered while its body arrives; nil for whole bodies.
    private(set) var streaming: Streaming?

    /// Creates a serializer from a closure.
    public init(_ make: @escaping @Sendable (HTTPResponse) throws -> Output) {
        self.make = { response, _ in try make(response) }
    }

    /// Creates a serializer from a closure that uses the coders of the client.
    public init(_ make: @escaping @Sendable (HTTPResponse, SerializationContext) throws -> Output) {
        self.make = make
    }

    init(
        check: @escaping @Sendable () throws -> Void,
        _ make: @escaping @Sendable (HTTPResponse, SerializationContext) throws -> Output
    ) {
        self.make = make
        self.check = check
    }

    private init(
        _ streaming: Streaming, _ make: @escaping @Sendable (HTTPResponse, SerializationContext) throws -> Output
    ) {
        self.make = make
        self.streaming = streaming
    }

    /// Creates a serializer that gets the response as soon as its head has arrived. The body is in
    /// ``HTTPResponse/stream``.
    ///
    /// The call goes on until the body has ended, or is released: see ``StreamedOutput``.
    public static func streaming(
        _ make: @escaping @Sendable (HTTPResponse, SerializationContext) throws -> Output
    ) -> Self {
        Self(Streaming(), make)
    }

    static func streaming(
        _ streaming: Streaming, _ make: @escaping @Sendable (HTTPResponse, SerializationContext) throws -> Output
    ) -> Self {
        Self(streaming, make)
    }

    init(refusal: RequestError) {
        make = { _, _ in throw refusal }
        self.refusal = refusal
    }

    /// Converts a response whose body has been collected.
    ///
    /// - Throws: A ``RequestError`` with the response. An error of another type becomes its ``RequestError/underlying``
    ///   error.
    public func serialize(
        _ response: HTTPResponse, context: SerializationContext = SerializationContext()
    ) throws -> Output {
        do {
            return try make(response, context)
        } catch {
            throw RequestError.from(
                error, response: response, code: .notDecodable,
                detail: "the serializer of the request could not make a \(Output.self) of the response")
        }
    }

    /// Returns a serializer that passes its output to a closure.
    public func map<Mapped: Sendable>(
        _ transform: @escaping @Sendable (Output) throws -> Mapped
    ) -> Serializer<Mapped> {
        var mapped = Serializer<Mapped> { response, context in try transform(make(response, context)) }
        mapped.refusal = refusal
        mapped.check = check
        mapped.streaming = streaming
        return mapped
    }

    /// Returns a serializer whose output is nil for a response without a body.
    public var optional: Serializer<Output?> {
        var optional = Serializer<Output?> { response, context in
            response.hasBlankBody ? nil : try make(response, context)
        }
        optional.refusal = refusal
        optional.check = check
        optional.streaming = streaming
        return optional
    }

    /// Returns the same serializer with a form, which makes it comparable.
    func of(_ form: SerializerForm) -> Self {
        var serializer = self
        serializer.form = form
        return serializer
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
