/// The responses of the server: a queue, routes, and a responder for all other requests.
struct Script: Sendable {
    fileprivate struct Route: Sendable {
        let path: [UInt8]
        let method: [UInt8]?
        var responder: Responder
    }

    private static let notFound = Responder.prepared(PreparedResponse(.text("No route matches.\n", status: 404)))
    /// The response to `CONNECT`. The tunnel leads back to this server.
    private static let tunnel = Responder.prepared(PreparedResponse(.status(200, reason: "Connection established")))
    fileprivate static let get = Array("GET".utf8)
    fileprivate static let head = Array("HEAD".utf8)
    private static let connect = Array("CONNECT".utf8)

    private var queue: [PreparedResponse] = []
    private var queueStart = 0
    /// Routes by the hash of their path.
    private var routes: [UInt64: [Route]] = [:]
    /// Routes whose path ended in a star, the longest first.
    private var prefixes: [Route] = []
    private var fallback: Responder?
    private var acceptEffects: [Fault.Effect] = []

    // MARK: Writing

    mutating func enqueue(_ responses: [Response]) {
        if queueStart > 1000, queueStart * 2 > queue.count {
            queue.removeFirst(queueStart)
            queueStart = 0
        }
        queue += responses.map(PreparedResponse.init)
    }

    mutating func enqueueAtAccept(_ effect: Fault.Effect) {
        acceptEffects.append(effect)
    }

    var queueCount: Int { queue.count - queueStart }

    mutating func add(_ path: String, _ method: String?, _ responder: Responder) {
        var path = Array(path.utf8)
        let method = method.map { Array($0.utf8) }
        if path.last == UInt8(ascii: "*"), path.count > 1 {
            path.removeLast()
            Self.set(Route(path: path, method: method, responder: responder), in: &prefixes)
            prefixes.sort { $0.path.count > $1.path.count }
        } else {
            let hash = path.withUnsafeBytes(Self.hash)
            Self.set(Route(path: path, method: method, responder: responder), in: &routes[hash, default: []])
        }
    }

    /// Adds a route, replacing the one with the same path and method. Routes for one method precede routes for all.
    private static func set(_ route: Route, in routes: inout [Route]) {
        routes.removeAll { $0.path == route.path && $0.method == route.method }
        if route.method == nil { routes.append(route) } else { routes.insert(route, at: 0) }
    }

    mutating func setFallback(_ responder: Responder?) {
        fallback = responder
    }

    mutating func clear() {
        self = Script()
    }

    // MARK: Reading

    mutating func next(method: UnsafeRawBufferPointer, path: UnsafeRawBufferPointer) -> Responder {
        if queueStart < queue.count {
            queueStart += 1
            return .prepared(queue[queueStart - 1])
        }
        if !routes.isEmpty || !prefixes.isEmpty {
            if let route = routes[Self.hash(path)]?.first(where: { Self.equal($0.path, path) && $0.takes(method) }) {
                return route.responder
            }
            if let route = prefixes.first(where: { Self.begins(path, with: $0.path) && $0.takes(method) }) {
                return route.responder
            }
        }
        return fallback ?? (Self.equal(Self.connect, method) ? Self.tunnel : Self.notFound)
    }

    /// Returns the steps for a connection that was just accepted.
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

    static func equal(_ one: [UInt8], _ other: UnsafeRawBufferPointer) -> Bool {
        one.count == other.count && one.elementsEqual(other)
    }

    private static func begins(_ path: UnsafeRawBufferPointer, with prefix: [UInt8]) -> Bool {
        path.count >= prefix.count && path.prefix(prefix.count).elementsEqual(prefix)
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01b3 }
    }
}

extension Script.Route {
    fileprivate func takes(_ asked: UnsafeRawBufferPointer) -> Bool {
        guard let method else { return true }
        // A route for GET also responds to HEAD.
        return Script.equal(method, asked) || method == Script.get && Script.equal(Script.head, asked)
    }
}
