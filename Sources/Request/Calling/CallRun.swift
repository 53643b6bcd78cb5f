import Synchronization
import TangoCache
import TangoPromise

/// A run with its output: what turns a response into it, and what waits for it.
///
/// The promise is made when it is asked for, so that a call with callbacks alone costs none, and its failure is not taken
/// for one that nobody handles.
///
/// A run delivers once, or, where something is kept and the server is asked as well, twice: the promise has the first, and
/// everybody else has both.
final class CallRun<Output: Sendable>: CallCore, @unchecked Sendable {
    // Unchecked, as its superclass: everything is constant, or behind a lock.

    /// Which of two deliveries.
    enum Round: Sendable {
        case first, last
    }

    typealias Callback = @Sendable (Promise<Call<Output>>, Round) -> Promise<Void>
    typealias Follower = AsyncThrowingStream<Output, any Error>.Continuation

    let serializer: Serializer<Output>
    let scheduler: Scheduler
    let outcome = Mutex(Outcome())

    struct Outcome {
        /// The call that looks at this run: while it is managed, or as long as somebody else holds it.
        fileprivate var managedCall: Call<Output>?
        fileprivate weak var unmanagedCall: Call<Output>?
        /// The promise, which keeps an unmanaged call. When it is fulfilled, it is where the output is.
        fileprivate var promise: Promise<Output>?
        fileprivate weak var unmanagedPromise: Promise<Output>?
        fileprivate var error: (any Error)?
        /// Whether callbacks that are added find an outcome.
        fileprivate var isTold = false
        var isOver = false
        /// What the callbacks hang on.
        fileprivate var settled: (promise: Promise<Call<Output>>, resolver: Resolver<Call<Output>>)?
        fileprivate var callbacks: [Callback] = []
        /// Where there are two deliveries: the second, and what was done about the first.
        fileprivate var second: Promise<Output>?
        fileprivate var isDeliveredTwice = false
        fileprivate var isUnchanged = false
        fileprivate var isToldAgain = false
        fileprivate var repeated: [(callback: Callback, link: Promise<Void>)] = []
        fileprivate var followers: [Int: Follower] = [:]
        fileprivate var lastFollower = 0
        /// What the run has to do with the cache.
        var caching = CachingState()
    }

    init(_ plan: consuming Plan<Output>, lifetime: CallLifetime) {
        serializer = plan.serializer
        scheduler = plan.callbackScheduler
        super.init(plan.common, lifetime: lifetime)
    }

    /// The plan, for another run.
    var again: Plan<Output> { Plan(common: plan, serializer: serializer, callbackScheduler: scheduler) }

    func start(for call: Call<Output>) {
        outcome.withLock { outcome in
            if lifetime == .managed { outcome.managedCall = call } else { outcome.unmanagedCall = call }
        }
        start()
    }

    override func begin() {
        if plan.cachePolicy.isDeclared { beginWithCache() } else { ask() }
    }

    // MARK: Settling

    override func arrive(_ response: () throws -> HTTPResponse) {
        do {
            let response = try response()
            guard keep(response) else { return }
            let output = try output(of: response)
            guard let caching = plan.caching else { return finish(.success, error: nil) { settle(output) } }
            conclude(output, of: response, caching)
        } catch {
            // What was left because the answer is looked for elsewhere has nothing to say.
            guard !outcome.withLock(\.caching.isFallingBack) else { return }
            let error = complete(error)
            end(error, as: error is CancellationError ? .cancelled : .failure)
        }
    }

    private func output(of response: HTTPResponse) throws -> Output {
        let context = SerializationContext(json: plan.client.json)
        do {
            try plan.validation.check(response, context: context)
            return try serializer.serialize(response, context: context)
        } catch let error as RequestError {
            throw plan.errorSerializer?.refine(error, context: context) ?? error
        }
    }

    override func end(_ error: any Error, as kind: FinishedState) {
        if let caching = plan.caching, kind == .failure {
            conclude(error, caching)
        } else {
            finish(kind, error: error) { settle(error) }
        }
    }

