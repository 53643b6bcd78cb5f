/// The part of a request that knows the type of its output. It converts outputs, and knows nothing of calls.
protocol Recipe: AnyObject, Sendable {
    var outputType: Any.Type { get }
    /// A Boolean value that indicates whether outputs can be stored by themselves.
    var isModel: Bool { get }

    /// Returns the output of a response that has been validated.
    func output(of response: HTTPResponse, context: SerializationContext) throws -> AnyOutput

    /// Returns whether an output has the type of this recipe.
    func makes(_ output: AnyOutput) -> Bool

    func encode(_ output: AnyOutput, _ json: JSONCoding) throws -> Data
    func decode(_ bytes: Data, _ json: JSONCoding) throws -> AnyOutput

    /// Returns the response that an output is; nil if outputs are something else.
    func response(in output: AnyOutput) -> HTTPResponse?
}

extension Conversion: Recipe {
    var outputType: Any.Type { Output.self }
    var isModel: Bool { ModelCoding<Output>.isPossible }

    func output(of response: HTTPResponse, context: SerializationContext) throws -> AnyOutput {
        OutputBox(try output(of: response, context))
    }

    func makes(_ output: AnyOutput) -> Bool { output is OutputBox<Output> }

    func encode(_ output: AnyOutput, _ json: JSONCoding) throws -> Data {
        try ModelCoding<Output>(json: json).encode(output.value(as: Output.self))
    }

    func decode(_ bytes: Data, _ json: JSONCoding) throws -> AnyOutput {
        OutputBox(try ModelCoding<Output>(json: json).decode(bytes))
    }

    func response(in output: AnyOutput) -> HTTPResponse? {
        output.value(as: Output.self) as? HTTPResponse
    }
}
