import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores an entry whose body comes in portions, from a store's `writer(for:entry:)`.
///
/// ```swift
/// let writer = try await store.writer(
///     for: "film", entry: CacheEntry(body: Data(), metadata: ["type": "video/mp4"]))
/// for try await portion in download {
///     try await writer.write(portion)
/// }
/// try await writer.commit()
/// ```
///
/// Nothing is visible before ``commit()``, and then all is. A writer that is released without it leaves nothing. Its
/// methods are called one after the other; a second `commit`, or a `write` after it, throws an error.
public final class CacheWriter: Sendable {
    /// What a writer writes to: a file, a connection, a buffer.
    public protocol Target: Sendable {
        /// Takes the next portion.
        nonisolated(nonsending) func write(_ portion: Data) async throws

        /// Makes the entry visible.
        nonisolated(nonsending) func commit() async throws

        /// Leaves nothing behind. Called at most once, instead of `commit` or after it has thrown, on any thread.
        func abandon()
    }

    /// `leaving`: abandoned while it writes, which ends first.
    private enum Phase {
        case open, busy, leaving, finished
    }

    private let target: any Target
    private let phase = Mutex(Phase.open)

    /// A writer, for stores of your own.
    public init(_ target: any Target) {
        self.target = target
    }

    deinit {
        abandon()
    }

    /// Adds a portion to the body. If it throws, the writer is abandoned.
    public nonisolated(nonsending) func write(_ portion: Data) async throws {
        try begin()
        do {
            try await target.write(portion)
        } catch {
            fail()
            throw error
        }
        let isLeaving = phase.withLock { phase in
            defer { phase = phase == .leaving ? .finished : .open }
            return phase == .leaving
        }
        if isLeaving { target.abandon() }
    }

    /// Makes the entry visible, in place of the one that may be there. If it throws, the writer is abandoned.
    public nonisolated(nonsending) func commit() async throws {
        try begin()
        do {
            try await target.commit()
        } catch {
            fail()
            throw error
        }
        phase.withLock { $0 = .finished }
    }

    /// Leaves nothing behind. Does nothing once the writer is committed, or while it is, or abandoned.
    ///
    /// It may be called at any time, on any thread, so that whatever cancels a download can end its writer. A `write` that
    /// is under way ends first.
    public func abandon() {
        let isOpen = phase.withLock { phase in
            defer {
                switch phase {
                case .open: phase = .finished
                case .busy: phase = .leaving
                case .leaving, .finished: break
                }
            }
            return phase == .open
        }
        if isOpen { target.abandon() }
    }

    private func begin() throws {
        try phase.withLock { phase in
            switch phase {
            case .open: phase = .busy
            case .busy:
                throw CacheError(.invalid, "A writer takes one portion at a time: await each write before the next.")
            case .leaving, .finished:
                throw CacheError(.closed, "The writer was committed or abandoned before: make a new one.")
            }
        }
    }

    private func fail() {
        phase.withLock { $0 = .finished }
        target.abandon()
    }
}

extension CacheWriter {
    /// A writer that keeps the body in memory and hands over the whole entry at the end.
    public convenience init(
        buffering entry: CacheEntry, commit: @escaping @Sendable (CacheEntry) async throws -> Void
    ) {
        self.init(Buffer(entry, commit: commit))
    }

    /// Bytes are appended and given up with the lock free, because a body may be memory of the user's, whose release runs
    /// code of the user's.
    private final class Buffer: Target {
        private let entry: Mutex<CacheEntry>
        private let store: @Sendable (CacheEntry) async throws -> Void

        init(_ entry: CacheEntry, commit: @escaping @Sendable (CacheEntry) async throws -> Void) {
            self.entry = Mutex(entry)
            store = commit
        }

        func write(_ portion: Data) {
            var body = takeBody()
            body.append(portion)
            entry.withLock { $0.body = body }
        }

        func commit() async throws {
            try await store(entry.withLock { $0 })
        }

        func abandon() {
            _ = takeBody()
        }

        private func takeBody() -> Data {
            entry.withLock { entry in
                defer { entry.body = Data() }
                return entry.body
            }
        }
    }
}
