import Synchronization

/// Records the portions of a body while it is delivered. A small body is recorded in memory, a larger one in an entry
/// of its own.
///
/// The reader waits for the store only while more than ``bufferLimit`` bytes wait to be written. If the store takes no
/// bytes for the time of ``SharedStore/recordingWaitLimit``, the recording fails. A failed recording does not affect the delivery.
///
/// One task at a time adds portions.
final class BodyRecorder: Sendable {
    /// The highest size of a body that is stored beside its head, so that one read returns both.
    static let inlineLimit = 32 << 10
    /// The number of bytes that may wait to be written before the reader waits.
    static let bufferLimit = 1 << 20

    fileprivate struct State {
        /// The body, while it is small.
        var beginning = Data()
        var count = 0
        /// The destination of portions once the body is large.
        var output: (portions: AsyncStream<Data>.Continuation, writing: Task<String?, Never>)?
        var waitingBytes = 0
        /// The number of portions that the store has taken.
        var progress = 0
        var reader: CheckedContinuation<Void, Never>?
        var failure: (any Error)?

        var isFull: Bool { waitingBytes > BodyRecorder.bufferLimit && failure == nil }
    }

    private let responseStore: ResponseStore
    private let key: CacheKey
    private let tags: Set<String>
    /// The condition under which the body is wanted; nil if it always is.
    private let condition: ChangeLog.Guard?
    private let state = Mutex(State())

    init(
        _ responseStore: ResponseStore, _ key: CacheKey, tags: Set<String> = [], if condition: ChangeLog.Guard? = nil
    ) {
        self.responseStore = responseStore
        self.key = key
        self.tags = tags
        self.condition = condition
    }

    var count: Int { state.withLock(\.count) }
    var failure: (any Error)? { state.withLock(\.failure) }
    private var isWanted: Bool { failure == nil && condition?.holds ?? true }

    // MARK: Recording

    func add(_ portion: Data) async {
        let isFull = state.withLock { state in
            state.count += portion.count
            guard state.failure == nil else { return false }
            if let output = state.output {
                output.portions.yield(portion)
                state.waitingBytes += portion.count
                return state.isFull
            }
            if state.beginning.isEmpty { state.beginning = portion } else { state.beginning.append(portion) }
            guard state.count > Self.inlineLimit else { return false }
            let output = beginWriting()
            output.portions.yield(state.beginning)
            state.waitingBytes = state.count
            state.beginning = Data()
            state.output = output
            return state.isFull
        }
        if isFull { await waitForRoom() }
    }

    /// Ends the recording, and calls a function with the place of the bytes; nil if the recording failed.
    ///
    /// Bytes in memory are available at once. Others are committed in the background, unless the store is in memory
    /// too. A reader of the key waits for the commit.
    func end(_ body: @escaping @Sendable (StoredContent.Part.Place?) -> Void) async {
        let (here, output) = state.withLock { state in
            (state.failure == nil && state.output == nil ? state.beginning : nil, state.output)
        }
        // A stored body begins at index 0.
        if let here { return body(.here(here.startIndex == 0 ? here : here.copied())) }
        guard let output else { return body(nil) }
        if responseStore.shared.isMemory {
            output.portions.finish()
            return body(await output.writing.value.map { .apart($0) })
        }
        // The job begins before the commit, so that removals wait for it, and retains the recorder until then.
        responseStore.shared.carryOut(under: key) { [self] in
            output.portions.finish()
            let name = await output.writing.value
            withExtendedLifetime(self) { body(name.map { .apart($0) }) }
        }
    }

    func abandon() {
        fail(CancellationError())
    }

    // MARK: Writing

    /// Starts to write the recorded bytes. If the recorder is released before its end, nothing stays in the store.
    private func beginWriting() -> (portions: AsyncStream<Data>.Continuation, writing: Task<String?, Never>) {
        let (portions, continuation) = AsyncStream.makeStream(of: Data.self)
        let writing = Task { [weak self, responseStore, key, tags] () -> String? in
            var output: (writer: CacheWriter, name: String)?
            do {
                for await portion in portions {
                    guard self?.isWanted == true else { break }
                    if output == nil { output = try await responseStore.bodyWriter(for: key, tags: tags) }
                    try await output?.writer.write(portion)
                    self?.wrote(portion.count)
                }
                // A removal that begins after this waits for the commit.
                guard let output, let self, self.isWanted else {
                    output?.writer.abandon()
                    self?.abandon()
                    return nil
                }
                try await output.writer.commit()
                return output.name
            } catch {
                output?.writer.abandon()
                self?.fail(error)
                return nil
            }
        }
        return (continuation, writing)
    }

    private func wrote(_ count: Int) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.waitingBytes -= count
            state.progress += 1
            return state.isFull ? nil : state.takeReader()
        }
        reader?.resume()
    }

    private func waitForRoom() async {
        while true {
            let progress = state.withLock { $0.isFull ? $0.progress : nil }
            guard let progress else { return }
            let timer = Task { [weak self, limit = responseStore.shared.recordingWaitLimit] in
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                self?.giveUp(since: progress)
            }
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    if state.isFull { state.reader = continuation }
                    return state.isFull
                }
                if !waits { continuation.resume() }
            }
            timer.cancel()
        }
    }

    /// Lets the reader go on. If the store has taken no bytes since `progress`, the recording fails.
    private func giveUp(since progress: Int) {
        let reader = state.withLock { state in
            if state.progress == progress {
                state.failure = state.failure ?? CacheError(.busy, "The store was too slow, so the body is not cached.")
            }
            return state.takeReader()
        }
        reader?.resume()
    }

    private func fail(_ error: any Error) {
        let (reader, output, beginning) = state.withLock { state in
            state.failure = state.failure ?? error
            defer { state.beginning = Data() }
            return (state.takeReader(), state.output, state.beginning)
        }
        withExtendedLifetime(beginning) {}
        output?.portions.finish()
        reader?.resume()
    }
}

extension BodyRecorder.State {
    fileprivate mutating func takeReader() -> CheckedContinuation<Void, Never>? {
        defer { reader = nil }
        return reader
    }
}
