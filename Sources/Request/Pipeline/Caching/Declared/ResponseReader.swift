/// Decodes outputs from cached responses, and encodes outputs as cached responses, for a declared policy.
struct ResponseReader: Sendable {
    let decoder: any AnyOutputDecoder
    let validation: Validation
    let json: JSONCoding
    let hit: CachePolicy.Hit
    /// A Boolean value that indicates whether the output is stored instead of the response.
    let keepsModel: Bool
    let requestType: Any.Type
    let form: SerializerForm?
    /// The key of the decoded outputs; nil if outputs of the serializer cannot be told apart.
    let decodingKey: DecodingKey?
    let tags: Set<String>
    var hasIdentity = false
    /// A Boolean value that indicates whether the request has a key of its own.
    var isNamed = false

    private var modelName: String { ModelName.of(requestType, form) }

    /// The result of a lookup.
    enum Found {
        /// An output, the place of its response, and the object that memory may hold for the next lookup.
        case output(AnyOutput, place: Int, StoredResponses.Decoded?)
        case none(CacheActivity.Reason)
    }

    /// Returns the output in memory and the place of its response. Nil if there is none, if the response is not fresh,
    /// if it varies by headers of the request, or if the validation does not certainly accept it.
    static func peek(
        _ responses: StoredResponses, by decodingKey: DecodingKey, _ decoder: any AnyOutputDecoder,
        _ hit: CachePolicy.Hit, _ validation: Validation, at now: Double
    ) -> (output: AnyOutput, place: Int)? {
        guard let decoded = responses.decoded.last(where: { $0.decodingKey == decodingKey }), !decoded.varies,
            decoder.decodes(decoded.output),
            let place = responses.all.lastIndex(where: { $0.id == decoded.response }),
            hit.counts(responses.all[place].times, at: now)
        else { return nil }
        // A model has no response to validate. Rules of the application do not run on the thread of the caller.
        let stored = responses.all[place]
        guard stored.declared?.model != nil || validation.accepts(stored.status, stored.response) else { return nil }
        return (decoded.output, place)
    }

    /// Looks up the response to a request.
    func read(_ responses: StoredResponses, for request: HTTPRequest, isStale: Bool, at now: Double) -> Found {
        guard !responses.all.isEmpty else { return .none(.unusable) }
        guard let place = responses.all.lastIndex(where: { $0.matches(request.headers) }) else {
            return .none(.otherVariant)
        }
        let stored = responses.all[place]
        guard hit.counts(stored.times, at: now) else { return .none(.expired) }
        let known = responses.decoded.last { decoded in
            decoded.response == stored.id && decoded.decodingKey == decodingKey && decoder.decodes(decoded.output)
        }
        if known == nil, let model = stored.declared?.model, model != modelName { return .none(.otherVariant) }
        let source = ResponseSource.cache(age: stored.times.age(at: now), isStale: isStale)
        guard let output = try? output(of: stored, for: request, source: source, known?.output) else {
            return .none(.unusable)
        }
        return .output(output, place: place, known == nil ? decoded(output, of: stored) : nil)
    }

    /// - Parameter known: The output, if memory has it.
    private func output(
        of stored: StoredResponse, for request: HTTPRequest, source: ResponseSource, _ known: AnyOutput?
    ) throws -> AnyOutput {
        if stored.declared?.model != nil { return try known ?? decoder.decode(stored.body ?? Data(), json) }
        var response = stored.response
        response.request = request
        response.source = source
        return try output(of: response, known)
    }

    /// Validates a response, and decodes its output.
    ///
    /// - Parameter known: The output, if memory has it.
    func output(of response: HTTPResponse, _ known: AnyOutput? = nil) throws -> AnyOutput {
        let context = SerializationContext(json: json)
        try validation.check(response, context: context)
        return try known ?? decoder.output(of: response, context: context)
    }

