import Foundation
import LoopbackServer
import Synchronization
import TangoRequest
import Testing

extension HTTPRequest {
    /// Creates a request for a path of a server.
    init(
        _ method: HTTPMethod = .get, _ server: LoopbackServer, _ path: String = "/", headers: Headers = [:],
        body: Body = .none
    ) {
        self.init(method: method, url: server.url(path), headers: headers, body: body)
    }
}

extension TransportOptions {
    static let stream = TransportOptions(delivery: .stream)

    /// Returns a copy with these timeouts.
    func timing(
        connect: Duration? = nil, idle: Duration? = nil, attempt: Duration? = nil, total: Duration? = nil
    ) -> TransportOptions {
        var copy = self
        copy.timeouts = Timeouts(connect: connect, idle: idle, attempt: attempt, total: total)
        return copy
    }
}

/// Returns the error that `work` throws. Records an issue if that is no `RequestError`.
func failure(
    sourceLocation: SourceLocation = #_sourceLocation, _ work: () async throws -> some Any
) async throws -> RequestError {
    do {
        let value = try await work()
        Issue.record("nothing was thrown, but \(value) returned", sourceLocation: sourceLocation)
    } catch let error as RequestError {
        return error
    } catch {
        Issue.record("\(error) was thrown", sourceLocation: sourceLocation)
    }
    throw NothingThrown()
}

struct NothingThrown: Error {}

/// Returns a count once it stays the same during 200 requests for `/other` over the same transport.
func stillness(
    of count: () -> Int, _ transport: any Transport, _ server: LoopbackServer
) async throws -> Int {
    var before = count()
    var passed = 0
    while passed < 200 {
        _ = try await transport.send(HTTPRequest(.get, server, "/other"))
        let now = count()
        passed = now == before ? passed + 1 : 0
        before = now
    }
    return before
}

/// Returns bytes as the server generates them: byte `i` is `i % 251`.
func generated(_ count: Int) -> Data {
    var bytes = Data(capacity: count + pattern.count)
    while bytes.count < count { bytes.append(pattern) }
    return bytes.prefix(count)
}

private let pattern = Data((0..<251 * 1000).map { UInt8($0 % 251) })

/// A list that many threads add to.
final class Recorded<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func add(_ element: Element) {
        elements.withLock { $0.append(element) }
    }
}

/// A request body that produces each portion on demand and records the portions taken.
struct Portions: AsyncSequence, Sendable {
    typealias Element = Data
    let taken = Recorded<Int>()
    let next: @Sendable (Int) async throws -> Data?

    /// A number of portions of 64 KB that exceeds all buffers when the server reads nothing. The sockets of two connections,
    /// to a server and to one in front of it, may hold 37 MB each.
    static let beyondBuffers = 2000
    /// A number of portions of 64 KB that exceeds what those buffers can hold.
    static let inBuffers = 1500

    /// Creates a body from a closure that returns the portion of a number, or nil at the end.
    init(_ next: @escaping @Sendable (Int) async throws -> Data?) {
        self.next = next
    }

    init(_ portions: [Data]) {
        next = { $0 < portions.count ? portions[$0] : nil }
    }

    func makeAsyncIterator() -> Iterator { Iterator(portions: self) }

    struct Iterator: AsyncIteratorProtocol {
        let portions: Portions
        var number = 0

        mutating func next() async throws -> Data? {
            defer { number += 1 }
            portions.taken.add(number)
            return try await portions.next(number)
        }
    }
}

/// An interceptor that sends each request twice.
struct Twice: Interceptor {
    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        _ = try await next(request)
        return try await next(request)
    }
}
