extension Broadcast where Value == CallProgress {
    /// Takes the newest progress.
    ///
    /// Several threads call this. The progress is read while the value is changed, so that no older one comes later.
    func take(_ newest: () -> CallProgress) {
        update { $0.take(newest()) }
    }

    /// Follows the progress of a run, or of the transfer that it shares.
    func follow(_ shared: CallCore?, or core: CallCore) {
        if let shared {
            Task { for await progress in shared.followProgress() { take { progress } } }
        } else {
            let progress = core.transportProgress
            progress.follow { [weak progress] newest in self.take { progress?.snapshot ?? newest } }
            // The bytes that passed since the snapshot.
            take { progress.snapshot }
        }
    }

    /// Takes the last progress, and ends.
    func end(with last: CallProgress) {
        end { $0.take(last) }
    }
}

extension CallProgress {
    /// Returns false if nothing changes.
    fileprivate mutating func take(_ newest: CallProgress) -> Bool {
        guard self != newest else { return false }
        self = newest
        return true
    }
}
