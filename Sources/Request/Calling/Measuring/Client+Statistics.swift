extension Client {
    /// The counts and times of the client's calls that have ended; empty unless ``Configuration/collectsStatistics`` is true.
    ///
    /// A client that is derived with ``with(_:)`` has statistics of its own.
    public var statistics: ClientStatistics { statisticsRecorder?.statistics ?? ClientStatistics() }

    /// Sets all counts and times of ``statistics`` to zero.
    public func resetStatistics() {
        statisticsRecorder?.reset()
    }
}