    /// Delivers an output while the run goes on. False if it has ended.
    func deliver(_ output: Output) -> Bool {
        let delivery = outcome.withLock { outcome -> (Promise<Output>?, [Follower])? in
            guard !outcome.isOver else { return nil }
            outcome.isDeliveredTwice = true
            return (outcome.promised(output, on: scheduler), Array(outcome.followers.values))
        }
        guard let (promise, followers) = delivery else { return false }
        fulfil(promise, output)
        for follower in followers { follower.yield(output) }
        tellCallbacks(isCancelled: false, isLast: false)
        return true
    }

    func settle(_ output: Output, isUnchanged: Bool = false) {
        let (promise, followers, isSecond) = outcome.withLock { outcome in
            defer { outcome.followers = [:] }
            outcome.isOver = true
            outcome.isUnchanged = isUnchanged
            if outcome.isDeliveredTwice { outcome.second = .fulfilled(output, on: scheduler) }
            let promise = outcome.isDeliveredTwice ? nil : outcome.promised(output, on: scheduler)
            return (promise, Array(outcome.followers.values), outcome.isDeliveredTwice)
        }
        leaveRefreshing()
        fulfil(promise, output)
        for follower in followers {
            if !isUnchanged { follower.yield(output) }
            follower.finish()
        }
        if isSecond { tellAgain() } else { tellCallbacks(isCancelled: false, isLast: true) }
    }

    private func fulfil(_ promise: Promise<Output>?, _ output: Output) {
        // Who asked for it may have left it to the callbacks.
        guard let promise, !promise.settle(output) else { return }
        let fulfilled = Promise.fulfilled(output, on: scheduler)
        outcome.withLock { $0.promise = fulfilled }
    }

    func settle(_ error: any Error) {
        let isCancelled = error is CancellationError
        let (promise, followers, isSecond) = outcome.withLock { outcome in
            defer { outcome.followers = [:] }
            outcome.isOver = true
            outcome.error = error
            let promise = outcome.promise ?? outcome.unmanagedPromise
            if !outcome.isDeliveredTwice { outcome.promise = nil }
            return (promise, Array(outcome.followers.values), outcome.isDeliveredTwice)
        }
        leaveRefreshing()
        if !isSecond { promise?.settle(throwing: error) }
        for follower in followers { follower.finish(throwing: error) }
        if isSecond, !isCancelled { tellAgain() } else { tellCallbacks(isCancelled: isCancelled, isLast: true) }
    }

    /// Tells those who wait. Without a call, which an unmanaged one may have lost by now, callbacks have nobody to speak to.
    private func tellCallbacks(isCancelled: Bool, isLast: Bool) {
        let (settled, call) = outcome.withLock { outcome in
            defer {
                outcome.isTold = true
                outcome.settled = nil
                if isLast {
                    outcome.managedCall = nil
                    outcome.repeated = []
                }
            }
            return (outcome.settled, outcome.managedCall ?? outcome.unmanagedCall)
        }
        guard let settled else { return }
        if let call, !isCancelled {
            settled.resolver.fulfill(call)
        } else {
            settled.resolver.reject(CancellationError())
        }
    }

    /// Tells those who have been told of the first delivery of the second, once they are done with the first.
    private func tellAgain() {
        let (repeated, call) = outcome.withLock { outcome in
            defer {
                outcome.isToldAgain = true
                outcome.repeated = []
                outcome.managedCall = nil
            }
            return (outcome.repeated, outcome.managedCall ?? outcome.unmanagedCall)
        }
        guard let call else { return }
        for (callback, link) in repeated { Self.tellAgain(callback, after: link, of: call) }
    }

    private static func tellAgain(_ callback: Callback, after link: Promise<Void>, of call: Call<Output>) {
        _ = callback(link.then({ _ in call }, { _ in call }), .last)
    }

    // MARK: Waiting

    /// The promise of a call, one and the same as long as somebody holds it.
    func promise(of call: Call<Output>) -> Promise<Output> {
        outcome.withLock { outcome in
            if let promise = outcome.promise ?? outcome.unmanagedPromise { return promise }
            if let error = outcome.error { return .rejected(error, on: scheduler) }
            guard lifetime == .unmanaged else {
                let promise = Promise<Output>.unowned(on: scheduler) { [self] in desert() }
                outcome.promise = promise
                return promise
            }
            let promise = Promise<Output>.unowned(on: scheduler) { call.run.desert() }
            outcome.unmanagedPromise = promise
            return promise
        }
    }

