/// Makes the output of a request of its response.
///
/// A serializer is a value that runs on some thread, after the response has been checked. It is told by its output what
/// it can be, so that `.json` is enough where a request declares `[Post]`.
///
/// ```swift
/// let users = Serializer<[String]>.json(at: "data.names")
/// let size = Serializer { response in response.body.count }
/// ```
public struct Serializer<Output: Sendable>: Sendable {
    private let make: @Sendable (HTTPResponse, SerializationContext) throws -> Output
    /// Why there is no serializer at all, which can be said before anything is sent.
    package private(set) var refusal: (any Error)?
    /// What is checked on another thread than the main one before anything is sent.
    private(set) var check: (@Sendable () throws -> Void)?
    /// What it does, where that can be compared: two serializers of one output and one form make the same of a response.
    package internal(set) var form: SerializerForm?

    /// Makes the output with a function of one's own.
    public init(_ make: @escaping @Sendable (HTTPResponse) throws -> Output) {
        self.make = { response, _ in try make(response) }
    }

    /// Makes the output with a function of one's own that uses the coders of the client.
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

    init(refusal: RequestError) {
        make = { _, _ in throw refusal }
        self.refusal = refusal
    }

    /// Makes the output of a response whose body has been collected.
    ///
    /// Whatever goes wrong is a ``RequestError`` with the response; an error of another kind is the one below it.
    public func serialize(
        _ response: HTTPResponse, context: SerializationContext = SerializationContext()
    ) throws -> Output {
        do {
            return try make(response, context)
        } catch {
            throw RequestError.from(
                error, response: response, code: .notDecodable,
                detail: "no \(Output.self) could be made of the response")
        }
    }

    /// A serializer that passes its output on to a function.
    public func map<Mapped: Sendable>(
        _ transform: @escaping @Sendable (Output) throws -> Mapped
    ) -> Serializer<Mapped> {
        var mapped = Serializer<Mapped> { response, context in try transform(make(response, context)) }
        mapped.refusal = refusal
        mapped.check = check
        return mapped
    }

    /// A serializer that makes nil of a response without a body.
    public var optional: Serializer<Output?> {
        var optional = Serializer<Output?> { response, context in
            response.hasBlankBody ? nil : try make(response, context)
        }
        optional.refusal = refusal
        optional.check = check
        return optional
    }

    /// The same, which is known to do what others of this form do.
    func of(_ form: SerializerForm) -> Self {
        var serializer = self
        serializer.form = form
        return serializer
    }
}

/// What a serializer does with a response, where that is known.
package enum SerializerForm: Hashable, Sendable {
    case data
    case empty
    case text
    case propertyList
    /// Decodes with the decoder of the client what is at a path.
    case json([ExactString])
}

extension RequestError {
    /// An error that a check or a serializer threw, with the response on which it did.
    static func from(_ error: any Error, response: HTTPResponse, code: Code, detail: String) -> any Error {
        if error is CancellationError { return error }
        var result =
            error as? RequestError ?? RequestError(code, phase: .decode, detail: detail, underlying: error)
        result.response = result.response ?? response
        result.request = result.request ?? response.request
        return result
    }
}
