extension Serializer where Output: Decodable {
    /// Decodes JSON with the decoder of the client.
    public static var json: Self { json(decoder: nil, at: JSONPath([])) }

    /// Decodes JSON with your own decoder. Do not change the decoder afterwards.
    public static func json(decoder: JSONDecoder) -> Self {
        json(decoder: decoder, at: JSONPath([]))
    }

    /// Decodes the value at a place in a JSON document, such as the content of an envelope.
    ///
    /// Write the names of the document, even if the decoder converts keys from snake case. If the place is missing or
    /// null, an optional output is nil.
    public static func json(at path: JSONPath, decoder: JSONDecoder? = nil) -> Self {
        json(decoder: decoder, at: path)
    }

    private static func json(decoder: JSONDecoder?, at path: JSONPath) -> Self {
        let form = decoder == nil ? SerializerForm.json(path.names.map(ExactString.init)) : nil
        return Self(
            OutputDecoder(form: form) { response, context in
                try response.decodeJSON(Output.self, at: path, with: decoder ?? context.json.decoder)
            })
    }

    /// Decodes a property list, binary or XML.
    public static var propertyList: Self {
        Self(
            OutputDecoder(form: .propertyList) { response, _ in
                try response.decode(Output.self, as: "property list") {
                    try PropertyListDecoder().decode(Output.self, from: response.body)
                }
            })
    }
}

extension Serializer where Output == JSONValue {
    /// Decodes a JSON document that is an object.
    public static var jsonObject: Self {
        json.checked { value in
            guard case .object = value else { return "an object" }
            return nil
        }
    }

    /// Decodes a JSON document that is an array.
    public static var jsonArray: Self {
        json.checked { value in
            guard case .array = value else { return "an array" }
            return nil
        }
    }

    /// Throws for values for which the closure returns the expected kind.
    private func checked(_ expected: @escaping @Sendable (JSONValue) -> String?) -> Self {
        map { value in
            guard let expected = expected(value) else { return value }
            let problem = DecodingProblem(path: "", expected: expected, found: value.kind)
            throw RequestError(.notDecodable, phase: .decode, detail: problem.description, underlying: problem)
        }
    }
}

extension HTTPResponse {
    /// Decodes the value at a place in the body.
    func decodeJSON<Value: Decodable>(
        _ type: Value.Type, at path: JSONPath, with decoder: JSONDecoder
    ) throws -> Value {
        try decode(type, as: "JSON") {
            guard !path.names.isEmpty else { return try decoder.decode(type, from: body) }
            return try decodeEnveloped(type, at: path, with: decoder)
        }
    }

    // Not inlined: the generic types of what is rare would be looked up for each response.
    @inline(never)
    private func decodeEnveloped<Value: Decodable>(
        _ type: Value.Type, at path: JSONPath, with decoder: JSONDecoder
    ) throws -> Value {
        do {
            return try decoder.decode(Enveloped<Value>.self, from: body, configuration: path).value
        } catch let missing as MissingPlace {
            if let value = Self.emptyBody(type) { return value }
            throw missing.error
        }
    }

    /// Decodes the body. Throws if the body is empty and the type needs one. Adds the place to decoding errors.
    fileprivate func decode<Value>(_ type: Value.Type, as format: String, _ decode: () throws -> Value) throws -> Value
    {
        if hasBlankBody { return try Self.valueOfEmptyBody(type) }
        do {
            return try decode()
        } catch let error as DecodingError {
            let problem = DecodingProblem(error, format: format, body: body)
            throw RequestError(
                .notDecodable, phase: .decode, detail: "no \(type) in the body: \(problem)", underlying: problem)
        }
    }

    @inline(never)
    private static func valueOfEmptyBody<Value>(_ type: Value.Type) throws -> Value {
        if let value = emptyBody(type) { return value }
        throw RequestError(
            .emptyResponse, phase: .decode,
            detail: "the response has no body, and \(type) needs one: "
                + "make the output optional, or conform it to EmptyBodyRepresentable")
    }
}

/// The path to the value does not exist.
private struct MissingPlace: Error {
    let error: DecodingError
}

/// A value at a place inside a document.
private struct Enveloped<Value: Decodable>: DecodableWithConfiguration {
    let value: Value

    init(from decoder: any Decoder, configuration path: JSONPath) throws {
        var decoder = decoder
        for name in path.names { decoder = try Self.step(from: decoder, to: name) }
        value = try decoder.singleValueContainer().decode(Value.self)
    }

    private static func step(from decoder: any Decoder, to name: String) throws -> any Decoder {
        do {
            if let place = Int(name), var list = try? decoder.unkeyedContainer() {
                guard place >= 0, place < list.count ?? 0 else {
                    throw Self.missing(JSONKey(intValue: place), in: decoder)
                }
                for _ in 0..<place { _ = try list.superDecoder() }
                return try list.superDecoder()
            }
            let fields = try decoder.container(keyedBy: JSONKey.self)
            let key = JSONKey(stringValue: name)
            for key in [key, key.camelCased] where fields.contains(key) { return try fields.superDecoder(forKey: key) }
            throw missing(key, in: decoder)
        } catch let error as DecodingError {
            switch error {
            case .keyNotFound, .valueNotFound: throw MissingPlace(error: error)
            default: throw error
            }
        }
    }

    private static func missing(_ key: JSONKey, in decoder: any Decoder) -> DecodingError {
        .keyNotFound(
            key, DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "there is no such key"))
    }
}

/// A type that has a value for a response without a body, such as 204.
///
/// Decoding any other type from an empty body throws ``RequestError/Code/emptyResponse``.
///
/// ```swift
/// struct Receipt: Decodable, EmptyBodyRepresentable {
///     var number: Int?
///     static var emptyBody: Receipt { Receipt() }
/// }
/// ```
public protocol EmptyBodyRepresentable {
    /// The value for an empty body.
    static var emptyBody: Self { get }
}

extension Optional: EmptyBodyRepresentable {
    public static var emptyBody: Wrapped? { nil }
}

extension HTTPResponse {
    /// A Boolean value that indicates whether the body is empty or contains only white space.
    var hasBlankBody: Bool {
        body.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }

    /// A Boolean value that indicates whether such a response never has a body.
    package var isBodiless: Bool {
        status == .noContent || status == .resetContent || status == .notModified || request?.method == .head
    }

    /// Returns the value of a type for an empty body; nil if it has none.
    static func emptyBody<Output>(_ type: Output.Type) -> Output? {
        guard let type = Output.self as? any EmptyBodyRepresentable.Type else { return nil }
        return type.emptyBody as? Output
    }
}
