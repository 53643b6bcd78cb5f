extension Request {
    /// The cached output, and then the new one: for a screen that shows something at once.
    ///
    /// Each iteration starts a call. If the ``cachePolicy`` reads the cache first, the call sends the request in any
    /// case, as ``CachePolicy/cacheThenNetwork`` does. With ``CachePolicy/http``, a fresh response is the only value. A
    /// stale response comes first, unless its server forbids that. The response of the server follows if it differs.
    /// With any other policy, there is one value. Leaving the loop cancels the call.
    public nonisolated final var values: CallValues<Output> {
        let plan = Plan(self, follows: true)
        return CallValues {
            let call = Call.start(plan, lifetime: .managed)
            return call.outcome.values { call.cancel() }
        }
    }
}
