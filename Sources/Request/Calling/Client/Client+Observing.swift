import Synchronization

/// The observers of all clients.
enum GlobalObservers {
    private struct State: ~Copyable {
        var observers: [(number: Int, observer: any CallObserver)] = []
        var last = 0
    }

    private static let state = Mutex(State())
    private static let areThereAny = Atomic<Bool>(false)

    static var all: [any CallObserver] {
        areThereAny.load(ordering: .relaxed) ? state.withLock { $0.observers.map(\.observer) } : []
    }

    static func add(_ observer: any CallObserver) -> Int {
        state.withLock { state in
            state.last += 1
            state.observers.append((state.last, observer))
            areThereAny.store(true, ordering: .relaxed)
            return state.last
        }
    }

    static func remove(_ number: Int) {
        let removed = state.withLock { state -> (any CallObserver)? in
            guard let place = state.observers.firstIndex(where: { $0.number == number }) else { return nil }
            let observer = state.observers.remove(at: place).observer
            areThereAny.store(!state.observers.isEmpty, ordering: .relaxed)
            return observer
        }
        withExtendedLifetime(removed) {}
    }
}

/// The observation of all clients, until it is ended: see ``Client/observe(_:)``.
public struct GlobalObservation: Sendable {
    fileprivate let number: Int

    /// Removes the observer. It is still notified of calls that have already started, until they end.
    public func end() {
        GlobalObservers.remove(number)
    }
}

/// The number of calls in flight in the process.
enum GlobalActivity {
    private static let count = Atomic<Int>(0)
    private static let broadcast = ActivityBroadcast()

    static func change(by difference: Int) {
        let (old, new) = count.add(difference, ordering: .sequentiallyConsistent)
        if old == 0 || new == 0 { broadcast.deliver { value } }
    }

    static var value: Int { count.load(ordering: .sequentiallyConsistent) }

    /// The number now, and after each change to zero or from zero.
    static var values: AsyncStream<Int> { broadcast.values { value } }
}

/// The parts of the clients of the process.
enum LiveClients {
    private struct Entry {
        weak var client: ClientParts?
    }

    private static let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    static var all: [ClientParts] {
        entries.withLock { entries in entries.values.map(\.client) }.compactMap(\.self)
    }

    static func add(_ client: ClientParts) {
        entries.withLock { $0[ObjectIdentifier(client)] = Entry(client: client) }
    }

    static func remove(_ client: ClientParts) {
        entries.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(client)) }
    }
}

extension Client {
    /// Calls a closure with the events of every call of every client that starts from now on.
    ///
    /// ```swift
    /// let observation = Client.observe { event in
    ///     if case .sending(let request) = event.kind { print(request) }
    /// }
    /// observation.end()
    /// ```
    ///
    /// - Returns: The observation, which lasts until ``GlobalObservation/end()``, also if it is not stored.
    @discardableResult
    public static func observe(_ handle: @escaping @Sendable (CallEvent) -> Void) -> GlobalObservation {
        observe(all: ClosureObserver(handle))
    }

    /// Adds an observer of every call of every client that starts from now on, until the observation is ended.
    @discardableResult
    public static func observe(all observer: any CallObserver) -> GlobalObservation {
        GlobalObservation(number: GlobalObservers.add(observer))
    }

    /// The calls in flight, of all clients, in the order in which they started. Use it to find out why an app waits.
    ///
    /// ```swift
    /// for call in Client.allActive { print(call) }  // such as: call 7, GET /users/1, running
    /// ```
    public static var allActive: [AnyCall] {
        LiveClients.all.flatMap(\.registry.all).ordered { $0.id < $1.id }.map { AnyCall($0) }
    }

    /// The number of calls in flight, of all clients.
    public static var activeCalls: Int { GlobalActivity.value }

    /// A sequence that indicates whether any call is in flight, now and after each change. Use it for a spinner.
    ///
    /// Each value differs from the one before. A slow reader misses changes in between.
    public static var isActive: AsyncMapSequence<AsyncStream<Int>, Bool> {
        GlobalActivity.values.map { $0 > 0 }
    }

    /// The calls in flight, in the order in which they started.
    public var calls: [AnyCall] { registry.all.map { AnyCall($0) } }

    /// The number of calls in flight.
    public var activeCalls: Int { registry.count }

    /// A sequence that indicates whether any call of this client is in flight, now and after each change.
    ///
    /// Each value differs from the one before. A slow reader misses changes in between.
    public var isActive: AsyncMapSequence<AsyncStream<Int>, Bool> {
        registry.activityValues.map { $0 > 0 }
    }

    /// Cancels all calls in flight, or those with a tag. The callbacks of a call that finishes at the same time run.
    public func cancelAll(tagged tag: String? = nil) {
        for call in tag.map(registry.calls(tagged:)) ?? registry.all { call.cancel() }
    }
}
