import Synchronization

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
/// It listens from its creation until ``stop()`` is called or it is released.
///
/// A wait, such as ``next()``, throws ``Failure`` if the server stops, and `CancellationError` if its task is cancelled.
///
/// Every method may be called on any thread, at any time. The server has one thread. Synchronous handlers run on it and
/// must not block. Asynchronous handlers run in a task.
public final class LoopbackServer: Sendable {
    /// The port on 127.0.0.1; 0 if the server listens on a Unix socket.
    public let port: Int
    /// The path of the Unix socket; nil if the server listens on a port.
    public let socketPath: String?

    let core: Core
    private let thread: LoopThread

    /// Starts a server on 127.0.0.1.
    ///
    /// - Parameters:
    ///   - port: The port, or 0 for a free one. The port of a stopped server can be used again at once.
    ///   - recording: The number of requests and events to record.
    ///   - bodies: The part of request bodies to record.
    public convenience init(port: Int = 0, recording: Recording = .all, bodies: BodyRecording = .all) throws {
        let (listener, place, port) = try Socket.listener(port: port)
        try self.init(listener, place, port: port, path: nil, recording, bodies, polls: false)
    }

    /// Starts a server on a Unix socket, and replaces a file at that path.
    ///
    /// - Parameters:
    ///   - unixSocket: The path, at most about 100 bytes long.
    ///   - recording: The number of requests and events to record.
    ///   - bodies: The part of request bodies to record.
    public convenience init(
        unixSocket: String, recording: Recording = .all, bodies: BodyRecording = .all
    ) throws {
        let listener = try Socket.listener(path: unixSocket)
        try self.init(listener, nil, port: 0, path: unixSocket, recording, bodies, polls: false)
    }

    /// Starts a server that waits with poll, as on systems without epoll.
    static func polling() throws -> LoopbackServer {
        let (listener, place, port) = try Socket.listener(port: 0)
        return try LoopbackServer(listener, place, port: port, path: nil, .all, .all, polls: true)
    }

    /// A socket that reserves the port after the server has stopped. Where it cannot exist beside the listener, it is
    /// made when the server stops.
    private let place: Mutex<Int32?>

    private init(
        _ listener: Int32, _ place: Int32?, port: Int, path: String?, _ recording: Recording, _ bodies: BodyRecording,
        polls: Bool
    ) throws {
        do {
            let wakeup = try Wakeup()
            core = Core(recording, bodies, wakeup)
            let loop = Loop(
                core, listener: listener, isTCP: path == nil, wakeup: wakeup, poller: try Self.poller(polls: polls))
            thread = try LoopThread { loop.run() }
        } catch {
            close(listener)
            if let place { close(place) }
            throw error
        }
        self.place = Mutex(place)
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
        if let place = place.withLock({ $0 }) { close(place) }
    }

    /// Closes all connections, and waits until that is done.
    ///
    /// Tasks that wait for a request or an event get an error. The record stays. New connections are refused: until the
    /// server is released, the system does not assign its port to other sockets.
    public func stop() {
        end()
        place.withLock { place in
            if socketPath == nil { place = place ?? Socket.reserve(port: port) }
        }
    }

    private func end() {
        core.mailbox.post { $0.stop() }
        thread.join()
        if let socketPath { unlink(socketPath) }
        core.record.change { $0.hasStopped = true }
        // Handlers may retain objects that retain the server.
        removeResponses()
    }

    /// `http://127.0.0.1:` and the port; `http://localhost` if the server listens on a Unix socket.
    public var url: URL { url("") }

    /// Returns the URL of a path, which may have a query.
    public func url(_ path: String) -> URL {
        let host = socketPath == nil ? "127.0.0.1:\(port)" : "localhost"
        // This method does not throw. A path that forms no URL becomes a file URL.
        return URL(string: "http://\(host)\(path)") ?? URL(fileURLWithPath: path)
    }
}
