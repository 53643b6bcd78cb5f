import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TangoPromise
@testable import TestSupport

/// The task that alone waits for a call makes its output, on the thread that resumes it.
@Suite(.timeLimit(.minutes(20))) struct WaitingTaskTests {
    @TaskLocal static var name = "none"

    let site: Site
    let gate = Gate()
    /// The names of the tasks that made the output.
    let makers = Facts()

    init() throws {
        site = try Site()
        site.server.answer("/a", with: .text("a").held(by: gate))
    }

    private func fetch(_ make: @escaping @Sendable () throws -> Void = {}) -> Fetch<String> {
        Fetch(
            .get("/a"), of: site.client(),
            by: Serializer { [makers] response in
                makers.note(Self.name)
                try make()
                return String(decoding: response.body, as: UTF8.self)
            })
    }

    /// Lets the server respond once tasks wait for the promise.
    private func respond(to promise: Promise<String>, tasks: Int = 1, opening gate: Gate? = nil) async throws {
        let gate = gate ?? self.gate
        try await gate.reached()
        while promise.waiters < tasks { await Task.yield() }
        gate.open()
    }

    /// One task at a time makes an output, and tests run together, so this one may need some tries.
    @Test(arguments: [TaskPriority.userInitiated, .medium])
    func taskThatWaitsMakesTheOutput(_ priority: TaskPriority) async throws {
        repeat {
            let gate = Gate()
            site.server.answer("/a", with: .text("a").held(by: gate))
            let promise = fetch().promise
            let task = Self.$name.withValue("mine") { Task(priority: priority) { try await promise.value } }
            try await respond(to: promise, opening: gate)
            #expect(try await task.value == "a")
        } while makers.all.last != "mine"
    }

    /// A serializer that blocks keeps one thread of tasks at most.
    @Test func workerMakesTheOutputWhileATaskMakesAnother() async throws {
        var isAlone = false
        while !isAlone {
            let (first, second) = (Gate(), Gate())
            site.server.answer("/a", with: .text("a").held(by: first))
            let (isMaking, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
            let slow = fetch {
                isMaking.open()
                mayEnd.wait()
            }.promise
            let slowTask = Self.$name.withValue("mine") { Task { try await slow.value } }
            try await respond(to: slow, opening: first)
            try await isMaking.opened()
            isAlone = makers.all.last == "mine"
            if isAlone {
                site.server.answer("/a", with: .text("a").held(by: second))
                let promise = fetch().promise
                let task = Self.$name.withValue("other") { Task { try await promise.value } }
                try await respond(to: promise, opening: second)
                #expect(try await task.value == "a")
                #expect(makers.all.last == "none")
            }
            mayEnd.signal()
            #expect(try await slowTask.value == "a")
        }
    }

    enum Other: CaseIterable {
        case mainActor, actor, utility, executor
    }

    private actor Worker {
        func value(of promise: Promise<String>) async throws -> String { try await promise.value }
    }

    private final class Line: TaskExecutor {
        let queue = DispatchQueue(label: "line")
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Making an output must not hold up an actor or an executor, nor wait for a task of a low priority.
    @Test(arguments: Other.allCases)
    func otherTasksLetAWorkerMakeIt(_ other: Other) async throws {
        let promise = fetch().promise
        let line = Line()
        let task = Self.$name.withValue("mine") {
            switch other {
            case .mainActor: Task { @MainActor in try await promise.value }
            case .actor: Task { try await Worker().value(of: promise) }
            case .utility: Task(priority: .utility) { try await promise.value }
            case .executor: Task(executorPreference: line) { try await promise.value }
            }
        }
        try await respond(to: promise)
        // Waiting for a task would raise its priority.
        while promise.isPending { await Task.yield() }
        #expect(try await task.value == "a")
        #expect(makers.all == ["none"])
    }

    @Test func tasksThatWaitTogetherLetAWorkerMakeIt() async throws {
        let promise = fetch().promise
        let tasks = (0..<2).map { _ in Self.$name.withValue("mine") { Task { try await promise.value } } }
        try await respond(to: promise, tasks: 2)
        for task in tasks { #expect(try await task.value == "a") }
        #expect(makers.all == ["none"])
    }

    /// The response of the first attempt makes no output, so the task waits again.
    @Test func taskWaitsForTheNextAttempt() async throws {
        site.server.enqueue(.text("busy", status: 503).held(by: gate))
        let client = site.client().with { $0.retryPolicy = .exponential(base: .zero, cap: .zero) }
        let promise = Fetch<String>(.get("/a"), of: client).promise
        let task = Task { try await promise.value }
        try await respond(to: promise)
        #expect(try await task.value == "a")
        #expect(site.server.requestCount == 2)
    }

    @Test func taskThatIsCancelledWhileItMakesTheOutputThrows() async throws {
        let (isMaking, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
        let promise = fetch {
            isMaking.open()
            mayEnd.wait()
        }.promise
        let task = Task { try await promise.value }
        try await respond(to: promise)
        try await isMaking.opened()
        task.cancel()
        #expect(!promise.isPending)
        mayEnd.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// Those that come later have the output at the same time.
    @Test func othersMayJoinWhileTheTaskMakesTheOutput() async throws {
        let (isMaking, mayEnd) = (Gate(), DispatchSemaphore(value: 0))
        let promise = fetch {
            isMaking.open()
            mayEnd.wait()
        }.promise
        let task = Task { try await promise.value }
        try await respond(to: promise)
        try await isMaking.opened()
        let lengths = promise.map(\.count)
        mayEnd.signal()
        #expect(try await lengths.value == 1)
        #expect(try await task.value == "a")
    }

    @Test func errorOfTheSerializerIsThrown() async throws {
        struct Broken: Error {}
        let promise = fetch { throw Broken() }.promise
        let task = Task { try await promise.value }
        try await respond(to: promise)
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
