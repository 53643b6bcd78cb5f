import Dispatch
import Synchronization

/// Writes the exchanges of a recording on a queue of its own, so that calls do not wait for it.
///
/// Exchanges wait for a few milliseconds, and are written together. Their number of bytes is bounded: beyond it, the thread that
/// adds one waits until all are written.
final class HARWriter: Sendable {
    private struct Waiting {
        var exchanges: [RecordedExchange] = []
        var size = 0
        /// True once the recording was closed, or has failed.
        var isClosed = false
    }

    private struct File {
        var stream: HARStream?
        var digits = SecretDigits()
        /// The number of entries of a stream that is closed.
        var count = 0
        var dropped = 0
        var error: RecordingError?
    }

    private let limits: HARRecorder.Limits
    private let digest: SecretDigest
    private let waiting = Mutex(Waiting())
    private let file: Mutex<File>
    private let queue = DispatchQueue(label: "tango.recording", qos: .utility)

    /// The highest number of bytes of the exchanges that wait.
    private static let highestSize = 8 << 20
    /// The number of bytes that are written together.
    private static let portion = 1 << 20
    /// Tells whether code runs on the queue of a writer.
    private static let owner = DispatchSpecificKey<ObjectIdentifier>()
    private static let pause = DispatchTimeInterval.milliseconds(5)

    init(path: String, _ limits: HARRecorder.Limits) throws(RecordingError) {
        self.limits = limits
        digest = SecretDigest()
        file = Mutex(File(stream: try HARStream(path: path, digestKey: digest.text)))
        queue.setSpecific(key: Self.owner, value: ObjectIdentifier(self))
    }

    // MARK: Adding

    func add(_ exchange: RecordedExchange) {
        let (isFirst, isFull) = waiting.withLock { waiting in
            guard !waiting.isClosed else { return (false, false) }
            waiting.exchanges.append(exchange)
            waiting.size += exchange.size
            return (waiting.exchanges.count == 1, waiting.size > Self.highestSize)
        }
        if isFirst { queue.asyncAfter(deadline: .now() + Self.pause) { self.write() } }
        if isFull { finish() }
    }

    var isClosed: Bool { waiting.withLock(\.isClosed) }

    // MARK: Results

    /// Returns once all exchanges so far are in the file.
    func finish() {
        queue.sync { write() }
    }

    /// Returns once all exchanges so far are in the file.
    func finish() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.write()
                continuation.resume()
            }
        }
    }

    var count: Int { finished { $0.stream?.count ?? $0.count } }

    var dropped: Int { finished(\.dropped) }

    var error: RecordingError? { finished(\.error) }

    private func finished<Value: Sendable>(_ value: (borrowing File) -> Value) -> Value {
        finish()
        return file.withLock { value($0) }
    }

    func close() {
        queue.sync { end() }
    }

    /// Closes the file of a recorder without owners. The last one may be an exchange that the queue has just written: the
    /// queue cannot wait for itself, and closes the file next.
    func release() {
        guard DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(self) else { return close() }
        queue.async { self.end() }
    }

    /// Writes the exchanges that wait, and completes the file. It runs on the queue.
    private func end() {
        waiting.withLock { $0.isClosed = true }
        write()
        file.withLock { file in
            guard let stream = file.stream else { return }
            file.stream = nil
            file.count = stream.count
            guard file.dropped > 0 else { return }
            do throws(RecordingError) {
                try stream.setComment("\(file.dropped) entries were left out, because of the limits of the recorder")
            } catch {
                file.error = error
            }
        }
    }

    // MARK: Writing

    /// Writes the exchanges that wait. It runs on the queue.
    private func write() {
        let exchanges = waiting.withLock { waiting in
            waiting.size = 0
            return replace(&waiting.exchanges, with: [])
        }
        guard !exchanges.isEmpty else { return }
        file.withLock { file in
            var entries: [[UInt8]] = []
            var size = 0
            for exchange in exchanges {
                guard let stream = file.stream else { return }
                let entry = entry(of: exchange, &file.digits)
                guard stream.count + entries.count < limits.entries, stream.size + size + entry.count < limits.bytes
                else {
                    file.dropped += 1
                    continue
                }
                entries.append(entry)
                size += entry.count
                guard size >= Self.portion else { continue }
                append(entries, to: &file)
                (entries, size) = ([], 0)
            }
            if !entries.isEmpty { append(entries, to: &file) }
        }
    }

    private func append(_ entries: [[UInt8]], to file: inout File) {
        guard let stream = file.stream else { return }
        do throws(RecordingError) {
            try stream.append(entries)
        } catch {
            file.error = error
            file.dropped += entries.count
            file.count = stream.count
            file.stream = nil
            waiting.withLock { $0.isClosed = true }
        }
    }

    private func entry(of exchange: RecordedExchange, _ digits: inout SecretDigits) -> [UInt8] {
        let redaction = exchange.redaction.knowing(exchange.request)
        var entry = HAREntry(exchange, redaction, limit: limits.body)
        // A replay does not know the secrets of the response when it looks for the request.
        if exchange.attempt != nil, let request = exchange.request, let value = digest.value(of: request, redaction) {
            entry.request._digest = digits.add(value, RequestShape(request, redaction))
        }
        return entry.json
    }
}
