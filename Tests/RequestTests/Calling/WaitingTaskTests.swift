import Foundation
import LoopbackServer
import Synchronization
import TangoRequest
import Testing

@testable import TangoPromise
@testable import TestSupport

/// The task that alone waits for a call decodes its response, on the thread that resumes it.
@Suite(.timeLimit(.minutes(20))) struct WaitingTaskTests {
    @TaskLocal static var name = "none"

    /// A model that calls a closure when it is decoded.
    struct Model: Decodable, Sendable {
        static let closures = Mutex<[String: @Sendable () throws -> Void]>([:])

        let id: String

        init(from decoder: any Decoder) throws {
            id = try decoder.singleValueContainer().decode(String.self)
            try Self.closures.withLock { $0.removeValue(forKey: id) }?()
        }
    }

    let site: Site
    /// The names of the tasks that decoded.
    let decoders = Facts()

    init() throws {
        site = try Site()
    }

    /// A call whose response is held by a gate.
    private struct Held {
        let request: Fetch<Model>
        let gate: Gate

        var promise: Promise<Model> { request.promise }

        /// Lets the server respond once tasks wait for the promise.
        func respond(to promise: Promise<Model>, tasks: Int = 1) async throws {
            try await gate.reached()
            while promise.waiters < tasks { await Task.yield() }
            gate.open()
        }
    }

    private func held(
        by serializer: Serializer<Model> = .default, _ client: Client? = nil,
        _ decode: @escaping @Sendable () throws -> Void = {}
    ) -> Held {
        let (id, gate) = (UUID().uuidString, Gate())
        Model.closures.withLock { closures in
            closures[id] = { [decoders] in
                decoders.note(Self.name)
                try decode()
            }
        }
        site.server.answer("/\(id)", with: .json("\"\(id)\"").held(by: gate))
        return Held(request: Fetch(.get("/\(id)"), of: client ?? site.client(), by: serializer), gate: gate)
    }

    private func task(
        _ name: String = "mine", _ priority: TaskPriority = .medium, waitingFor promise: Promise<Model>
    ) -> Task<Model, any Error> {
        Self.$name.withValue(name) { Task(priority: priority) { try await promise.value } }
    }

    /// Returns a call for which a task waits, and whose response is being decoded until the semaphore is signalled.
    private func decodingCall() async throws -> (
        promise: Promise<Model>, task: Task<Model, any Error>, mayEnd: DispatchSemaphore
    ) {
        let (isDecoding, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
        let held = held {
            isDecoding.open()
            mayEnd.wait()
        }
        let promise = held.promise
        let task = task(waitingFor: promise)
        try await held.respond(to: promise)
        try await isDecoding.opened()
        return (promise, task, mayEnd)
    }

    /// One task at a time decodes, and tests run together, so this one may need some tries.
    @Test(arguments: [TaskPriority.userInitiated, .medium])
    func taskThatWaitsDecodes(_ priority: TaskPriority) async throws {
        repeat {
            let held = held()
            let promise = held.promise
            let task = task("mine", priority, waitingFor: promise)
            try await held.respond(to: promise)
            _ = try await task.value
        } while decoders.all.last != "mine"
    }

    /// Decoding that blocks keeps one thread of tasks at most.
    @Test func workerDecodesWhileATaskDecodes() async throws {
        var isAlone = false
        while !isAlone {
            let slow = try await decodingCall()
            isAlone = decoders.all.last == "mine"
            if isAlone {
                let other = held()
                let promise = other.promise
                let task = task("other", waitingFor: promise)
                try await other.respond(to: promise)
                _ = try await task.value
                #expect(decoders.all.last == "none")
            }
            slow.mayEnd.signal()
            _ = try await slow.task.value
        }
    }

    enum Other: CaseIterable {
        case mainActor, actor, utility, executor, serializer, callback
    }

    private actor Worker {
        func value(of promise: Promise<Model>) async throws -> Model { try await promise.value }
    }

    private final class Line: TaskExecutor {
        let queue = DispatchQueue(label: "line")
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Decoding must not hold up an actor, an executor or a callback, nor wait for a task of a low priority. A serializer of the
    /// application may block.
    @Test(arguments: Other.allCases)
    func otherwiseAWorkerDecodes(_ other: Other) async throws {
        let decoder = Serializer<Model> { try JSONDecoder().decode(Model.self, from: $0.body) }
        let held = held(by: other == .serializer ? decoder : .default)
        let call = other == .callback ? held.request.start { _, _ in } : held.request.start()
        let promise = call.promise
        let line = Line()
        let task = Self.$name.withValue("mine") {
            switch other {
            case .mainActor: Task { @MainActor in try await promise.value }
            case .actor: Task { try await Worker().value(of: promise) }
            case .utility: Task(priority: .utility) { try await promise.value }
            case .executor: Task(executorPreference: line) { try await promise.value }
            case .serializer, .callback: Task { try await promise.value }
            }
        }
        try await held.respond(to: promise)
        // Waiting for a task would raise its priority.
        while promise.isPending { await Task.yield() }
        _ = try await task.value
        #expect(decoders.all == ["none"])
    }

    @Test func tasksThatWaitTogetherLetAWorkerDecode() async throws {
        let held = held()
        let promise = held.promise
        let tasks = (0..<2).map { _ in task(waitingFor: promise) }
        try await held.respond(to: promise, tasks: 2)
        for task in tasks { _ = try await task.value }
        #expect(decoders.all == ["none"])
    }

    /// The first response is not decoded, so the task waits again. What sends the request again takes over nothing of the task.
    @Test func taskWaitsForTheNextAttempt() async throws {
        let names = Facts()
        let client = site.client().with {
            $0.retryPolicy = .custom { _ in
                names.note(Self.name)
                return .zero
            }
        }
        for _ in 0..<5 {
            let held = held(client)
            site.server.enqueue(.text("busy", status: 503).held(by: held.gate))
            let promise = held.promise
            let task = task(waitingFor: promise)
            try await held.respond(to: promise)
            _ = try await task.value
        }
        #expect(names.all == Array(repeating: "none", count: 5))
    }

    @Test func taskThatIsCancelledWhileItDecodesThrows() async throws {
        let (promise, task, mayEnd) = try await decodingCall()
        task.cancel()
        #expect(!promise.isPending)
        mayEnd.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// Those that come later have the output at the same time.
    @Test func othersMayJoinWhileTheTaskDecodes() async throws {
        let (promise, task, mayEnd) = try await decodingCall()
        let lengths = promise.map(\.id.count)
        mayEnd.signal()
        #expect(try await lengths.value == 36)
        _ = try await task.value
    }

    @Test func errorOfTheModelIsThrown() async throws {
        struct Broken: Error {}
        let held = held { throw Broken() }
        let promise = held.promise
        let task = task(waitingFor: promise)
        try await held.respond(to: promise)
        await #expect(throws: (any Error).self) { try await task.value }
    }
}

extension AnyPromise {
    /// The number of consumers that wait.
    fileprivate var waiters: Int {
        locked {
            var count = 0
            _ = consumers.visit(atMost: 10) { _ in count += 1 }
            return count
        }
    }
}
