extension Broadcast where Value == CallProgress {
    /// Takes the newest progress.
    ///
    /// Several threads call this. The progress is read while the value is changed, so that no older one comes later.
    func take(_ newest: () -> CallProgress) {
        update { $0.take(newest()) }
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
