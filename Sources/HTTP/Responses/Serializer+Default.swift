import Synchronization

/// The decoders of the default serializers. Looking up what a type conforms to takes longer than finding them here.
private let defaults = TypeTable<any AnyObject & Sendable>()

extension Serializer {
    /// The serializer for requests that declare none. It depends on the output:
    ///
    /// - `Void`: ignores the body.
    /// - `Data`: the bytes.
    /// - `String`: the text.
    /// - ``HTTPResponse``: the response.
    /// - Any decodable type: JSON.
    /// - ``ByteStream``, ``Lines``, ``NDJSON`` and ``EventStream``: the sequence, while the body arrives.
    /// - An optional of `Data`, `String` or a decodable type: nil if there is no body.
    ///
    /// For any other output, it throws ``RequestError/Code/noSerializer``.
    public static var `default`: Self {
        let decoder = defaults.value(for: Output.self) { made.decoder }
        return Self(unsafeDowncast(decoder, to: OutputDecoder<Output>.self))
    }

    private static var made: Self {
        if let ready { return ready }
        guard let type = Output.self as? any (Decodable & SendableMetatype).Type else {
            let refusal = noSerializer
            return Self(OutputDecoder(refusal: refusal) { _, _ in throw refusal })
        }
        let isolation = DecodingIsolation(of: Output.self)
        return Self(
            OutputDecoder(isolation: isolation, form: .json([])) { response, context in
                try isolation.check()
                return try decode(type, of: response, with: context.json.decoder)
            })
    }

    /// The serializer for an output that is not JSON; nil for other outputs.
    private static var ready: Self? {
        let ready: Any
        switch Output.self {
        case is Void.Type: ready = Serializer<Void>.empty
        case is Data.Type: ready = Serializer<Data>.data
        case is String.Type: ready = Serializer<String>.string
        case is HTTPResponse.Type: ready = Serializer<HTTPResponse>.response
        case is Data?.Type: ready = Serializer<Data>.data.optional
        case is String?.Type: ready = Serializer<String>.string.optional
        case let type as any StreamedOutput.Type: ready = type.anySerializer
        default: return nil
        }
        return ready as? Self
    }

    /// Decodes the output as `Decoded`, which is the same type and known to be decodable.
    private static func decode<Decoded: Decodable>(
        _ type: Decoded.Type, of response: HTTPResponse, with decoder: JSONDecoder
    ) throws -> Output {
        let value = try response.decodeJSON(type, at: JSONPath([]), with: decoder)
        // The types are the same. A checked cast would allocate memory for each large value.
        if Decoded.self == Output.self { return unsafeBitCast(value, to: Output.self) }
        throw noSerializer
    }

    private static var noSerializer: RequestError {
        RequestError(
            .noSerializer, phase: .prepare,
            detail: "\(Output.self) is not Decodable, and the request declares no serializer for it: "
                + "override `serializer`, as in `Serializer { response in … }`")
    }
}

/// Checks whether an output can be decoded off the main thread.
///
/// In a module whose default isolation is the main actor, a plain `struct User: Codable` conforms on that actor only.
/// The compiler assumes that its `init(from:)` runs there, but responses are decoded on other threads. Casting the type
/// to `Decodable` ignores the isolation. Casting a value with a conditional conformance does not, so the check uses
/// such a value.
package final class DecodingIsolation: Sendable {
    fileprivate struct Probe<Output> {}

    private let allows: @Sendable () -> Bool
    private let name: @Sendable () -> String
    private let passed = Atomic(false)

    init<Output: Sendable>(of type: Output.Type) {
        allows = { Probe<Output>() is any DecodableProbe }
        name = { "\(Output.self)" }
    }

    private var hasPassed: Bool { passed.load(ordering: .relaxed) }

    /// A Boolean value that indicates whether the output is known to pass the check. On the main thread, only other threads can have
    /// found that.
    package var isFree: Bool { hasPassed || !Scheduler.isOnMainQueue && (try? check()) != nil }

    var error: RequestError {
        RequestError(
            .noSerializer, phase: .prepare,
            detail:
                "only the main actor may decode \(name()), because that is the default isolation of its module, and "
                + "responses are decoded on other threads: declare the type `nonisolated`, as in `nonisolated struct`")
    }

    /// Throws an error if only the main actor may decode the output. The check is slow, and the main thread learns nothing from it.
    package func check() throws {
        if hasPassed { return }
        guard allows() else { throw error }
        if !Scheduler.isOnMainQueue { passed.store(true, ordering: .relaxed) }
    }
}

private protocol DecodableProbe {}
extension DecodingIsolation.Probe: DecodableProbe where Output: Decodable {}
