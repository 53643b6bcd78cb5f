import Synchronization

/// The changes that other processes make to a shared store, in order. It begins with ``CacheChange/all``.
///
/// After an interruption, ``CacheChange/all`` stands for the changes that were missed.
public struct CacheChanges: AsyncSequence, Sendable {
    /// The end at which a store adds changes.
    public struct Source: Sendable {
        fileprivate let continuation: AsyncStream<CacheChange>.Continuation

        /// Adds a change. If the reader is too slow, it gets ``CacheChange/all`` in place of the oldest changes.
        public func add(_ change: CacheChange) {
            if case .dropped = continuation.yield(change) { continuation.yield(.all) }
        }

        /// Ends the sequence.
        public func finish() {
            continuation.finish()
        }
    }

    /// The number of changes that may wait for the reader.
    private static let limit = 4_096

    private let stream: AsyncStream<CacheChange>

    /// Returns whether no change since the creation was missed. Then a reader that had no copies at that time may skip
    /// the first ``CacheChange/all``. Call it when that has arrived.
    var isComplete: @Sendable () -> Bool = { false }

    /// Creates a sequence and its source, for stores of your own.
    ///
    /// - Parameter onEnd: Called once when the reader or the source has ended it.
    public static func make(onEnd: @escaping @Sendable () -> Void = {}) -> (changes: CacheChanges, source: Source) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CacheChange.self, bufferingPolicy: .bufferingNewest(limit))
        continuation.onTermination = { _ in onEnd() }
        return (CacheChanges(stream: stream), Source(continuation: continuation))
    }

    private init(stream: AsyncStream<CacheChange>) {
        self.stream = stream
    }

    public func makeAsyncIterator() -> AsyncStream<CacheChange>.Iterator {
        stream.makeAsyncIterator()
    }
}
