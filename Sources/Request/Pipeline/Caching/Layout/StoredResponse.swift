/// A response in the cache, stored by a declared policy or by the rules of HTTP. All decisions are functions of the
/// response, a request and the time.
struct StoredResponse: Sendable {
    /// The number of the response among those under its key. An update does not change it.
    var id: UInt64
    var status: HTTPStatus
    var reason: String
    var version: HTTPVersion
    /// The stored fields: see ``StoredFields``.
    var headers: Headers
    /// The time when the request was sent, and the time when the head of the response arrived, in seconds since 1970.
    var requestTime: Double
    var responseTime: Double
    /// The fields of the request that selected this response.
    var selecting: [SelectingField]
    /// The tags of the request.
    var tags: Set<String>
    var content: StoredContent
    /// The facts that only declared policies use; nil if the rules of HTTP have stored the response.
    var declared: DeclaredFacts?
    private var lazyFacts: LazyFacts
    /// The facts that follow from the headers and times. Declared policies mostly need none.
    var facts: ResponseFacts { lazyFacts.facts }

    @inline(never)
    init(
        id: UInt64 = .random(in: 0...UInt64.max), status: HTTPStatus, reason: String = "",
        version: HTTPVersion = .http1_1, headers: Headers,
        requestTime: Double, responseTime: Double, selecting: [SelectingField] = [], tags: Set<String> = [],
        content: StoredContent = .empty, declared: DeclaredFacts? = nil
    ) {
        self.id = id
        self.status = status
        self.reason = reason
        self.version = version
        self.headers = headers
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.selecting = selecting
        self.tags = tags
        self.content = content
        self.declared = declared
        lazyFacts = LazyFacts((status, headers, requestTime, responseTime))
    }

    /// Returns the response with changes, whose facts follow from them.
    @inline(never)
    func changed(_ change: (inout StoredResponse) -> Void) -> StoredResponse {
        var new = self
        change(&new)
        new.lazyFacts = LazyFacts((new.status, new.headers, new.requestTime, new.responseTime))
        return new
    }

    /// The body, if all of it is beside the head; else nil.
    var body: Data? {
        if content.total == 0 { return Data() }
        guard content.parts.count == 1, case .here(let data) = content.parts[0].place, data.count == content.total
        else { return nil }
        return data
    }

    /// Returns whether the response matches a request with these headers (RFC 9111, 4.1).
    @inline(never)
    func matches(_ headers: Headers) -> Bool {
        selecting.isEmpty
            || selecting.allSatisfy { $0.matches(headers, contentLanguage: facts.contentLanguage) }
    }

    /// Returns the seconds since the server made the response, or confirmed it (RFC 9111, 4.2.3).
    ///
    /// Nil if the clock was set back so far that the age is unknown.
    func age(at now: Double) -> Double? {
        ResponseTimes.elapsed(since: responseTime, at: now).map { facts.initialAge + $0 }
    }

    /// Returns the response as updated by a newer response for the same content (RFC 9111, 3.2).
    func updated(with newer: Headers, requestTime: Double, responseTime: Double) -> StoredResponse {
        changed {
            $0.headers = StoredFields.updated(headers, with: newer)
            if !newer.contains("Date") { $0.headers.set(name: "Date", value: HTTPDate.text(responseTime)) }
            ($0.requestTime, $0.responseTime) = (requestTime, responseTime)
        }
    }

    /// Returns the response with more selecting fields, if its `Vary` differs from that of an older form of it.
    func varying(like old: StoredResponse, _ more: @autoclosure () -> [SelectingField]) -> StoredResponse {
        guard Vary(headers) != Vary(old.headers) else { return self }
        let new = more().filter { field in !selecting.contains { $0.name == field.name } }
        return new.isEmpty ? self : changed { $0.selecting += new }
    }
}

/// The facts of a stored response that only declared policies use.
struct DeclaredFacts: Sendable {
    /// The name of the request type whose output the body is; nil if the body is that of the response.
    var model: String?
    /// The time of the last use, in seconds since 1970. Only policies with a sliding age need it.
    var used: Double?
    /// A Boolean value that indicates whether the response came from another URL than the requested one.
    var isMoved = false
}

/// The head of a response, and the facts that follow from it, computed at the first decision.
private final class LazyFacts: Sendable {
    typealias Head = (status: HTTPStatus, headers: Headers, requestTime: Double, responseTime: Double)

    private let head: Head
    private let reference = LazyReference<ResponseFacts>()

    init(_ head: Head) {
        self.head = head
    }

    var facts: ResponseFacts { reference.object { ResponseFacts(head) } }
}

/// The facts that follow from the head of a response, for all decisions.
final class ResponseFacts: Sendable {
    let directives: ResponseDirectives
    /// The time when the server made the response.
    let date: Double
    /// The age of the response when it arrived.
    let initialAge: Double
    let lifetime: Freshness.Lifetime
    let tag: EntityTag?
    let lastModified: LastModified?
    let contentLanguage: String?
    /// A Boolean value that indicates whether the bytes may differ from those that the server counts. A decoded body
    /// has lost its length.
    let mayBeDecoded: Bool

    struct LastModified: Sendable {
        let text: String
        let time: Double
        /// A Boolean value that indicates whether the response was made at least a second later. Then no change can
        /// share the second (RFC 9110, 8.8.2.2).
        let isStrong: Bool
    }

    fileprivate init(_ head: LazyFacts.Head) {
        let (status, headers, requestTime, responseTime) = head
        directives = ResponseDirectives(headers)
        let date =
            headers["Date"].flatMap { HTTPDate.parseLeniently($0, now: responseTime) }
            ?? responseTime.rounded(.down)
        self.date = date
        tag = headers["ETag"].flatMap { EntityTag($0) }
        lastModified = headers["Last-Modified"].flatMap { text in
            HTTPDate.parseLeniently(text, now: responseTime)
                .map { LastModified(text: text, time: $0, isStrong: date >= $0 + 1) }
        }
        lifetime = Freshness.lifetime(
            status: status, headers: headers, directives: directives, date: date,
            lastModified: lastModified?.time, responseTime: responseTime)
        initialAge = Freshness.initialAge(
            age: DeltaSeconds.age(in: headers), date: date, requestTime: requestTime, responseTime: responseTime)
        contentLanguage = headers["Content-Language"]
        mayBeDecoded =
            !headers.contains("Content-Length")
            && FieldList.elements(of: headers.all("Vary")).contains { String($0).isSameField(as: "Accept-Encoding") }
    }

    var hasValidator: Bool { tag != nil || lastModified != nil }
}
