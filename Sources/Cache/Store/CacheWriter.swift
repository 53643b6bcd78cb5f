import Synchronization

/// A writer that stores an entry in portions, returned by a store's `writer(for:entry:)`.
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
/// The whole entry becomes visible with ``commit()``. A writer that is released before leaves nothing behind. Call its
/// methods one after the other; a second `commit`, or a `write` after it, throws.
public final class CacheWriter: Sendable {
    /// The destination of a writer: a file, a connection or a buffer.
    public protocol Target: Sendable {
        /// Adds the next portion.
        nonisolated(nonsending) func write(_ portion: Data) async throws

        /// Makes the entry visible.
        nonisolated(nonsending) func commit() async throws

        /// Removes all that was written. Called at most once, on any thread, instead of `commit` or after it has
        /// thrown.
        func abandon()
    }

    /// `leaving`: abandoned during a write, which ends first.
    private enum Phase {
        case open, busy, leaving, finished
    }

    private let target: any Target
    private let phase = Mutex(Phase.open)

    /// Creates a writer, for stores of your own.
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

    /// Makes the entry visible and replaces the old one, if any. If it throws, the writer is abandoned.
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

    /// Removes all that was written. Does nothing if the writer is committed, committing or abandoned.
    ///
    /// You can call it at any time, on any thread, for example when a download is cancelled. A `write` in flight ends
    /// first.
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
                throw CacheError(.invalid, "Two writes overlap. Await each write before the next.")
            case .leaving, .finished:
                throw CacheError(.closed, "The writer was committed or abandoned. Create a new one.")
            }
        }
    }

    private func fail() {
        phase.withLock { $0 = .finished }
        target.abandon()
    }
}

extension CacheWriter {
    /// Creates a writer that collects the body in memory and passes on the whole entry at the end.
    public convenience init(
        buffering entry: CacheEntry, commit: @escaping @Sendable (CacheEntry) async throws -> Void
    ) {
        self.init(Buffer(entry, commit: commit))
    }

    /// The lock is not held while bytes are appended or released: a body may be memory of the user's, whose release
    /// runs user code.
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
