import Foundation
import LoopbackServer
import Synchronization
import TangoCache
import TangoTesting
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// A transport in place of a server, with the clock of the test. It returns the response that the test sets, or 304 if
/// a condition of the request holds.
final class HTTPCacheOrigin: Transport {
    struct Reply: Sendable {
        var status = 200
        /// A value such as `{+60}` is the date that many seconds from now, and `{@60}` from the start of the test.
        var headers: [(String, String)] = []
        var body: String?
        var error: RequestError.Code?
        /// The portions in which the body arrives, if the request streams it.
        var portions: [String]?
        var breaks = false
        /// A Boolean value that indicates whether conditions of requests are evaluated.
        var knowsConditions = true
        var delay = 0.0
        /// The headers of a 304; nil for those of the whole response.
        var confirming: [(String, String)]?
    }

    /// The time at which a test begins, in seconds since 1970.
    static let start = 1_800_000_000.0

    private struct State {
        var now = HTTPCacheOrigin.start
        var reply = Reply()
        var requests: [HTTPRequest] = []
        var gate: (@Sendable () async -> Void)?
    }

    private let state = Mutex(State())

    let capabilities: TransportCapabilities = [.tls, .exactHeaders, .getBodies, .decompressionControl]

    var now: Double {
        get { state.withLock { $0.now } }
        set { state.withLock { $0.now = newValue } }
    }

    var reply: Reply {
        get { state.withLock { $0.reply } }
        set { state.withLock { $0.reply = newValue } }
    }

    /// The function that each request awaits before its response.
    var gate: (@Sendable () async -> Void)? {
        get { state.withLock { $0.gate } }
        set { state.withLock { $0.gate = newValue } }
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    func dated(_ value: String) -> String {
        if value.hasPrefix("{@"), let seconds = Double(value.dropFirst(2).dropLast()) {
            return HTTPDate.text(Self.start + seconds)
        }
        guard value.hasPrefix("{"), value.hasSuffix("}"), let seconds = Double(value.dropFirst().dropLast()) else {
            return value
        }
        return HTTPDate.text(now + seconds)
    }

    /// A real server that sends the responses over a connection; nil if they are returned directly.
    private let server: LoopbackServer?

    init(sendsForReal: Bool = false) throws {
        server = sendsForReal ? try LoopbackServer() : nil
    }

    deinit {
        server?.stop()
    }

    func start(
        _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
    ) -> TransportTask {
        TransportTask(completing: completion) { try await self.respond(to: request, options) }
    }

    private func respond(to request: HTTPRequest, _ options: TransportOptions) async throws -> HTTPResponse {
        let response = try await scriptedResponse(to: request, options)
        guard let server else { return response }
        var text = "HTTP/1.1 \(response.status) \(response.status.name)\r\n"
        for field in response.headers { text += "\(field.name): \(field.value)\r\n" }
        let raw = Response.raw(Data((text + "\r\n").utf8) + response.body)
        server.answer(with: raw)
        var sent = request
        sent.url = server.url
        return try await DefaultTransport.shared.send(sent, options: options)
    }

    private func scriptedResponse(to request: HTTPRequest, _ options: TransportOptions) async throws -> HTTPResponse {
        let (reply, count, gate) = state.withLock { state in
            state.requests.append(request)
            let reply = state.reply
            state.now += reply.delay
            return (reply, state.requests.count, state.gate)
        }
        await gate?()
        if let error = reply.error { throw RequestError(error, phase: .connect, detail: "scripted", request: request) }
        var headers = Headers()
        for (name, value) in reply.headers { headers.append(name: name, value: dated(value)) }
        if !headers.contains("Date") { headers.append(name: "Date", value: dated("{+0}")) }
        headers.remove("No-Date")
        if reply.headers.contains(where: { $0.0 == "No-Date" }) { headers.remove("Date") }
        headers.append(name: "Origin-Count", value: "\(count)")
        if reply.knowsConditions, isConfirmed(request, headers) {
            if let confirming = reply.confirming {
                headers = Headers(confirming.map { ($0.0, dated($0.1)) })
            }
            return HTTPResponse(status: 304, reason: "Not Modified", headers: headers, request: request)
        }
        let body = request.method == .head ? "" : reply.body ?? "origin \(count)"
        let status = HTTPStatus(reply.status)
        if let portions = reply.portions, case .stream = options.delivery {
            let error: RequestError? =
                reply.breaks ? RequestError(.truncated, phase: .receive, detail: "scripted") : nil
            return HTTPResponse(
                status: status, headers: headers, stream: BodyStream(ScriptedBody(portions, error: error)),
                request: request)
        }
        let whole = reply.portions.map { $0.joined() } ?? body
        return HTTPResponse(
            status: status, reason: status.name, headers: headers, body: Data(whole.utf8), request: request)
    }

    private func isConfirmed(_ request: HTTPRequest, _ headers: Headers) -> Bool {
        if let tags = request.headers["If-None-Match"] {
            guard let tag = headers["ETag"] else { return false }
            func bare(_ text: Substring) -> Substring { text.hasPrefix("W/") ? text.dropFirst(2) : text }
            return tags.split(separator: ",").contains { other in
                bare(Substring(other.trimmingCharacters(in: .whitespaces))) == bare(tag[...])
            }
        }
        guard let since = request.headers["If-Modified-Since"], let modified = headers["Last-Modified"],
            let one = HTTPDate.parse(since, now: now), let other = HTTPDate.parse(modified, now: now)
        else { return false }
        return other <= one
    }

    func shutdown() async {}
}

/// A client with an HTTP cache, and its origin.
struct HTTPCacheSite: Sendable {
    let origin: HTTPCacheOrigin
    let store: any CacheStore
    let client: Client
    /// The explanations of calls, at each event of the cache and at the end.
    let explanations = Noted<CacheExplanation>()
    let events = Noted<String>()
    /// The reason of each miss.
    let misses = Noted<CacheActivity.Reason>()
    private let shared: SharedStore