    /// The consumers of the promise have left. Those who wait for a callback, or follow the values, have not.
    private func desert() {
        if outcome.withLock({ $0.settled == nil && $0.followers.isEmpty }) { cancel() }
    }

    /// What was delivered; nil while nothing was.
    func result(of round: Round) -> Result<Output, any Error>? {
        let (promise, error) = outcome.withLock { outcome -> (Promise<Output>?, (any Error)?) in
            guard outcome.isDeliveredTwice else { return (outcome.promise, outcome.error) }
            return switch round {
            case .first: (outcome.promise, nil)
            case .last: (outcome.second, outcome.error)
            }
        }
        if let error { return .failure(error) }
        return promise?.output.map { .success($0) }
    }

    /// The callbacks that were added, for another run.
    var callbacks: [Callback] { outcome.withLock(\.callbacks) }

    /// Has a callback run when the call has settled.
    func add(_ callback: @escaping Callback, of call: Call<Output>) {
        let mayRepeat = plan.cachePolicy.fetch == .cacheThenNetwork
        let (promise, round) = outcome.withLock { outcome -> (Promise<Call<Output>>, Round) in
            outcome.callbacks.append(callback)
            if outcome.isTold { return (.fulfilled(call), outcome.isOver ? .last : .first) }
            if let promise = outcome.settled?.promise { return (promise, .first) }
            let settled = Promise<Call<Output>>.pending(on: scheduler)
            outcome.settled = settled
            return (settled.promise, .first)
        }
        let link = callback(promise, round)
        guard mayRepeat, round == .first else { return }
        let isToldAgain = outcome.withLock { outcome in
            if !outcome.isToldAgain { outcome.repeated.append((callback, link)) }
            return outcome.isToldAgain
        }
        if isToldAgain { Self.tellAgain(callback, after: link, of: call) }
    }

    /// There is nobody any more whom they could tell.
    override func forgetCallbacks() {
        let forgotten = outcome.withLock { outcome in
            defer {
                outcome.callbacks = []
                outcome.repeated = []
            }
            return (outcome.callbacks, outcome.repeated)
        }
        _ = forgotten  // released out here: they may hold anything
    }

    override var isRefreshing: Bool { outcome.withLock { $0.isDeliveredTwice && !$0.isOver } }

    // MARK: Following

    /// What was delivered, and what will be.
    ///
    /// - Parameter leave: Called if the follower leaves before the end.
    func values(leave: @escaping @Sendable () -> Void) -> AsyncThrowingStream<Output, any Error> {
        let (stream, follower) = AsyncThrowingStream.makeStream(of: Output.self)
        let number = outcome.withLock { outcome -> Int? in
            let first = outcome.isDeliveredTwice || outcome.error == nil ? outcome.promise?.output : nil
            if let first, outcome.isDeliveredTwice || outcome.isOver { follower.yield(first) }
            guard !outcome.isOver else {
                if let second = outcome.second?.output, !outcome.isUnchanged { follower.yield(second) }
                return nil
            }
            outcome.lastFollower += 1
            outcome.followers[outcome.lastFollower] = follower
            return outcome.lastFollower
        }
        guard let number else {
            follower.finish(throwing: outcome.withLock(\.error))
            return stream
        }
        follower.onTermination = { [weak self] termination in
            guard let self, outcome.withLock({ $0.followers.removeValue(forKey: number) }) != nil else { return }
            if case .cancelled = termination { leave() }
        }
        return stream
    }
}

extension CallRun.Outcome {
    /// The promise that waits for an output. Where nobody has asked for one, one that has it is there from now on.
    fileprivate mutating func promised(_ output: Output, on scheduler: Scheduler) -> Promise<Output>? {
        if let promise = promise ?? unmanagedPromise {
            self.promise = promise
            return promise
        }
        promise = .fulfilled(output, on: scheduler)
        return nil
    }
}
