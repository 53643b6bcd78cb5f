import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes outputs of what a store has, and entries of what a server gave: the same output either way.
struct AnswerReader<Output: Sendable>: Sendable {
    let serializer: Serializer<Output>
    let validation: Validation
    let json: JSONCoding
    let hit: CachePolicy.Hit
    /// Whether it is the output that is kept, not the response.
    let isModel: Bool
    /// Nil where nobody else could tell whether he would make the same.
    let maker: Maker?
    let tags: Set<String>

    /// What a store has for a request.
    enum Found {
        /// An output, and the object that memory may keep for the next time.
        case output(Output, Decoded<Output>?)
        case none(KeptState, CacheActivity.Reason)
    }

    /// The output that lies beside the bytes of an entry, if it is for any request of that name, and counts.
    @inline(__always)
    func glance(_ entry: CacheEntry, at now: Double) -> Output? {
        guard let maker, let decoded = entry.object as? Decoded<Output>, !decoded.varies, decoded.maker == maker,
            counts(entry, at: now)
        else { return nil }
        return decoded.output
    }

    private func counts(_ entry: CacheEntry, at now: Double) -> Bool {
        if case .always = hit { return true }
        return hit.counts(times(of: entry), at: now)
    }

    /// When an entry was written; when it was used only where that matters, for it is not at hand.
    func times(of entry: CacheEntry) -> AnswerTimes {
        let answer = AnswerEntry(entry)
        if case .sliding = hit { return answer.times }
        return answer.writtenOnly
    }

    /// What is made of an entry for a request.
    func read(_ entry: CacheEntry, for request: HTTPRequest, source: ResponseSource, at now: Double) -> Found {
        let answer = AnswerEntry(entry)
        guard answer.answers(request.headers) else { return .none(.nothing, .otherVariant) }
        guard counts(entry, at: now) else { return .none(.expired, .expired) }
        if let maker, let decoded = entry.object as? Decoded<Output>, decoded.maker == maker {
            return .output(decoded.output, nil)
        }
        guard let output = try? output(of: answer, for: request, source: source) else {
            return .none(.unusable, .unusable)
        }
        return .output(output, maker.map { Decoded(output, by: $0, varies: answer.varies) })
    }

    private func output(of answer: AnswerEntry, for request: HTTPRequest, source: ResponseSource) throws -> Output? {
        if isModel { return try ModelCoding<Output>(json: json).decode(answer.entry.body) }
        guard var response = answer.response(withBody: true) else { return nil }
        response.request = request
        response.source = source
        let context = SerializationContext(json: json)
        try validation.check(response, context: context)
        return try serializer.serialize(response, context: context)
    }

    /// The entry of a response that an output was made of.
    func entry(
        of output: Output, from response: HTTPResponse, for request: HTTPRequest, at now: Date
    ) throws -> CacheEntry {
        let body = isModel ? try ModelCoding<Output>(json: json).encode(output) : response.body
        var answer = AnswerEntry(response, body: body, fields: request.headers, tags: tags, at: now)
        if let maker { answer.entry.object = Decoded(output, by: maker, varies: answer.varies) }
        return answer.entry
    }
}
