import Foundation
import Synchronization
import Testing

@testable import TangoCache

/// User code is neither called nor released while a lock of the store is held.
@Suite struct LockTests {
    /// Runs a closure when it is released.
    private final class Last: Sendable {
        private let work: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void) {
            self.work = work
        }

        deinit {
            work()
        }
    }

    @Test func aHandlerThatIsReplacedIsReleasedOutsideTheLock() {
        let hook = Hook { _ in }
        let isReleased = Guarded(false)
        do {
            let last = Last { [unowned hook] in
                hook.report(.swept(files: 1))
                isReleased.change { $0 = true }
            }
            hook.report = { _ in withExtendedLifetime(last) {} }
        }
        hook.report = { _ in }
        #expect(isReleased.value)
    }

    @Test func aBodyThatWasReadToItsEndIsReleasedOutsideTheLock() async throws {
        let count = 600_000
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 8)
        memory.initializeMemory(as: UInt8.self, repeating: 7, count: count)
        let rest = Guarded<UnreadBody?>(nil)
        let isReleased = Guarded(false)
        do {
            let body = Data(
                bytesNoCopy: memory, count: count,
                deallocator: .custom { memory, _ in
                    memory.deallocate()
                    #expect(rest.value?.next() == nil)
                    isReleased.change { $0 = true }
                })
            rest.change { $0 = UnreadBody(body) }
        }
        var read = 0
        while let portion = rest.value?.next() { read += portion.count }
        #expect(read == count)
        let last = rest.change { rest in
            defer { rest = nil }
            return rest
        }
        _ = last
    }

    /// Returns whether another thread can take the locks while this one waits for it. Takes long only if it cannot.
    private static func isFree(_ work: @escaping @Sendable () -> Void) -> Bool {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            work()
            isDone.signal()
        }
        return isDone.wait(timeout: .now() + 20) == .success
    }

    /// A clock or event handler that records whether another thread can take all locks meanwhile.
    private final class Probe: Sendable {
        let engine = Guarded<DiskStore?>(nil)
        let free = Guarded<[Bool]>([])
        private let take: @Sendable (DiskStore) -> Void

        init(_ take: @escaping @Sendable (DiskStore) -> Void) {
            self.take = take
        }

        /// Checks the locks once, if there is an engine.
        func look() {
            let engine = engine.change { engine in
                defer { engine = nil }
                return engine
            }
            guard let engine else { return }
            let isFree = LockTests.isFree { [take] in take(engine) }
            free.change { $0.append(isFree) }
        }
    }

    private static let written = Date(timeIntervalSinceReferenceDate: 990)

    private static let uses: [(name: String, use: @Sendable (DiskStore) async throws -> Void)] = [
        ("getAtOnce", { _ = $0.getAtOnce("19") }),
        ("getManyAtOnce", { _ = $0.getManyAtOnce(["19", "18"]) }),
        ("get", { _ = try $0.load("19") }),
        ("getMany", { _ = try $0.loadMany(["19", "none"]) }),
        ("reader", { _ = try await $0.reader(for: "19") }),
        ("entries", { for try await _ in $0.entries() {} }),
        ("inspect", { _ = try await $0.inspect() }),
        ("maintain", { try await $0.maintain() }),
        (
            "set",
            { engine in
                for number in 20..<40 {
                    let entry = CacheEntry(body: Data(count: 5_000), written: LockTests.written)
                    try await engine.setMany([("\(number)", entry)])
                }
            }
        ),
    ]

    @Test(arguments: uses.indices) func theClockOfADatabaseIsAskedWithNothingLocked(_ index: Int) async throws {
        let folder = try DatabaseFolder()
        let probe = Probe { engine in
            engine.connection.wait(upTo: 10_000)
            engine.writer.close()
            engine.readers.close()
        }
        let owner = try folder.engine(now: { Date(timeIntervalSinceReferenceDate: 1_000) })
        for number in 0..<20 {
            try await owner.setMany([("\(number)", CacheEntry(body: Data(count: 5_000), written: Self.written))])
        }
        owner.closeFiles()
        let engine = try DiskStore(
            directory: folder.folder.url, limits: CacheLimits(bytes: 60_000, age: .seconds(60)),
            onEvent: { _ in },
            now: {
                probe.look()
                return Date(timeIntervalSinceReferenceDate: 1_000)
            })
        // Opens the connections.
        _ = try engine.loadMany(["19"])
        probe.engine.change { $0 = engine }
        // An engine that the probe closes may throw.
        try? await Self.uses[index].use(engine)
        probe.look()
        // The maintenance that an engine starts in the background may be the first to look, and may not have finished.
        while probe.free.value.isEmpty { await Task.yield() }
        #expect(probe.free.value == [true], "\(Self.uses[index].name)")
        engine.closeFiles()
    }

    @Test func eventsOfADatabaseAreReportedWithNothingLocked() async throws {
        let folder = try DatabaseFolder()
        let probe = Probe { engine in
            engine.connection.wait(upTo: 10_000)
            engine.writer.close()
            engine.readers.close()
        }
        let engine = try DiskStore(
            directory: folder.folder.url, limits: CacheLimits(count: 2),
            onEvent: { event in
                if case .evicted = event { probe.look() }
            })
        probe.engine.change { $0 = engine }
        for number in 0..<5 {
            try? await engine.setMany([("\(number)", CacheEntry(body: Data([1]), written: Date()))])
        }
        #expect(probe.free.value == [true])
        engine.closeFiles()
    }
}
