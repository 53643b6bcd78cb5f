/// An output of a response, without its type.
class AnyOutput: @unchecked Sendable {
    // Unchecked: its only subclass is constant.

    fileprivate init() {}

    /// The value. The caller knows its type: see ``AnyOutputDecoder/decodes(_:)``.
    final func value<Output: Sendable>(as type: Output.Type) -> Output {
        unsafeDowncast(self, to: TypedOutput<Output>.self).value
    }
}

/// An output with its type.
final class TypedOutput<Output: Sendable>: AnyOutput, @unchecked Sendable {
    let value: Output

    init(_ value: Output) {
        self.value = value
    }
}

/// The part of a request that knows the type of its output. It decodes outputs, and knows nothing of calls.
protocol AnyOutputDecoder: AnyObject, Sendable {
    var outputType: Any.Type { get }
    /// A Boolean value that indicates whether outputs can be stored by themselves.
    var isModel: Bool { get }

    /// Returns the output of a response that has been validated.
    func output(of response: HTTPResponse, context: SerializationContext) throws -> AnyOutput

    /// Returns whether an output has the type of this decoder.
    func decodes(_ output: AnyOutput) -> Bool

    func encode(_ output: AnyOutput, _ json: JSONCoding) throws -> Data
    func decode(_ bytes: Data, _ json: JSONCoding) throws -> AnyOutput

    /// Returns the response that an output is; nil if outputs are something else.
    func response(in output: AnyOutput) -> HTTPResponse?
}

extension OutputDecoder: AnyOutputDecoder {
    var outputType: Any.Type { Output.self }
    var isModel: Bool { ModelCoding<Output>.isPossible }

    func output(of response: HTTPResponse, context: SerializationContext) throws -> AnyOutput {
        TypedOutput(try output(of: response, context))
    }

    func decodes(_ output: AnyOutput) -> Bool { output is TypedOutput<Output> }

    func encode(_ output: AnyOutput, _ json: JSONCoding) throws -> Data {
        try ModelCoding<Output>(json: json).encode(output.value(as: Output.self))
    }

    func decode(_ bytes: Data, _ json: JSONCoding) throws -> AnyOutput {
        TypedOutput(try ModelCoding<Output>(json: json).decode(bytes))
    }

    func response(in output: AnyOutput) -> HTTPResponse? {
        output.value(as: Output.self) as? HTTPResponse
    }
}
