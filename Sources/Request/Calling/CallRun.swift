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
        var managedCall: Call<Output>?
        weak var unmanagedCall: Call<Output>?
        /// The promise, which keeps an unmanaged call. When it is fulfilled, it is where the output is.
        var promise: Promise<Output>?
        weak var unmanagedPromise: Promise<Output>?
        var error: (any Error)?
        /// Whether callbacks that are added find an outcome.
        var isTold = false
        var isOver = false
        /// What the callbacks hang on.
        var settled: (promise: Promise<Call<Output>>, resolver: Resolver<Call<Output>>)?
        var callbacks: [Callback]?
        /// Whether something was delivered while the run went on.
        var isDeliveredTwice = false
        /// Those who hear of more than one delivery. Most runs have none.
        var audience: Audience?
        /// What the run has to do with the cache.
        var caching: CachingState?
    }

    init(_ plan: consuming Plan<Output>, lifetime: CallLifetime) {
        serializer = plan.serializer
        scheduler = plan.callbackScheduler
        let plan = plan.common
        let events = CallEvents(
            plan.observers, plan.client.configuration.observers, GlobalObservers.all, on: plan.client.eventQueue)
        super.init(plan, lifetime: lifetime, events: events)
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
        if plan.cachePolicy.isDeclared {
            beginWithCache()
        } else if plan.isCacheFirst {
            beginWithStale()
        } else {
            ask()
        }
    }

    override func take(_ answer: MemoryResponse) -> Bool {
        guard let made = answer.output as? Decoded<Output>, (try? plan.validation.check(answer.response)) != nil
        else { return false }
        plan.client.sharedStore?.use(answer.key)
        explain(answer.explanation)
        if keep(answer.response) {
            finish(with: made.output, isUnchanged: plan.isCacheFirst && wasShown(answer.response))
        }
        return true
    }

    // MARK: Settling

    /// Ends the run with an output, unless it has ended.
    ///
    /// - Parameter act: Called if this is what ends the run, before it is settled.
    func finish(with output: Output, isUnchanged: Bool = false, then act: () -> Void = {}) {
        guard finish(.success, error: nil) else { return }
        act()
        guard isObserved else {
            settle(output, isUnchanged: isUnchanged)
            return hasSettled()
        }
        afterEvents { [self] in
            settle(output, isUnchanged: isUnchanged)
            hasSettled()
        }
    }

    /// Ends the run with an error, unless it has ended.
    func finish(_ kind: FinishedState = .failure, with error: any Error, then act: () -> Void = {}) {
        guard finish(kind, error: error) else { return }
        act()
        afterEvents { [self] in
            settle(error)
            hasSettled()
        }
    }

    override func arrive(_ response: () throws -> HTTPResponse) {
        do {
            let response = try response()
            noteChanges(by: response)
            explainSecondRequest()
            if plan.isMessage, response.isStreaming { return try deliverStreaming(response) }
            guard !takesForConfirmation(response), keep(response) else { return }
            do {
                take(try output(of: response), of: response)
            } catch {
                if !asksAgain(insteadOf: response, error) { throw error }
            }
        } catch {
            // What was left because the answer is looked for elsewhere has nothing to say.
            guard outcome.withLock(\.caching?.isFallingBack) != true else { return }
            let error = complete(error)
            end(error, as: error is CancellationError ? .cancelled : .failure)
        }
    }

    /// The first who still wants it makes the output, for all.
    override func arrive(_ response: () throws -> HTTPResponse, with others: ArraySlice<CallCore>) {
        guard !phase.isFinished else {
            let others = others.drop(while: \.phase.isFinished)
            others.first?.arrive(response, with: others.dropFirst())
            return
        }
        do {
            let response = try response()
            // Of that, each makes what was delivered to him.
            guard response.status != .notModified else {
                arrive { response }
                for other in others { other.arrive { response } }
                return
            }
            explainSecondRequest()
            let output = try output(of: response)
            take(output, of: response)
            for case let other as CallRun in others { other.arrive(output, of: response) }
        } catch {
            // Each has its own way to tell what is wrong.
            let isAskedAgain = (try? response()).map { asksAgain(insteadOf: $0, error) } ?? false
            if !isAskedAgain { arrive { throw error } }
            for other in others { other.arrive(response) }
        }
    }

    /// Takes an output that another made, if the response is as it should be.
    private func arrive(_ output: Output, of response: HTTPResponse) {
        do {
            explainSecondRequest()
            try check(response, SerializationContext(json: plan.client.configuration.json))
            take(output, of: response)
        } catch {
            if !asksAgain(insteadOf: response, error) { arrive { throw error } }
        }
    }

    private func check(_ response: HTTPResponse, _ context: SerializationContext) throws {
        do {
            try plan.validation.check(response, context: context)
        } catch let error as RequestError {
            throw plan.errorSerializer?.refine(error, context: context) ?? error
        }
    }

    func take(_ output: Output, of response: HTTPResponse) {
        guard keep(response) else { return }
        guard let caching = plan.caching else {
            attach(output, to: response)
            return finish(with: output, isUnchanged: plan.isCacheFirst && wasShown(response))
        }
        conclude(output, of: response, caching)
    }

    func output(of response: HTTPResponse) throws -> Output {
        let context = SerializationContext(json: plan.client.configuration.json)
        try check(response, context)
        do {
            return try serializer.serialize(response, context: context)
        } catch let error as RequestError {
            throw plan.errorSerializer?.refine(error, context: context) ?? error
        }
    }

    override func end(_ error: any Error, as kind: FinishedState) {
        let error = plan.naming(error)
        if let caching = plan.caching, kind == .failure {
            conclude(error, caching)
        } else {
            finish(kind, with: error)
        }
    }

    /// Delivers an output while the run goes on. False if it has ended.
    func deliver(_ output: Output) -> Bool {
        var promise: Promise<Output>?
        var followers: [Follower] = []
        let isOver = outcome.withLock { outcome in
            guard !outcome.isOver else { return true }
            outcome.isDeliveredTwice = true
            promise = outcome.promised(output, on: scheduler)
            if let audience = outcome.audience { followers = audience.takeFirst() }
            return false
        }
        if isOver { return false }
        fulfil(promise, output)
        for follower in followers { follower.yield(output) }
        tellCallbacks(isCancelled: false, isLast: false)
        return true
    }

    /// Delivers a response whose body is on its way. The run goes on until the body has ended.
    ///
    /// Nothing of the run holds the body that is delivered, so that releasing it ends the run.
    private func deliverStreaming(_ response: HTTPResponse) throws {
        let stream = response.stream
        var delivered = response
        delivered.stream = BodyStream(CallBody(stream, of: self))
        let output = try output(of: delivered)
        guard keep(response.head), carry(by: .body(stream)) else { return }
        let promise = outcome.withLock { outcome -> Promise<Output>? in
            guard !outcome.isOver else { return nil }
            outcome.isDeliveredTwice = true
            return replace(&outcome.promise, with: nil)
        }
        // A promise that was left is cancelled, and so is the call.
        _ = promise?.settle(output)
    }

    override func endBody() {
        guard finish(.success, error: nil) else { return }
        afterEvents { [self] in
            outcome.withLock { $0.isOver = true }
            tellCallbacks(isCancelled: false, isLast: true)
            hasSettled()
        }
    }

    /// - Parameter isUnchanged: Whether it says nothing that was not delivered before.
    func settle(_ output: Output, isUnchanged: Bool = false) {
        var promise: Promise<Output>?
        let isAlone = outcome.withLock { outcome in
            guard !outcome.isDeliveredTwice, outcome.audience == nil else { return false }
            outcome.isOver = true
            promise = outcome.promised(output, on: scheduler)
            return true
        }
        guard isAlone else { return settleWithAudience(output, isUnchanged: isUnchanged) }
        leaveRefreshing()
        fulfil(promise, output)
        tellCallbacks(isCancelled: false, isLast: true)
    }

    private func settleWithAudience(_ output: Output, isUnchanged: Bool) {
        let (promise, followers, isSecond) = outcome.withLock { outcome in
            let audience = outcome.attended
            outcome.isOver = true
            audience.isUnchanged = isUnchanged
            if outcome.isDeliveredTwice { audience.second = .fulfilled(output, on: scheduler) }
            let promise = outcome.isDeliveredTwice ? nil : outcome.promised(output, on: scheduler)
            return (promise, audience.takeAll(), outcome.isDeliveredTwice)
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
        // One that its consumers have left, and the callbacks have not, is cancelled: then it cannot hold the output.
        guard let promise, !promise.settle(output) else { return }
        let kept = Promise.fulfilled(output, on: scheduler)
        outcome.withLock { $0.promise = kept }
    }

    func settle(_ error: any Error) {
        let isCancelled = error is CancellationError
        let (promise, followers, isSecond) = outcome.withLock { outcome in
            outcome.isOver = true
            outcome.error = error
            let promise = outcome.promise ?? outcome.unmanagedPromise
            if !outcome.isDeliveredTwice { outcome.promise = nil }
            return (promise, outcome.audience?.takeAll() ?? [], outcome.isDeliveredTwice)
        }
        leaveRefreshing()
        if !isSecond { promise?.settle(throwing: error) }
        for follower in followers { follower.finish(throwing: error) }
        if isSecond, !isCancelled { tellAgain() } else { tellCallbacks(isCancelled: isCancelled, isLast: true) }
    }

    /// Tells those who wait. Without a call, which an unmanaged one may have lost by now, callbacks have nobody to speak to.
    private func tellCallbacks(isCancelled: Bool, isLast: Bool) {
        var call: Call<Output>?
        var released: [(callback: Callback, link: Promise<Void>)]?
        // Mostly there is nobody to tell: what generic types cost is left to the others.
        let (isAwaited, isFollowed) = outcome.withLock { outcome in
            outcome.isTold = true
            call = outcome.managedCall
            if isLast {
                outcome.managedCall = nil
                if let audience = outcome.audience { released = replace(&audience.repeated, with: []) }
            }
            return (outcome.settled != nil, outcome.audience?.isFollowed == true)
        }
        withExtendedLifetime(released) {}
        if isFollowed { tellLate() }
        if isAwaited { tell(call, isCancelled: isCancelled) }
    }

    private func tell(_ call: Call<Output>?, isCancelled: Bool) {
        let (resolver, unmanaged) = outcome.withLock { outcome in
            defer { outcome.settled = nil }
            return (outcome.settled?.resolver, outcome.unmanagedCall)
        }
        if let call = call ?? unmanaged, !isCancelled {
            resolver?.fulfill(call)
        } else {
            resolver?.reject(CancellationError())
        }
    }

    private func tellLate() {
        guard let (output, followers, isOver, error) = outcome.withLock({ $0.takeLate() }) else { return }
        for follower in followers {
            follower.yield(output)
            if isOver { follower.finish(throwing: error) }
        }
    }

    /// Tells those who have been told of the first delivery of the second, once they are done with the first.
    private func tellAgain() {
        // Somebody else may be about to tell them of the first.
        tellCallbacks(isCancelled: false, isLast: false)
        let (repeated, call) = outcome.withLock { outcome in
            let audience = outcome.attended
            defer {
                audience.isToldAgain = true
                audience.repeated = []
                outcome.managedCall = nil
            }
            return (audience.repeated, outcome.managedCall ?? outcome.unmanagedCall)
        }
        guard let call else { return }
        for (callback, link) in repeated { Self.tellAgain(callback, after: link, of: call) }
    }

    static func tellAgain(_ callback: Callback, after link: Promise<Void>, of call: Call<Output>) {
        _ = callback(link.then({ _ in call }, { _ in call }), .last)
    }

    /// There is nobody any more whom they could tell.
    override func forgetCallbacks() {
        let forgotten = outcome.withLock { outcome in
            defer {
                outcome.callbacks = nil
                outcome.audience?.repeated = []
            }
            return (outcome.callbacks, outcome.audience?.repeated)
        }
        withExtendedLifetime(forgotten) {}  // released out here: they may hold anything
    }

    override var isRefreshing: Bool { outcome.withLock { $0.isDeliveredTwice && !$0.isOver } }
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
