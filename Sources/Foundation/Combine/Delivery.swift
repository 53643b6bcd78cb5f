import Synchronization

/// The delivery of a sequence to a subscriber, no faster than it demands the elements.
///
/// The subscriber gets each element on a thread in the background, one at a time and in order, and then one completion. After
/// ``cancel()``, no delivery begins. The sequence is read one element ahead, so that its end and its error need no demand.
final class Delivery<Element: Sendable>: Sendable {
    /// Reads the next element; nil at the end.
    typealias Reader = @concurrent () async throws -> Element?

    /// The functions of a subscriber. They are called one at a time and never under a lock, so they may demand or cancel.
    struct Subscriber: Sendable {
        /// Takes an element, and returns how many more the subscriber demands.
        let receive: @Sendable (Element) -> Demand
        /// Takes the completion, with the error of a failure.
        let complete: @Sendable ((any Error)?) -> Void
    }

    private struct State {
        var demand = Demand.none
        /// The subscriber; nil after the completion and after a cancellation.
        var subscriber: Subscriber?
        /// The reading task, which waits for a demand.
        var waiting: UnsafeContinuation<Void, Never>?
        var reading: Task<Void, Never>?
    }

    private let state: Mutex<State>

    init(to subscriber: Subscriber) {
        state = Mutex(State(subscriber: subscriber))
    }

    /// Begins to read, unless the subscriber has cancelled already. Call it once, after the subscriber knows its subscription.
    ///
    /// - Parameter makeReader: Starts the work of the sequence.
    func start(_ makeReader: @escaping @Sendable () throws -> Reader) {
        guard state.withLock({ $0.subscriber != nil }) else { return }
        let task = Task { @concurrent in
            do {
                let next = try makeReader()
                while let element = try await next() {
                    await self.demanded()
                    guard self.deliver(element) else { return }
                }
                self.complete(nil)
            } catch {
                self.complete(error)
            }
        }
        let isOver = state.withLock { state in
            if state.subscriber != nil { state.reading = task }
            return state.subscriber == nil
        }
        // The subscriber may have cancelled meanwhile.
        if isOver { task.cancel() }
    }

    /// Adds to the demand.
    func request(_ demand: Demand) {
        let waiting = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            state.demand.add(demand)
            return state.demand.isNone ? nil : replace(&state.waiting, with: nil)
        }
        waiting?.resume()
    }

    /// Ends the delivery without a completion, and the work of the sequence.
    func cancel() {
        let (subscriber, waiting, reading) = state.withLock { state in
            (
                replace(&state.subscriber, with: nil), replace(&state.waiting, with: nil),
                replace(&state.reading, with: nil)
            )
        }
        // The subscriber is released outside the lock, because that may run code of the user.
        withExtendedLifetime(subscriber) {
            reading?.cancel()
            waiting?.resume()
        }
    }

    /// Returns once the subscriber demands an element or has cancelled.
    private func demanded() async {
        await withUnsafeContinuation { continuation in
            let waits = state.withLock { state in
                guard state.subscriber != nil, state.demand.isNone else { return false }
                state.waiting = continuation
                return true
            }
            if !waits { continuation.resume() }
        }
    }

    /// Returns false if the subscriber has cancelled.
    private func deliver(_ element: Element) -> Bool {
        let subscriber = state.withLock { state in
            if state.subscriber != nil { state.demand.takeOne() }
            return state.subscriber
        }
        guard let subscriber else { return false }
        request(subscriber.receive(element))
        return true
    }

    private func complete(_ error: (any Error)?) {
        let subscriber = state.withLock { state in
            state.reading = nil
            return replace(&state.subscriber, with: nil)
        }
        subscriber?.complete(error)
    }
}

/// The number of elements that a subscriber demands.
struct Demand: Hashable, Sendable {
    /// The number; nil if it is unlimited.
    private(set) var count: Int?

    static let none = Demand(count: 0)
    static let unlimited = Demand(count: nil)

    /// Creates a demand of a number of elements. A negative number counts as none.
    init(_ count: Int) {
        self.count = max(count, 0)
    }

    private init(count: Int?) {
        self.count = count
    }

    var isNone: Bool { count == 0 }

    /// Adds a demand. An unlimited one stays unlimited, and so does a sum that no number holds.
    mutating func add(_ other: Demand) {
        guard let count, let more = other.count else { return self = .unlimited }
        let (sum, isTooLarge) = count.addingReportingOverflow(more)
        self.count = isTooLarge ? nil : sum
    }

    mutating func takeOne() {
        if let count { self.count = max(count - 1, 0) }
    }
}
