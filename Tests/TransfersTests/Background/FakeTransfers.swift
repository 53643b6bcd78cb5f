import Foundation
import Synchronization
import TangoPromise

@testable import TangoRequest
@testable import TangoTransfers
@testable import TestSupport

/// The background transfers of a system that outlives the processes of its application.
final class FakeTransfers: TransferSystem {
    struct State {
        weak var session: TransferSession?
        var tasks: [SystemTransfer] = []
        var orders: [TransferOrder] = []
        var cancelled: [Int] = []
        var resumed: [Int] = []
        var lastTask = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
        /// Runs while a task starts, before the library knows it.
        var whileStarting: (@Sendable () -> Void)?
        /// The list of tasks comes once the gate is open.
        var gate: Promise<Void>?
    }

    let state = Mutex(State())
    let files = ScratchFiles()

    var orders: [TransferOrder] { state.withLock(\.orders) }
    var session: TransferSession? { state.withLock { $0.session } }

    func connect(_ session: TransferSession) { state.withLock { $0.session = session } }

    func transfers() async -> [SystemTransfer] {
        try? await state.withLock(\.gate)?.value
        return state.withLock(\.tasks)
    }

    func start(_ order: TransferOrder) -> Int {
        let task = change { state in
            state.lastTask += 1
            state.orders.append(order)
            state.tasks.append(SystemTransfer(task: state.lastTask, id: order.id))
            return state.lastTask
        }
        state.withLock(\.whileStarting)?()
        return task
    }

    func resume(_ task: Int) { state.withLock { $0.resumed.append(task) } }

    func cancel(_ task: Int) {
        change { state in
            state.cancelled.append(task)
            state.tasks.removeAll { $0.task == task }
        }
    }

    /// Returns an order once it was given.
    func order(_ number: Int = 1) async -> TransferOrder {
        await value { $0.orders.count >= number ? $0.orders[number - 1] : nil }
    }

    /// Returns the cancelled tasks once there are as many.
    func cancelled(_ count: Int = 1) async -> [Int] {
        await value { $0.cancelled.count >= count ? $0.cancelled : nil }
    }

    private func change<Value>(_ body: (inout State) -> Value) -> Value {
        let (value, waiters) = state.withLock { state in
            defer { state.waiters = [] }
            return (body(&state), state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return value
    }

    /// Returns a value of the state once there is one.
    private func value<Value: Sendable>(_ find: @Sendable (State) -> Value?) async -> Value {
        while true {
            if let value = state.withLock({ find($0) }) { return value }
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    let isThere = find(state) != nil
                    if !isThere { state.waiters.append(continuation) }
                    return isThere
                }
                if isThere { continuation.resume() }
            }
        }
    }

    // MARK: Events

    private func ended(_ id: String) { state.withLock { $0.tasks.removeAll { $0.id == id } } }

    /// Delivers the file of a download, and the end of its task.
    func deliver(
        _ id: String, _ bytes: Data, status: HTTPStatus = .ok, _ headers: Headers = [:], completes: Bool = true
    ) throws {
        ended(id)
        let location = try files.file(UUID().uuidString, bytes)
        var headers = headers
        if !headers.contains("Content-Length") { headers["Content-Length"] = "\(bytes.count)" }
        let response = HTTPResponse(status: status, headers: headers)
        session?.arrived(id, response, path: "film.mp4", at: location)
        // The system removes what was not taken.
        try? FileManager.default.removeItem(at: location)
        if completes { session?.completed(id, response, nil) }
    }

    /// Delivers the response to an upload.
    func respond(_ id: String, _ body: String, status: HTTPStatus = .ok) {
        ended(id)
        session?.receivedBody(id, Data(body.utf8))
        session?.completed(id, HTTPResponse(status: status, headers: ["Content-Type": "text/plain"]), nil)
    }

    func fail(_ id: String, _ code: RequestError.Code, resumeData: Data? = nil) {
        ended(id)
        session?.completed(id, nil, TransferFailure(code: code, message: "-1", resumeData: resumeData))
    }
}

/// A background session, its folder, and a folder for downloads. The files stay when a process ends.
final class BackgroundSite: Sendable {
    let identifier = "test \(UUID().uuidString)"
    let system = FakeTransfers()
    let kept = ScratchFiles()
    let files = ScratchFiles()
    let client: Client
    let time = Mutex(1_000_000.0)

    init(_ change: (inout Client.Configuration) -> Void = { _ in }) {
        client = Client(baseURL: URL(string: "https://example.com")) { [identifier] in
            $0.backgroundPolicy = .session(identifier)
            $0.retryPolicy = .never
            change(&$0)
        }
    }

    deinit { TransferSession.use(nil, as: identifier) }

    /// Begins a process: what the previous one had in memory is gone.
    @discardableResult
    func launch(onChange: (@Sendable () -> Void)? = nil) -> TransferSession {
        let session = TransferSession(
            identifier, in: TransferFolder(path: kept.url.path, onChange: onChange), system,
            now: { [weak self] in self?.time.withLock { $0 } ?? 0 })
        TransferSession.use(session, as: identifier)
        return session
    }

    var target: URL { files.url.appendingPathComponent("film.mp4") }
    func get() -> GetFile { GetFile(of: client, to: .file(target)) }

    /// Returns once the session has no file. It removes the last ones of a cancelled call after the call has ended.
    func keepsNothing() async {
        while !Self.names(kept).isEmpty { await Task.yield() }
    }

    static func names(_ folder: ScratchFiles) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []).sorted()
    }
}

let filmBytes = Data((0..<5_000).map { UInt8($0 % 251) })

/// An upload of a file.
final class SendFilm: Request<String> {
    let owner: Client
    let file: URL
    init(_ file: URL, _ owner: Client) {
        self.file = file
        self.owner = owner
    }
    override var client: Client { owner }
    override var endpoint: Endpoint { .put("/films/1", body: .file(file)) }
}
