/// The types of outputs that can be stored as models, because looking up what a type conforms to takes long.
private let models = TypeTable<Bool>()

/// Encodes outputs for the cache, and decodes them.
///
/// The coders of a client fit its server. They may be unable to decode what they encode, such as dates in a format of
/// the server. The coders of this type decode what they encode. From the client's coders, they take only the
/// `userInfo`.
struct ModelCoding<Output: Sendable>: Sendable {
    let json: JSONCoding

    /// A Boolean value that indicates whether outputs can be stored as models.
    static var isPossible: Bool {
        models.value(for: Output.self) { Output.self is any (Codable & SendableMetatype).Type }
    }

    /// Returns the bytes of an output.
    func encode(_ output: Output) throws -> Data {
        guard let model = output as? any Encodable else { throw NoModel() }
        let encoder = JSONEncoder()
        encoder.userInfo = json.encoder.userInfo
        // Equal models must have equal bytes.
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: Self.infinity, negativeInfinity: "-\(Self.infinity)", nan: Self.nan)
        return try encoder.encode(Boxed(content: model))
    }

    /// Returns the output that was encoded as some bytes.
    func decode(_ bytes: Data) throws -> Output {
        guard let type = Output.self as? any (Decodable & SendableMetatype).Type else { throw NoModel() }
        let decoder = JSONDecoder()
        decoder.userInfo = json.decoder.userInfo
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: Self.infinity, negativeInfinity: "-\(Self.infinity)", nan: Self.nan)
        guard let output = try decode(type, from: bytes, by: decoder) as? Output else { throw NoModel() }
        return output
    }

    private func decode<Model: Decodable>(_ type: Model.Type, from bytes: Data, by decoder: JSONDecoder) throws -> Any {
        try decoder.decode(Opened<Model>.self, from: bytes).content
    }

    private static var infinity: String { "inf" }
    private static var nan: String { "nan" }

    private struct NoModel: Error {}
}

/// A model in an array of its own, so that nil and text are JSON documents too.
private struct Boxed: Encodable {
    let content: any Encodable

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(content)
    }
}

private struct Opened<Model: Decodable>: Decodable {
    let content: Model

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        content = try container.decode(Model.self)
    }
}
