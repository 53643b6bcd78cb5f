extension Promise {
    /// Passes on the value after a delay. Errors pass at once.
    ///
    /// ```swift
    /// let later = Promise("tick").delay(.seconds(1))
    /// ```
    @discardableResult
    public func delay(_ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) -> Promise {
        link([.values, .inline]) { link, source in
            guard link.reopen() else { return }
            let alarm = Alarm()
            link.onCancel { alarm.cancel() }
            alarm.set(after: duration, on: clock) {
                link.takeOverOpen(source)
            }
        }
    }
}
