import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes outputs of what a store has, and entries of what a server gave: the same output either way.
struct ResponseReader<Output: Sendable>: Sendable {
    let serializer: Serializer<Output>
    let validation: Validation
    let json: JSONCoding
    let hit: CachePolicy.Hit
    /// Whether it is the output that is kept, not the response.
    let keepsModel: Bool
    let requestType: Any.Type
    /// Nil where nobody else could tell whether he would make the same.
    let maker: Maker?
    let tags: Set<String>

    /// What a store has for a request.
    enum Found {
        /// An output, and the object that memory may keep for the next time.
        case output(Output, Decoded<Output>?)
        case none(StoredState, CacheActivity.Reason)
    }

    /// The output that lies beside the bytes of an entry, if it is for any request of that name, and counts.
    static func glance(_ entry: CacheEntry, by maker: Maker, _ hit: CachePolicy.Hit, at now: Double) -> Output? {
        guard let decoded = entry.object as? Decoded<Output>, !decoded.varies, decoded.maker == maker,
            counts(entry, hit, at: now)
        else { return nil }
        return decoded.output
    }

    private static func counts(_ entry: CacheEntry, _ hit: CachePolicy.Hit, at now: Double) -> Bool {
        switch hit {
        case .always: true
        case .maxAge: hit.counts(StoredEntry(entry).writtenOnly, at: now)
        case .sliding: hit.counts(StoredEntry(entry).times, at: now)
        }
    }

    /// What is made of an entry for a request.
    func read(_ entry: CacheEntry, for request: HTTPRequest, source: ResponseSource, at now: Double) -> Found {
        let answer = StoredEntry(entry)
        guard answer.answers(request.headers) else { return .none(.nothing, .otherVariant) }
        guard Self.counts(entry, hit, at: now) else { return .none(.expired, .expired) }
        if let maker, let decoded = entry.object as? Decoded<Output>, decoded.maker == maker {
            return .output(decoded.output, nil)
        }
        if let model = answer.model, model != ModelName.of(requestType) { return .none(.nothing, .otherVariant) }
        guard let output = try? output(of: answer, for: request, source: source) else {
            return .none(.unusable, .unusable)
        }
        return .output(output, maker.map { Decoded(output, by: $0, varies: answer.varies) })
    }

    private func output(of answer: StoredEntry, for request: HTTPRequest, source: ResponseSource) throws -> Output? {
        if answer.model != nil { return try ModelCoding<Output>(json: json).decode(answer.entry.body) }
        guard var response = answer.response(withBody: true) else { return nil }
        response.request = request
        response.source = source
        return try output(of: response)
    }

    /// What the request makes of a response.
    func output(of response: HTTPResponse) throws -> Output {
        let context = SerializationContext(json: json)
        try validation.check(response, context: context)
        return try serializer.serialize(response, context: context)
    }

    /// The entry of an output that no server has given.
    func entry(of output: Output, for request: HTTPRequest, at now: Date) throws -> CacheEntry {
        let response = HTTPResponse(status: .ok, reason: "OK")
        var answer: StoredEntry
        if let output = output as? HTTPResponse {
            answer = StoredEntry(output, body: output.body, model: nil, fields: request.headers, tags: tags, at: now)
        } else if ModelCoding<Output>.isPossible {
            let body = try ModelCoding<Output>(json: json).encode(output)
            let model = ModelName.of(requestType)
            answer = StoredEntry(response, body: body, model: model, fields: request.headers, tags: tags, at: now)
        } else {
            throw RequestError(
                .notEncodable, phase: .prepare,
                detail: "\(Output.self) is not Codable, so it cannot be kept by itself: make it Codable",
                request: request)
        }
        if let maker { answer.entry.object = Decoded(output, by: maker, varies: answer.varies) }
        return answer.entry
    }

    /// The entry of a response that an output was made of.
    func entry(
        of output: Output, from response: HTTPResponse, for request: HTTPRequest, at now: Date
    ) throws -> CacheEntry {
        let body = keepsModel ? try ModelCoding<Output>(json: json).encode(output) : response.body
        var answer = StoredEntry(
            response, body: body, model: keepsModel ? ModelName.of(requestType) : nil, fields: request.headers,
            tags: tags, at: now)
        if let sent = response.request, sent.url != request.url { answer = answer.moved() }
        if let maker { answer.entry.object = Decoded(output, by: maker, varies: answer.varies) }
        return answer.entry
    }
}

extension ResponseReader {
    init(_ plan: CommonPlan, _ caching: CachePlan, _ serializer: Serializer<Output>) {
        self.init(
            serializer: serializer, validation: plan.validation, json: plan.client.configuration.json,
            hit: caching.policy.hit,
            keepsModel: caching.keepsModel, requestType: plan.requestType,
            maker: Self.maker(plan, caching, serializer), tags: plan.tags)
    }

    /// Who makes the outputs of a run.
    static func maker(_ plan: CommonPlan, _ caching: CachePlan, _ serializer: Serializer<Output>) -> Maker? {
        let type = ObjectIdentifier(plan.requestType)
        if caching.keepsModel {
            return Maker(requestType: type, client: plan.client.number, form: nil)
        }
        return serializer.form.map { Maker(requestType: type, client: plan.client.number, form: $0) }
    }
}

/// The name of a kind of request, the same each time the application runs.
enum ModelName {
    static func of(_ requestType: Any.Type) -> String {
        _mangledTypeName(requestType) ?? String(reflecting: requestType)
    }
}
