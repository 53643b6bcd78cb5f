import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
/// The file is complete after each entry, also if the process is killed. Entries are in memory only while they are written.
/// Secrets are replaced by an ellipsis: see `Client.Configuration.redaction`. A few digits of a digest tell requests with
/// different secrets apart: see ``HARReplay``. Streamed bodies are not recorded.
///
/// **Threads.** A recorder can observe several clients.
public final class HARRecorder: CallObserver {
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
        var stream: HARStream?
        /// The number of entries of a stream that is closed.
        var count = 0
        var dropped = 0
        var error: RecordingError?
        /// The newest attempts that were recorded: calls that share a transfer report the same ones.
        var recorded: Set<Identity> = []
        var order: [Identity] = []
        var digits = SecretDigits()
    }

    private struct Identity: Hashable {
        let started: ContinuousClock.Instant
        let url: URL
    }

    /// The limits of the recording.
    public let limits: Limits
    private let state: Mutex<State>
    private let digest = SecretDigest()
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
        state = Mutex(State(stream: try HARStream(path: file.path, digestKey: digest.text)))
    }

    /// The number of entries that were recorded.
    public var count: Int { state.withLock { $0.stream?.count ?? $0.count } }

    /// The number of entries that were left out because of the limits, or of an error.
    public var dropped: Int { state.withLock(\.dropped) }

    /// The error that has ended the recording, such as a full disk; nil if there is none. Calls go on without the recorder.
    public var error: RecordingError? { state.withLock(\.error) }

    /// Ends the recording. The file remains, and later calls are not recorded.
    ///
    /// If entries were left out, the comment of the file says how many. A recorder that is released is closed too.
    public func close() {
        state.withLock { state in
            guard let stream = state.stream else { return }
            state.stream = nil
            state.count = stream.count
            guard state.dropped > 0 else { return }
            do throws(RecordingError) {
                try stream.setComment("\(state.dropped) entries were left out, because of the limits of the recorder")
            } catch {
                state.error = error
            }
        }
    }

    deinit {
        close()
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
        add(HAREntry(response, of: call, limits.body), secrets: nil)
    }

    private func record(_ attempt: Attempt, _ response: HTTPResponse?, hasBody: Bool, of call: AnyCall) {
        let identity = Identity(started: attempt.started, url: attempt.request.url)
        let isNew = state.withLock { state in
            guard state.stream != nil, state.recorded.insert(identity).inserted else { return false }
            state.order.append(identity)
            if state.order.count >= Self.memory {
                for start in state.order.prefix(Self.memory / 2) { state.recorded.remove(start) }
                state.order.removeFirst(Self.memory / 2)
            }
            return true
        }
        guard isNew else { return }
        let request = HAREntry.request(of: attempt, response, call)
        // The rules of a replay, which does not know the secrets of the response yet.
        let redaction = (call.core.plan.redaction ?? .standard).knowing(request)
        let secrets = digest.value(of: request, redaction).map { ($0, RequestShape(request, redaction)) }
        add(HAREntry(attempt, request, response, hasBody: hasBody, of: call, limits.body), secrets: secrets)
    }

    /// - Parameter secrets: The digest of the secrets of the request, and its other parts.
    private func add(_ entry: HAREntry, secrets: (digest: UInt64, shape: RequestShape)?) {
        var entry = entry
        if let secrets { entry.request._digest = state.withLock { $0.digits.add(secrets.digest, secrets.shape) } }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        let bytes = Result { try encoder.encode(entry) }
        state.withLock { state in
            guard let stream = state.stream else { return }
            do {
                let bytes = try bytes.get()
                guard stream.count < limits.entries, stream.size + bytes.count < limits.bytes else {
                    state.dropped += 1
                    return
                }
                try stream.append(bytes)
            } catch {
                state.error =
                    error as? RecordingError ?? RecordingError(message: "an entry cannot be encoded: \(error)")
                state.dropped += 1
                state.count = stream.count
                state.stream = nil
            }
        }
    }
}

extension HARRecorder: CustomStringConvertible {
    /// The number of entries.
    public var description: String { "HARRecorder, \(count) entries, \(dropped) left out" }
}

extension HARRecorder.Limits: CustomStringConvertible {
    public var description: String { "\(entries) entries, \(bytes) bytes, bodies up to \(body) bytes" }
}
