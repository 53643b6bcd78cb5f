extension Promise {
    /// Rejects with ``PromiseError/timedOut`` unless this promise settles within a duration, counted from the call.
    ///
    /// ```swift
    /// let user = loadUser(1).timeout(.seconds(300))
    /// ```
    ///
    /// The description of the error has the duration, and names the requests that this promise waited for.
    ///
    /// On a timeout the returned promise leaves this one, which is cancelled unless another consumer waits for it.
    @discardableResult
    public func timeout(_ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) -> Promise {
        let alarm = Alarm()
        let link: Promise = link([.everything, .cleanup, .inline]) { link, source in
            alarm.cancel()
            link.takeOver(source)
        }
        alarm.set(after: duration, on: clock) {
            link.abort(with: PromiseError(timedOutAfter: duration, waitingFor: link))
        }
        return link
    }
}