    /// Returns an output that did not come from a server in the form of a response.
    func stored(_ output: AnyOutput, for request: HTTPRequest, at now: Double) throws -> StoredResponse {
        if let response = decoder.response(in: output) {
            return stored(response, body: response.body, model: nil, for: request, at: now)
        }
        guard decoder.isModel else {
            throw RequestError(
                .notEncodable, phase: .prepare,
                detail: "\(decoder.outputType) is not Codable, so it cannot be stored by itself: make it Codable",
                request: request)
        }
        let body = try decoder.encode(output, json)
        let response = HTTPResponse(status: .ok, reason: "OK")
        return stored(response, body: body, model: modelName, for: request, at: now)
    }

    /// Returns the form in which the cache stores an output and the response that it was decoded from.
    func stored(
        _ output: AnyOutput, from response: HTTPResponse, for request: HTTPRequest, at now: Double
    ) throws -> StoredResponse {
        guard keepsModel else { return stored(response, body: response.body, model: nil, for: request, at: now) }
        let body = try decoder.encode(output, json)
        return stored(response, body: body, model: modelName, for: request, at: now)
    }

    @inline(never)
    private func stored(
        _ response: HTTPResponse, body: Data, model: String?, for request: HTTPRequest, at now: Double
    ) -> StoredResponse {
        let isMoved = response.request.map { $0.url != request.url } ?? false
        // A stored body begins at index 0.
        return StoredResponse(
            status: response.status, reason: response.reason.isPlainLine ? response.reason : "",
            version: response.version, headers: StoredFields.durable(response.headers), requestTime: now,
            responseTime: now, selecting: selecting(response.headers, for: request), tags: tags,
            content: StoredContent(body.startIndex == 0 ? body : body.copied()),
            declared: DeclaredFacts(model: model, isMoved: isMoved))
    }

    /// Returns the fields of a request that have selected a response, apart from those in its key.
    func selecting(_ headers: Headers, for request: HTTPRequest) -> [SelectingField] {
        SelectingField.all(
            in: headers, for: request.headers, hasIdentity: hasIdentity,
            negotiated: ResponseKey.negotiated(isNamed: isNamed))
    }

    /// Returns an output as memory holds it beside its response; nil if outputs cannot be told apart.
    func decoded(_ output: AnyOutput, of stored: StoredResponse) -> StoredResponses.Decoded? {
        decodingKey.map {
            StoredResponses.Decoded(
                response: stored.id, decodingKey: $0, output: output, varies: !stored.selecting.isEmpty)
        }
    }
}

extension ResponseReader {
    init(_ plan: CommonPlan, _ caching: CachePlan, _ decoder: any AnyOutputDecoder) {
        self.init(
            decoder: decoder, validation: plan.validation, json: plan.client.configuration.json,
            hit: caching.policy.hit,
            keepsModel: caching.keepsModel, requestType: plan.requestType, form: plan.form,
            decodingKey: Self.decodingKey(plan, caching), tags: plan.tags,
            hasIdentity: plan.identity.name != nil, isNamed: caching.ownKey != nil)
    }

    /// The key of the outputs that a run decodes.
    static func decodingKey(_ plan: CommonPlan, _ caching: CachePlan) -> DecodingKey? {
        let type = ObjectIdentifier(plan.requestType)
        if caching.keepsModel {
            return DecodingKey(requestType: type, client: plan.client.number, form: nil)
        }
        return plan.form.map { DecodingKey(requestType: type, client: plan.client.number, form: $0) }
    }
}

/// The name of the models that a request type and a serializer make, which is the same in each launch of the application.
enum ModelName {
    private static let names = TypeTable<String>()

    static func of(_ requestType: Any.Type, _ form: SerializerForm?) -> String {
        let name = names.value(for: requestType) { _mangledTypeName(requestType) ?? String(reflecting: requestType) }
        switch form {
        case .json([])?: return name
        case .json(let path)?:
            return "\(name) form=" + path.map { "\($0.text.utf8.count) \($0.text)" }.joined()
        case let form?: return "\(name) form=\(form)"
        // Closures cannot be compared, and differ in each launch, so all of a type count as one.
        case nil: return "\(name) form=closure"
        }
    }
}