    /// - Parameter waitLimit: The time for which a lookup waits for a write of the store.
    init(
        store: any CacheStore = MemoryStore(), waitLimit: Duration = .patient, identity: String? = nil,
        servesStaleOffline: Bool = true, isOffline: Bool = false, sendsForReal: Bool = false,
        willStore: (@Sendable (CacheEntry) -> CacheEntry?)? = nil
    ) throws {
        self.store = store
        let origin = try HTTPCacheOrigin(sendsForReal: sendsForReal)
        self.origin = origin
        // The client takes this instance.
        shared = SharedStore.of(store, waitLimit: waitLimit)
        var observers: [any CallObserver] = [
            CacheNotes(explanations: explanations, events: events, misses: misses)
        ]
        if let willStore { observers.append(StoreEditor(edit: willStore)) }
        client = Client(cache: store) {
            $0.transport = origin
            $0.now = { Date(timeIntervalSince1970: origin.now) }
            $0.connectivity = ScriptedConnectivity(isOffline ? .unavailable : .available)
            $0.cachePolicy = .http(servesStaleOffline: servesStaleOffline)
            $0.redirectPolicy = .refuse
            $0.decompression = nil
            $0.identity = identity
            $0.observers = observers
        }
    }

    var refresher: BackgroundRefresher {
        get throws { try #require(client.httpCache).refresher }
    }

    func send(
        _ method: String = "GET", _ url: String = "http://example.com/a", _ headers: [(String, String)] = [],
        body: Body = .none, delivery: TransportOptions.Delivery = .whole()
    ) async throws -> HTTPResponse {
        var fields = Headers()
        for (name, value) in headers { fields.append(name: name, value: origin.dated(value)) }
        let request = HTTPRequest(
            method: HTTPMethod(method), url: URL(string: url)!, headers: fields, body: body)
        return try await client.send(request, delivery: delivery)
    }

    func wait(_ seconds: Double) {
        origin.now += seconds
    }

    /// Returns the keys of the entries that contain only a body.
    func bodyKeys() async throws -> [CacheKey] {
        var keys: [CacheKey] = []
        for try await item in store.entries() where item.metadata.isEmpty { keys.append(item.key) }
        return keys
    }

    /// Returns the cached responses to the URL of most tests.
    func cachedResponses() async throws -> [StoredResponse] {
        try await ResponseStore(shared: shared, identity: Identity(nil))
            .responses(for: HTTPCacheKey.responses(to: URL(string: "http://example.com/a")!, of: ""))
    }

    /// Returns once all changes have reached the store.
    func settle() async {
        await shared.finish()
    }

    /// Removes the responses of the identity, as signing out does.
    func signOut() async throws {
        try await client.removeCachedResponses()
    }
}

/// Notes the events of the cache at once, on the thread of the call.
private struct CacheNotes: QuickObserver {
    let explanations: Noted<CacheExplanation>
    let events: Noted<String>
    let misses: Noted<CacheActivity.Reason>

    func observe(_ event: CallEvent) {
        if let explanation = event.call.core.explanation { explanations.note(explanation) }
        guard case .cache(let activity) = event.kind else { return }
        switch activity {
        case .hit: events.note("hit")
        case .miss(_, let reason): misses.note(reason)
        case .refreshing: events.note("will refresh")
        case .refreshed(_, .success(let response)): events.note("refreshed \(response.status)")
        case .refreshed(_, .failure): events.note("refresh failed")
        case .revalidated: events.note("revalidated")
        case .stored: events.note("stored")
        case .notStored(_, let reason): events.note("not stored \(reason.rawValue)")
        case .evicted: events.note("removed")
        case .failed: events.note("failed")
        }
    }

    func finish() async {}
}

private struct StoreEditor: CallObserver {
    let edit: @Sendable (CacheEntry) -> CacheEntry?

    func observe(_ event: CallEvent) {}

    func willStore(_ entry: CacheEntry, of call: AnyCall) -> CacheEntry? { edit(entry) }
}

/// Recorded values in order, and a way to wait for them.
final class Noted<Value: Sendable>: Sendable {
    private let state = Mutex(([Value](), [(Int, CheckedContinuation<Void, Never>)]()))

    func note(_ value: Value) {
        let ready = state.withLock { state in
            state.0.append(value)
            let count = state.0.count
            defer { state.1.removeAll { $0.0 <= count } }
            return state.1.filter { $0.0 <= count }.map(\.1)
        }
        for waiter in ready { waiter.resume() }
    }

    var all: [Value] { state.withLock { $0.0 } }

    /// Returns once this number of values is recorded.
    func reaches(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.0.count < count { state.1.append((count, continuation)) }
                return state.0.count >= count
            }
            if isThere { continuation.resume() }
        }
    }
}
