/// The throughput of a transfer, smoothed over some seconds, and the time that it has left.
///
/// The first progress of a body is the beginning: bytes that a download has resumed do not count, nor does the time before
/// the response.
///
/// ```swift
/// var rate = TransferRate()
/// rate.add(CallProgress(received: 0, receivedTotal: 4_000), at: .zero)
/// rate.add(CallProgress(received: 1_000, receivedTotal: 4_000), at: .seconds(1))
/// print(rate.bytesPerSecond ?? 0, rate.timeLeft ?? .zero)
/// ```
public struct TransferRate: Hashable, Sendable {
    /// The time, in seconds, after which an old throughput counts for a half.
    private static let memory = 3.0
    /// The shortest time between two measurements.
    private static let shortest = 0.1

    private struct Measurement: Hashable {
        let bytes: Int
        let time: Double
    }

    private var last: Measurement?
    private var missing: Int?
    private var isUpload = false

    /// The smoothed throughput; nil until it has been measured.
    public private(set) var bytesPerSecond: Double?

    public init() {}

    /// The estimated time until the end; nil if the total or the throughput is unknown.
    public var timeLeft: Duration? {
        guard let missing, let bytesPerSecond else { return nil }
        if missing == 0 { return .zero }
        guard bytesPerSecond > 0 else { return nil }
        let seconds = Double(missing) / bytesPerSecond
        return seconds < 1e9 ? .milliseconds(Int(seconds * 1000)) : nil
    }

    /// Adds a progress.
    ///
    /// - Parameters:
    ///   - progress: The bytes so far.
    ///   - time: The time since any moment, the same one for each progress of a transfer.
    public mutating func add(_ progress: CallProgress, at time: Duration) {
        // An attempt that begins anew is measured anew.
        guard progress.hasBegun else { return last = nil }
        let (done, total, isUpload) = progress.current
        missing = total.map { max($0 - done, 0) }
        let now = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        guard let last, isUpload == self.isUpload, done >= last.bytes else {
            self.isUpload = isUpload
            self.last = Measurement(bytes: done, time: now)
            return
        }
        let passed = now - last.time
        guard passed >= Self.shortest else { return }
        let latest = Double(done - last.bytes) / passed
        if let old = bytesPerSecond {
            let weight = Self.memory / (Self.memory + passed)
            bytesPerSecond = old * weight + latest * (1 - weight)
        } else {
            bytesPerSecond = latest
        }
        self.last = Measurement(bytes: done, time: now)
    }
}

extension CallProgress {
    /// A Boolean value that indicates whether a body has begun.
    fileprivate var hasBegun: Bool { sent > 0 || sentTotal != nil || received > 0 || receivedTotal != nil }

    /// The bytes and the total of the response, or of the request until the response begins.
    var current: (done: Int, total: Int?, isUpload: Bool) {
        received > 0 || receivedTotal != nil ? (received, receivedTotal, false) : (sent, sentTotal, sentTotal != nil)
    }
}
