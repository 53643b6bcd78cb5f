#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Serializer {
    /// What a request uses that declares no serializer, by its output: nothing for `Void`, the bytes for `Data`, text
    /// for `String`, the response for ``HTTPResponse``, and JSON for everything that is decodable. An optional of these
    /// is nil when there is no body.
    ///
    /// For any other output, a serializer that throws ``RequestError/Code/noSerializer``.
    public static var `default`: Self {
        if let ready { return ready }
        guard let type = Output.self as? any (Decodable & SendableMetatype).Type else {
            return Self(refusal: noSerializer)
        }
        return Self(check: checkIsolation) { response, context in
            try checkIsolation()
            return try decode(type, of: response, with: context.json.decoder)
        }
        .of(.json([]))
    }

    private static func checkIsolation() throws {
        guard DecodingIsolation.allows(Output.self) else { throw DecodingIsolation.error(Output.self) }
    }

    /// The one that does without JSON.
    private static var ready: Self? {
        let ready: Any
        switch Output.self {
        case is Void.Type: ready = Serializer<Void>.empty
        case is Data.Type: ready = Serializer<Data>.data
        case is String.Type: ready = Serializer<String>.string
        case is HTTPResponse.Type: ready = Serializer<HTTPResponse>.response
        case is Data?.Type: ready = Serializer<Data>.data.optional
        case is String?.Type: ready = Serializer<String>.string.optional
        default: return nil
        }
        return ready as? Self
    }

    /// Decodes the output by its other name, under which it is known to be decodable.
    private static func decode<Decoded: Decodable>(
        _ type: Decoded.Type, of response: HTTPResponse, with decoder: JSONDecoder
    ) throws -> Output {
        let value = try response.decodeJSON(type, at: JSONPath([]), with: decoder)
        // One type: a cast that is checked would make an allocation of each large value.
        if Decoded.self == Output.self { return unsafeBitCast(value, to: Output.self) }
        throw noSerializer
    }

    private static var noSerializer: RequestError {
        RequestError(
            .noSerializer, phase: .prepare,
            detail: "\(Output.self) is not Decodable, so nothing says how it is made of a response: "
                + "override `serializer`, as in `Serializer { response in … }`")
    }
}
