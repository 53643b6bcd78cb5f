import Synchronization

/// Records calls in the format HAR 1.2, which the developer tools of browsers open.
///
/// ```swift
/// let recorder = try HARRecorder(file: file)
/// let api = Client(baseURL: url) { $0.observers.append(recorder) }
/// ```
///
/// Each attempt is an entry, and so is each response from the cache. Fields that begin with an underscore say more than the
/// format knows: the call, the number and the reason of the attempt, and the use of the cache.
///
/// The file is complete after each write, also if the process is killed. Calls do not wait for it: entries are in memory for a
/// few milliseconds, and are written together on a thread of the recorder. ``close()`` and `Client.shutdown()` return once
/// all are in the file.
///
/// Secrets are replaced by an ellipsis: see `Client.Configuration.redaction`. A few digits of a digest tell requests with
/// different secrets apart: see ``HARReplay``. Streamed bodies are not recorded.
///
/// **Threads.** A recorder can observe several clients.
public final class HARRecorder: QuickObserver {
    /// The limits of a recording.
    public struct Limits: Sendable, Hashable {
        /// The highest number of entries. Later ones are counted, and not recorded.
        public var entries: Int
        /// The highest number of bytes of the file.
        public var bytes: Int
        /// The highest number of bytes of a body. The entry of a longer one has its size only.
        public var body: Int

        /// Creates limits.
        public init(entries: Int = 100_000, bytes: Int = 512 << 20, body: Int = 1 << 20) {
            self.entries = entries
            self.bytes = bytes
            self.body = body
        }
    }

    private struct State {
        /// The newest attempts that were recorded: calls that share a transfer report the same ones.
        var recorded: Set<Identity> = []
        var order: [Identity] = []
    }

    private struct Identity: Hashable {
        let started: ContinuousClock.Instant
        let url: URL
    }

    /// The limits of the recording.
    public let limits: Limits
    let writer: HARWriter
    private let state = Mutex(State())
    /// The number of attempts that are known to be recorded. More calls than these do not share one transfer.
    private static let memory = 4_096

    /// Creates a file and records into it. A file that is there is replaced.
    ///
    /// - Parameters:
    ///   - file: The file, usually with the extension `har`. Beside it, two files with further extensions exist until the
    ///     recorder is closed.
    ///   - limits: The limits of the recording.
    /// - Throws: A ``RecordingError`` if the file cannot be created.
    public init(file: URL, limits: Limits = Limits()) throws(RecordingError) {
        self.limits = limits
        writer = try HARWriter(path: file.path, limits)
    }

    /// The number of entries in the file. It includes those of all calls that have ended.
    public var count: Int { writer.count }

    /// The number of entries that were left out because of the limits, or of an error.
    public var dropped: Int { writer.dropped }

    /// The error that has ended the recording, such as a full disk; nil if there is none. Calls go on without the recorder.
    public var error: RecordingError? { writer.error }

    /// Returns once the exchanges of all calls that have ended are in the file.
    package func finish() async {
        await writer.finish()
    }

    /// Ends the recording, and returns once the file is complete. The file remains, and later calls are not recorded.
    ///
    /// If entries were left out, the comment of the file says how many. A recorder that is released is closed too.
    public func close() {
        writer.close()
    }

    deinit {
        writer.release()
    }

    // MARK: Events

    public func observe(_ event: CallEvent) {
        let call = event.call
        switch event.kind {
        case .response(let response):
            guard let number = event.attempt else { return }
            let attempts = call.attempts.prefix { $0.number <= number }
            guard let last = attempts.last, last.number == number else { return }
            // Those before it had no response, or a streamed one. A replay needs the order. The log of an event stream
            // leaves them out in the end.
            for attempt in attempts.dropLast() where attempt.ended != nil && attempt.cause != .refresh {
                record(attempt, attempt.response, hasBody: false, of: call)
            }
            if !response.isStreaming { record(last, response, hasBody: true, of: call) }
        case .finished: recordEnd(of: call)
        case .cache(.refreshed):
            // The refresh has made its attempt after the end of the call.
            guard let attempt = call.attempts.last(where: { $0.cause == .refresh }) else { return }
            record(attempt, attempt.response, hasBody: false, of: call)
        default: break
        }
    }

    /// Records the attempts that had no response, or a streamed one, and a response from the cache.
    private func recordEnd(of call: AnyCall) {
        let attempts = call.attempts
        for attempt in attempts where attempt.cause != .refresh && !attempt.isOfOthers {
            record(attempt, attempt.response, hasBody: false, of: call)
        }
        guard attempts.allSatisfy({ $0.cause == .refresh }), let response = call.response, response.source.isCache
        else {
            return
        }
        writer.add(RecordedExchange(cached: response, of: call))
    }

    private func record(_ attempt: Attempt, _ response: HTTPResponse?, hasBody: Bool, of call: AnyCall) {
        guard !writer.isClosed else { return }
        let identity = Identity(started: attempt.started, url: attempt.request.url)
        let isNew = state.withLock { state in
            guard state.recorded.insert(identity).inserted else { return false }
            state.order.append(identity)
            if state.order.count >= Self.memory {
                for start in state.order.prefix(Self.memory / 2) { state.recorded.remove(start) }
                state.order.removeFirst(Self.memory / 2)
            }
            return true
        }
        if isNew { writer.add(RecordedExchange(attempt, response, hasBody: hasBody, of: call)) }
    }
}

extension HARRecorder: CustomStringConvertible {
    /// The number of entries.
    public var description: String { "HARRecorder, \(count) entries, \(dropped) left out" }
}

extension HARRecorder.Limits: CustomStringConvertible {
    public var description: String { "\(entries) entries, \(bytes) bytes, bodies up to \(body) bytes" }
}
