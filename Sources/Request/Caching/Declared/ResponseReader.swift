import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes outputs of cached responses, and encodes outputs as cached responses, for a declared policy.
struct ResponseReader<Output: Sendable>: Sendable {
    let serializer: Serializer<Output>
    let validation: Validation
    let json: JSONCoding
    let hit: CachePolicy.Hit
    /// A Boolean value that indicates whether the output is stored instead of the response.
    let keepsModel: Bool
    let requestType: Any.Type
    /// The maker of the outputs; nil if outputs of the serializer cannot be told apart.
    let maker: Maker?
    let tags: Set<String>
    var hasIdentity = false

    /// The result of a lookup.
    enum Found {
        /// An output, the place of its response, and the object that memory may hold for the next lookup.
        case output(Output, place: Int, Decoded<Output>?)
        case none(StoredState, CacheActivity.Reason)
    }

    /// Returns the output in memory and the place of its response. Nil if there is none, if the response is not fresh,
    /// or if it varies by headers of the request.
    static func peek(
        _ responses: StoredResponses, by maker: Maker, _ hit: CachePolicy.Hit, at now: Double
    ) -> (output: Output, place: Int)? {
        guard let made = responses.made.last(where: { $0.maker == maker }),
            let decoded = made.output as? Decoded<Output>, !decoded.varies,
            let place = responses.all.lastIndex(where: { $0.id == made.response }),
            hit.counts(responses.all[place].times, at: now)
        else { return nil }
        return (decoded.output, place)
    }

    /// Looks up the response to a request.
    func read(_ responses: StoredResponses, for request: HTTPRequest, isStale: Bool, at now: Double) -> Found {
        guard !responses.all.isEmpty else { return .none(.unusable, .unusable) }
        guard let place = responses.all.lastIndex(where: { $0.matches(request.headers) }) else {
            return .none(.nothing, .otherVariant)
        }
        let stored = responses.all[place]
        guard hit.counts(stored.times, at: now) else { return .none(.expired, .expired) }
        if let maker, let made = responses.made.last(where: { $0.response == stored.id && $0.maker == maker }),
            let decoded = made.output as? Decoded<Output>
        {
            return .output(decoded.output, place: place, nil)
        }
        if let model = stored.declared?.model, model != ModelName.of(requestType) {
            return .none(.nothing, .otherVariant)
        }
        let source = ResponseSource.cache(age: stored.times.age(at: now), isStale: isStale)
        guard let output = try? output(of: stored, for: request, source: source) else {
            return .none(.unusable, .unusable)
        }
        return .output(output, place: place, maker.map { Decoded(output, by: $0, varies: !stored.selecting.isEmpty) })
    }

    private func output(of stored: StoredResponse, for request: HTTPRequest, source: ResponseSource) throws -> Output {
        if stored.declared?.model != nil { return try ModelCoding<Output>(json: json).decode(stored.body ?? Data()) }
        var response = stored.response
        response.request = request
        response.source = source
        return try output(of: response)
    }

    /// Makes the output of a response.
    func output(of response: HTTPResponse) throws -> Output {
        let context = SerializationContext(json: json)
        try validation.check(response, context: context)
        return try serializer.serialize(response, context: context)
    }

    /// Returns the form in which the cache stores an output that no server has returned.
    func stored(_ output: Output, for request: HTTPRequest, at now: Double) throws -> StoredResponse {
        if let response = output as? HTTPResponse {
            return stored(response, body: response.body, model: nil, for: request, at: now)
        }
        guard ModelCoding<Output>.isPossible else {
            throw RequestError(
                .notEncodable, phase: .prepare,
                detail: "\(Output.self) is not Codable, so it cannot be stored by itself: make it Codable",
                request: request)
        }
        let body = try ModelCoding<Output>(json: json).encode(output)
        let response = HTTPResponse(status: .ok, reason: "OK")
        return stored(response, body: body, model: ModelName.of(requestType), for: request, at: now)
    }

    /// Returns the form in which the cache stores an output and the response that it was made of.
    func stored(
        _ output: Output, from response: HTTPResponse, for request: HTTPRequest, at now: Double
    ) throws -> StoredResponse {
        guard keepsModel else { return stored(response, body: response.body, model: nil, for: request, at: now) }
        let body = try ModelCoding<Output>(json: json).encode(output)
        return stored(response, body: body, model: ModelName.of(requestType), for: request, at: now)
    }

    private func stored(
        _ response: HTTPResponse, body: Data, model: String?, for request: HTTPRequest, at now: Double
    ) -> StoredResponse {
        let isMoved = response.request.map { $0.url != request.url } ?? false
        // A stored body begins at index 0.
        return StoredResponse(
            status: response.status, reason: response.reason.isPlainLine ? response.reason : "",
            version: response.version, headers: StoredFields.durable(response.headers), requestTime: now,
            responseTime: now, selecting: selecting(response.headers, for: request), tags: tags,
            content: StoredContent(body.startIndex == 0 ? body : Data(body)),
            declared: DeclaredFacts(model: model, isMoved: isMoved))
    }

    /// Returns the fields of a request that have selected a response, apart from those in its key.
    func selecting(_ headers: Headers, for request: HTTPRequest) -> [SelectingField] {
        SelectingField.all(in: headers, for: request.headers, hasIdentity: hasIdentity, isNegotiated: true)
    }

    /// Returns an output as memory holds it beside its response; nil if outputs cannot be told apart.
    func made(_ output: Output, of stored: StoredResponse) -> StoredResponses.Made? {
        maker.map { maker in
            let decoded = Decoded(output, by: maker, varies: !stored.selecting.isEmpty)
            return StoredResponses.Made(response: stored.id, maker: maker, output: decoded)
        }
    }
}

extension ResponseReader {
    init(_ plan: CommonPlan, _ caching: CachePlan, _ serializer: Serializer<Output>) {
        self.init(
            serializer: serializer, validation: plan.validation, json: plan.client.configuration.json,
            hit: caching.policy.hit,
            keepsModel: caching.keepsModel, requestType: plan.requestType,
            maker: Self.maker(plan, caching, serializer), tags: plan.tags,
            hasIdentity: plan.client.configuration.identity != nil)
    }

    /// Returns the maker of the outputs of a call; nil if outputs of the serializer cannot be told apart.
    static func maker(_ plan: CommonPlan, _ caching: CachePlan, _ serializer: Serializer<Output>) -> Maker? {
        let type = ObjectIdentifier(plan.requestType)
        if caching.keepsModel {
            return Maker(requestType: type, client: plan.client.number, form: nil)
        }
        return serializer.form.map { Maker(requestType: type, client: plan.client.number, form: $0) }
    }
}

/// The name of a request type, which is the same in each launch of the application.
enum ModelName {
    static func of(_ requestType: Any.Type) -> String {
        _mangledTypeName(requestType) ?? String(reflecting: requestType)
    }
}
