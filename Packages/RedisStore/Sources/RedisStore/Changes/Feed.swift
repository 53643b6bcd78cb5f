import Synchronization
import TangoCache

/// The followers of the changes that other processes have made.
final class Feed: Sendable {
    func finish() {}
}

extension RedisStore {
    func followed(_ event: Loop.FeedEvent) {}
}
