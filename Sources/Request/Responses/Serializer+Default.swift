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
        let ready: Any? =
            switch Output.self {
            case is Void.Type: Serializer<Void>.empty
            case is Data.Type: Serializer<Data>.data
            case is String.Type: Serializer<String>.string
            case is HTTPResponse.Type: Serializer<HTTPResponse>.response
            case is Data?.Type: Serializer<Data>.data.optional
            case is String?.Type: Serializer<String>.string.optional
            default: nil
            }
        if let ready = ready as? Self { return ready }
        guard let type = Output.self as? any (Decodable & SendableMetatype).Type else {
            return Self(refusal: noSerializer)
        }
        return Self { response, context in
            let value: Any = try response.decodeJSON(type, at: JSONPath([]), with: context.json.decoder)
            guard let output = value as? Output else { throw noSerializer }
            return output
        }.of(.json([]))
    }

    private static var noSerializer: RequestError {
        RequestError(
            .noSerializer, phase: .prepare,
            detail: "\(Output.self) is not Decodable, so nothing says how it is made of a response: "
                + "override `serializer`, as in `Serializer { response in … }`")
    }
}
