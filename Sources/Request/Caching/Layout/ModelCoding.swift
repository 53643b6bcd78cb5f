#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes outputs as they are, and reads them back.
///
/// The coders of a client are for what a server writes: often they only read, as with a date in a form that the server
/// likes, and what they would write they could not read. These write what they read, whatever the client's do. What a type
/// asks its coder for, its `userInfo`, they take from the client's.
struct ModelCoding<Output: Sendable>: Sendable {
    let json: JSONCoding

    /// Whether an output can be kept as a model at all.
    static var isPossible: Bool { Output.self is any (Codable & SendableMetatype).Type }

    /// The bytes of an output.
    func encode(_ output: Output) throws -> Data {
        guard let model = output as? any Encodable else { throw NoModel() }
        let encoder = JSONEncoder()
        encoder.userInfo = json.encoder.userInfo
        // The same model is to be the same bytes.
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: Self.infinity, negativeInfinity: "-\(Self.infinity)", nan: Self.nan)
        return try encoder.encode(Boxed(content: model))
    }

    /// The output that was written as some bytes.
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

/// A model in an array of its own, so that one which is nil or text is a document too.
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
