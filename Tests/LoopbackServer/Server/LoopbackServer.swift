import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A real HTTP/1.1 server on 127.0.0.1, for tests of anything that speaks HTTP.
///
/// ```swift
/// let server = try LoopbackServer()
/// server.answer("/users/1", with: .json(#"{"id": 1}"#))
/// let user = try await load(server.url("/users/1"))
/// #expect(user == #"{"id": 1}"#)
/// #expect(server.requests.map(\.path) == ["/users/1"])
/// ```
///
/// It listens from the moment it is made until ``stop()`` is called or nobody holds it any more.
///
/// Every method may be called on any thread, at any time. Answers are given on one thread, which belongs to the server:
/// synchronous handlers run there, and must not block. Asynchronous ones run in a task.
public final class LoopbackServer: Sendable {
    /// The port on 127.0.0.1; 0 if the server listens on a path.
    public let port: Int
    /// The path that the server listens on, if it is not a port.
    public let socketPath: String?

    let core: Core
    private let thread: LoopThread

    /// Starts a server on 127.0.0.1.
    ///
    /// - Parameters:
    ///   - port: The port; a free one if 0. A port that a server of this test had can be taken again at once.
    ///   - recording: How many requests and events it remembers.
    ///   - bodies: How much of the requests' bodies it remembers.
    public convenience init(port: Int = 0, recording: Recording = .all, bodies: BodyKeeping = .all) throws {
        let (listener, port) = try Socket.listen(port: port)
        try self.init(listener, port: port, path: nil, recording, bodies, polls: false)
    }

    /// Starts a server on a Unix socket, in place of whatever is at that path.
    ///
    /// - Parameters:
    ///   - unixSocket: The path, of about 100 bytes at most.
    ///   - recording: How many requests and events it remembers.
    ///   - bodies: How much of the requests' bodies it remembers.
    public convenience init(
        unixSocket: String, recording: Recording = .all, bodies: BodyKeeping = .all
    ) throws {
        let listener = try Socket.listen(path: unixSocket)
        try self.init(listener, port: 0, path: unixSocket, recording, bodies, polls: false)
    }

    /// Starts a server that waits with poll, as on systems without epoll.
    static func polling() throws -> LoopbackServer {
        let (listener, port) = try Socket.listen(port: 0)
        return try LoopbackServer(listener, port: port, path: nil, .all, .all, polls: true)
    }

    /// What keeps the port when the server has stopped.
    private let place = Mutex<Int32?>(nil)

    private init(
        _ listener: Int32, port: Int, path: String?, _ recording: Recording, _ bodies: BodyKeeping, polls: Bool
    ) throws {
        do {
            let wakeup = try Wakeup()
            core = Core(recording, bodies, wakeup)
            let loop = Loop(
                core, listener: listener, isTCP: path == nil, wakeup: wakeup, poller: try Self.poller(polls: polls))
            thread = try LoopThread { loop.run() }
        } catch {
            Socket.shut(listener)
            throw error
        }
        self.port = port
        socketPath = path
    }

    private static func poller(polls: Bool) throws -> any Poller {
        #if os(Linux)
            if !polls { return try EpollPoller() }
        #endif
        return PollPoller()
    }

    deinit {
        end()
        if let place = place.withLock({ $0 }) { Socket.shut(place) }
    }

    /// Closes all connections, and waits until that is done.
    ///
    /// Whoever waits for a request or an event gets an error. What was recorded stays. Clients are refused: as long as the
    /// server is there, nobody else is given its port.
    public func stop() {
        end()
        place.withLock { place in
            if socketPath == nil { place = place ?? Socket.reserve(port: port) }
        }
    }

    private func end() {
        core.mailbox.post { $0.stop() }
        thread.join()
        if let socketPath { Socket.removeFile(socketPath) }
        core.record.change { $0.hasStopped = true }
        // Handlers may hold what holds the server.
        let script = core.script.withLock { script in
            defer { script.clear() }
            return script
        }
        withExtendedLifetime(script) {}
    }

    /// `http://127.0.0.1:` and the port; `http://localhost` if the server listens on a path.
    public var url: URL { url("") }

    /// The address of a path, which may have a query.
    public func url(_ path: String) -> URL {
        let host = socketPath == nil ? "127.0.0.1:\(port)" : "localhost"
        // What is no URL is still asked for, as well as it can be.
        return URL(string: "http://\(host)\(path)") ?? URL(fileURLWithPath: path)
    }
}
