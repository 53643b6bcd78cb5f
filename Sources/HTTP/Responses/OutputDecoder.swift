/// The place of a body that a serializer does not read from memory. Modules above say what it is.
package protocol BodyReceiver: Sendable {}

/// The content of a serializer: the conversion of a response, and what has to be known before a response arrives.
package final class OutputDecoder<Output: Sendable>: Sendable {
    let make: @Sendable (HTTPResponse, SerializationContext) throws -> Output
    /// The error if there is no serializer. It is thrown before anything is sent.
    package let refusal: (any Error)?
    /// A check that runs off the main thread before anything is sent.
    package let check: (@Sendable () throws -> Void)?
    /// The conversion, if it can be compared.
    package let form: SerializerForm?
    /// The way in which the response is delivered while its body arrives; nil for whole bodies.
    package let streaming: Streaming?
    /// The receiver of the body in place of memory, such as a file; nil for most.
    package let receiver: (any BodyReceiver)?

    package init(
        refusal: (any Error)? = nil, check: (@Sendable () throws -> Void)? = nil, form: SerializerForm? = nil,
        streaming: Streaming? = nil, receiver: (any BodyReceiver)? = nil,
        _ make: @escaping @Sendable (HTTPResponse, SerializationContext) throws -> Output
    ) {
        self.make = make
        self.refusal = refusal
        self.check = check
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
        OutputDecoder<Converted>(refusal: refusal, check: check, streaming: streaming, receiver: receiver, make)
    }
}
