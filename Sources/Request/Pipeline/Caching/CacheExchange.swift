/// The use that a call makes of the cache, under one key: it looks up responses, stores, updates and removes them, and reports
/// what it does. A declared policy enters it at the call, the rules of HTTP at the message.
struct CacheExchange: Sendable {
    /// The state before a request is sent. Its response is not stored if a change since then concerns it.
    struct Start: Sendable {
        let time: Double
        /// The mark in the log of changes.
        let mark: Int
        /// The moment in the history of the store.
        var moment = StoreMoment.absent
        /// The number of requests that the call has sent before.
        var sentCount = 0
    }

    let core: CallCore
    let store: ResponseStore
    let key: CacheKey
    /// A Boolean value that indicates whether the key is that of a declared policy, which has negotiated fields.
    let isDeclared: Bool

    var plan: CommonPlan { core.plan }
    var changes: ChangeLog { store.shared.changes }
    var now: Double { plan.client.wallTime.seconds }

    // MARK: Looking up

    /// Returns the cached responses; nil if there are none, or if the store fails.
    func responses() async throws -> StoredResponses? {
        do {
            return try await store.content(of: key)
        } catch let error as CancellationError {
            throw error
        } catch {
            notify(.failed(key, error))
            return nil
        }
    }

    // MARK: Reporting

    func notify(_ activity: @autoclosure () -> CacheActivity) {
        core.notify(.cache(activity()))
    }

    /// Reports a failure of the store. A cancellation is none.
    func notifyFailure(_ error: any Error) {
        if !(error is CancellationError) { notify(.failed(key, error)) }
    }

    /// Reports the outcome of a change: its failure, or an activity if it is done.
    func report(_ activity: CacheActivity? = nil) -> StoreChange.Report {
        guard core.isObserved || !isDeclared else { return { _ in } }
        return { outcome in
            switch outcome {
            case .failed(let error): notify(.failed(key, error))
            case .done: if let activity { notify(activity) }
            case .unchanged: break
            }
        }
    }

    // MARK: Responses

    /// Returns the reason not to store a response that depends on changes by interceptors behind the cache, or nil.
    ///
    /// - Parameter number: The number of requests that the call has sent before the request of the response.
    func difference(
        _ response: HTTPResponse, to request: HTTPRequest, after number: Int = 0
    ) -> CacheExplanation.Reason? {
        SentRequests.difference(
            from: request, core.sent(after: number), response: response.headers,
            hasIdentity: store.identity.name != nil)
    }

    /// Returns the fields of a request that a response varies by, without those that its key stands for.
    func selecting(_ headers: Headers, for request: HTTPRequest) -> [SelectingField] {
        SelectingField.all(
            in: headers, for: request.headers, hasIdentity: store.identity.name != nil,
            negotiated: isDeclared ? ResponseKey.negotiated(isNamed: plan.caching?.ownKey != nil) : [])
    }

    /// Returns a stored response, updated with the headers of a newer response to a request.
    func updated(
        _ stored: StoredResponse, with headers: Headers, for request: HTTPRequest, requestTime: Double,
        responseTime: Double
    ) -> StoredResponse {
        let updated = stored.updated(with: headers, requestTime: requestTime, responseTime: responseTime)
        return updated.varying(like: stored, selecting(updated.headers, for: request))
    }

    /// Returns the response as the observers leave it; nil if one of them rejects it.
    func edited(_ stored: StoredResponse) -> StoredResponse? {
        core.isObserved ? stored.edited(by: core.willStore) : stored
    }

    // MARK: Changing the store

    /// Returns a condition that holds as long as nothing has changed that concerns a response.
    ///
    /// - Parameters:
    ///   - request: The request of the response; nil for a change that is not about a response of the server, which no change
    ///     of its URL makes obsolete.
    ///   - tags: The tags of the response.
    func condition(since start: Start, for request: HTTPRequest?, tags: Set<String>) -> ChangeLog.Guard {
        var places = [store.identity.place] + tags.map { .tag($0) }
        if isDeclared { places.append(.key(key)) }
        if let request {
            let key = isDeclared ? HTTPCacheKey.of(request, identity: store.identity, plan.trust, plan.httpKey) : key
            places += HTTPCacheKey.places(of: key, to: request)
        }
        // After a restart, no sign-out would find what is stored for an identity that was provisional.
        let isPresent = plan.client.identity.current == plan.identity
        let mark = isPresent ? start.mark : ChangeLog.beginning
        return ChangeLog.Guard(log: changes, places: places, mark: mark, moment: start.moment)
    }

    /// Removes the entry of the key, under a condition if there is one.
    func evict(_ reason: CacheActivity.Reason, if condition: ChangeLog.Guard? = nil) {
        store.shared.change(key, StoreChange(.remove, if: condition, report: report(.evicted(key, reason))))
    }

    /// Replaces a response by a newer form of it, unless another response has replaced it meanwhile.
    func replace(
        _ old: StoredResponse, by new: StoredResponse, if condition: ChangeLog.Guard, keepsOutputs: Bool,
        report: @escaping StoreChange.Report
    ) {
        let (id, time) = (old.id, old.responseTime)
        store.change(key, if: condition, keepsOutputs: keepsOutputs, report: report) { responses in
            guard let place = responses.firstIndex(where: { $0.id == id && $0.responseTime == time }) else {
                return nil
            }
            var responses = responses
            responses[place] = new
            return responses
        }
    }

    /// Removes all entries whose keys have a prefix. They are hidden at once, and responses in flight are not stored.
    func remove(_ prefix: CacheKey, _ place: ChangeLog.Place, isReported: Bool = true) {
        changes.note([place])
        store.shared.remove(.prefix(prefix), report: report(isReported ? .evicted(key, .obsolete) : nil))
    }
}
