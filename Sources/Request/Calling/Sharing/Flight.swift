import Synchronization

/// A transfer that calls share. It is a run of its own, which is not listed among the calls of the client.
struct Flight: Sendable {
    let core: CallCore
    let waiters: Waiters

    init(_ key: FlightKey, of call: CallCore, sending message: HTTPRequest) {
        let waiters = Waiters(key, message, of: call)
        self.waiters = waiters
        core = CallCore(
            call.plan.sending(message), receiver: .waiters(waiters), lifetime: .managed,
            events: call.isObserved ? SharedEvents(waiters) : nil)
        let next = call.state.withLock { replace(&$0.values[NextAttempt.self], with: nil) }
        if let next { core.state.withLock { $0.values[NextAttempt.self] = next } }
    }

    /// Returns whether a call still waits for the transfer.
    func isWaiting(_ number: Int) -> Bool {
        waiters.sharedTransfers.isWaiting(number, in: waiters)
    }

    /// Removes a call that waits. With the last one, the transfer is cancelled.
    func leave(_ number: Int) {
        if waiters.sharedTransfers.leave(waiters, number) {
            core.cancel()
        } else if waiters.havePriorities.load(ordering: .relaxed) {
            core.updatePriority()
        }
    }
}

/// The calls that wait for a transfer.
final class Waiters: @unchecked Sendable {
    // Unchecked: the rest is constant, and `calls` and what follows is guarded by the lock of ``SharedTransfers``.

    let key: FlightKey
    let message: HTTPRequest
    /// The number of the call that began the transfer.
    let firstCall: UInt64
    let sharedTransfers: SharedTransfers
    /// A Boolean value that indicates whether a call has, or had, another priority than the first one.
    let havePriorities = Atomic(false)
    private let changes: ChangeLog
    /// The mark of the ``ChangeLog`` at the beginning, and the number of changes until then.
    private let mark: Int
    private let revision: Int
    /// The calls by their numbers; nil for those that have left.
    @exclusivity(unchecked) var calls: [CallCore?] = []
    /// The number of calls that wait.
    @exclusivity(unchecked) var count = 0
    /// The events that calls which join later are notified of: the request that was sent, and the responses.
    @exclusivity(unchecked) var announcements: [CallEvent.Content] = []

    init(_ key: FlightKey, _ message: HTTPRequest, of call: CallCore) {
        let client = call.plan.client
        self.key = key
        self.message = message
        firstCall = call.id
        sharedTransfers = client.sharedTransfers
        changes = client.changes
        revision = changes.revision
        mark = changes.begin()
    }

    /// Returns whether a call may share the transfer: nothing has changed since it began that concerns the response.
    func isCurrent(for call: CallCore) -> Bool {
        isUnchanged || !changes.hasChanged(call.plan.places(of: message), since: mark)
    }

    /// A Boolean value that indicates whether nothing has changed since the transfer began.
    var isUnchanged: Bool { changes.revision == revision }
}

/// Passes the events of a transfer on to the calls that share it, which deliver them to their observers.
private final class SharedEvents: EventListener {
    private let waiters: Waiters

    init(_ waiters: Waiters) {
        self.waiters = waiters
    }

    func attach(to core: CallCore) {}

    func notify(_ content: CallEvent.Content, of core: CallCore) {
        notifyFromTransport(content)
    }

    func notifyFromTransport(_ content: CallEvent.Content) {
        switch content.kind {
        case .willStart, .finished: break
        default:
            let calls = waiters.sharedTransfers.calls(of: waiters, notifiedOf: content)
            for call in calls { call.notify(ofShared: content) }
        }
    }

    /// The calls wait for their observers themselves.
    func afterEvents(_ work: @escaping @Sendable () -> Void) { work() }

    /// Passes an entry through the observers of all calls, one after the other.
    func willStore(_ entry: CacheEntry, of core: CallCore) -> CacheEntry? {
        var entry = entry
        for call in waiters.sharedTransfers.calls(of: waiters) {
            guard let edited = call.willStore(entry) else { return nil }
            entry = edited
        }
        return entry
    }
}

/// The end of a transfer, which is that of its calls.
extension Waiters {
    func end(of core: CallCore, _ outcome: Result<HTTPResponse, any Error>) {
        if case .success(let response) = outcome, core.plan.mayHaveChanges(response) {
            core.plan.client.changes.note(response, of: core)
        }
        let calls = end(of: core, as: .success, error: nil)
        for calls in Self.groups(calls) { calls[0].arrive(outcome, with: calls.dropFirst()) }
    }

    @inline(never)
    func end(of core: CallCore, _ error: any Error, as kind: FinishedState) {
        for call in end(of: core, as: kind, error: error) { call.arrive(.failure(error)) }
    }

    /// Ends the transfer, and returns its calls, which get its log, its wait for a network, and the explanation of the HTTP cache.
    @inline(never)
    private func end(of core: CallCore, as kind: FinishedState, error: (any Error)?) -> [CallCore] {
        let calls = sharedTransfers.end(self)
        if core.finish(kind, error: error) { core.hasSettled() }
        let (attempts, wait) = (core.attempts, core.waitedTime)
        let mayRefresh = core.plan.cachePolicy.fetch == .http && core.plan.client.httpCache != nil
        for call in calls { call.add(attempts, waited: wait, of: mayRefresh ? core : nil) }
        if let cache = core.cache { for call in calls { call.cache?.takeOver(from: cache) } }
        return calls
    }

    /// The properties that calls have in common if they make the same output of a response.
    private struct Kind: Hashable {
        let type: ObjectIdentifier
        let form: SerializerForm?
        /// The serializer, if its form is not known. Closures cannot be compared, so only the same one makes the same
        /// output.
        let decoder: ObjectIdentifier?

        init(_ call: CallCore) {
            type = ObjectIdentifier(call.plan.requestType)
            form = call.plan.form
            if form == nil, case .call(let decoder, _) = call.receiver {
                self.decoder = ObjectIdentifier(decoder)
            } else {
                decoder = nil
            }
        }
    }

    /// Groups the calls that make the same output of the response.
    private static func groups(_ calls: [CallCore]) -> [[CallCore]] {
        guard let first = calls.first else { return [] }
        let kind = Kind(first)
        // Mostly there is one kind.
        if calls.allSatisfy({ Kind($0) == kind }) { return [calls] }
        var places: [Kind: Int] = [:]
        var groups: [[CallCore]] = []
        for call in calls {
            let kind = Kind(call)
            if let place = places[kind] {
                groups[place].append(call)
            } else {
                places[kind] = groups.count
                groups.append([call])
            }
        }
        return groups
    }
}
