/// The responses of the server: a queue, routes, and a responder for all other requests.
struct Script: Sendable {
    private struct Route: Sendable {
        let path: [UInt8]
        let method: [UInt8]?
        /// A Boolean value that indicates whether the path ended in a star, so that it matches longer ones.
        let isPrefix: Bool
        let responder: Responder

        func matches(_ method: UnsafeRawBufferPointer, _ path: UnsafeRawBufferPointer) -> Bool {
            guard isPrefix ? path.starts(with: self.path) : path.elementsEqual(self.path) else { return false }
            guard let own = self.method else { return true }
            // A route for GET also responds to HEAD.
            return method.elementsEqual(own) || own == Script.get && method.elementsEqual("HEAD".utf8)
        }
    }

    private static let notFound = Responder.prepared(PreparedResponse(.text("No route matches.\n", status: 404)))
    /// The response to `CONNECT`. The tunnel leads back to this server.
    private static let tunnel = Responder.prepared(PreparedResponse(.status(200, reason: "Connection established")))
    private static let get = Array("GET".utf8)

    private var queue: [PreparedResponse] = []
    private var queueStart = 0
    /// Exact paths before those that ended in a star, and longer paths before shorter ones. For one path, routes for one
    /// method come before those for all.
    private var routes: [Route] = []
    var fallback: Responder?
    /// The faults of the next connections, one each.
    var acceptEffects: [Fault.Effect] = []

    // MARK: Writing

    mutating func enqueue(_ responses: [Response]) {
        if queueStart > 1000, queueStart * 2 > queue.count {
            queue.removeFirst(queueStart)
            queueStart = 0
        }
        queue += responses.map(PreparedResponse.init)
    }

    var queueCount: Int { queue.count - queueStart }

    /// Adds a route, replacing the one with the same path and method.
    mutating func add(_ path: String, _ method: String?, _ responder: Responder) {
        var path = Array(path.utf8)
        let isPrefix = path.last == UInt8(ascii: "*") && path.count > 1
        if isPrefix { path.removeLast() }
        let route = Route(path: path, method: method.map { Array($0.utf8) }, isPrefix: isPrefix, responder: responder)
        routes.removeAll { $0.path == path && $0.method == route.method && $0.isPrefix == isPrefix }
        func rank(_ route: Route) -> (Int, Int, Int) {
            (route.isPrefix ? 1 : 0, -route.path.count, route.method == nil ? 1 : 0)
        }
        routes.insert(route, at: routes.firstIndex { rank(route) <= rank($0) } ?? routes.count)
    }

    // MARK: Reading

    mutating func next(method: UnsafeRawBufferPointer, path: UnsafeRawBufferPointer) -> Responder {
        if queueStart < queue.count {
            queueStart += 1
            return .prepared(queue[queueStart - 1])
        }
        return routes.first { $0.matches(method, path) }?.responder ?? fallback
            ?? (method.elementsEqual("CONNECT".utf8) ? Self.tunnel : Self.notFound)
    }

    mutating func nextAtAccept() -> [Step] {
        if !acceptEffects.isEmpty { return [.action(.fail(acceptEffects.removeFirst()))] }
        guard queueStart < queue.count, !queue[queueStart].response.actions.isEmpty else { return [] }
        var response = queue[queueStart].response
        let steps = response.actions(at: .accept)
        guard !steps.isEmpty else { return [] }
        let ends = steps.contains { step in
            if case .action(.fail(let effect)) = step { effect.endsConnection } else { false }
        }
        // The actions at `.accept` run once. If they end the connection, the response is used up.
        response.actions.removeAll { $0.moment == .accept }
        queue[queueStart] = PreparedResponse(response)
        if ends { queueStart += 1 }
        return steps
    }
}

/// The source of the response to a request.
enum Responder: Sendable {
    case prepared(PreparedResponse)
    case handler(@Sendable (RecordedRequest) throws -> Response)
    case task(@Sendable (RecordedRequest) async throws -> Response)
}

/// A response whose bytes are encoded once, for all requests.
final class PreparedResponse: Sendable {
    let response: Response
    /// The bytes for a GET that leaves the connection open; nil if the response has no simple form.
    let simple: Block?
    /// The same for a HEAD.
    let simpleHead: Block?

    init(_ response: Response) {
        self.response = response
        simple = ResponseEncoder(response: response).simple
        simpleHead = simple == nil ? nil : ResponseEncoder(response: response, asked: .init(isHead: true)).simple
    }
}
