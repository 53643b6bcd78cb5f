import Dispatch
import TangoPromise
import Testing

/// Every value is destroyed exactly once, in every way that it can take and be stored.
@Suite(.noHang) struct ValueLifetimeTests {
    /// Values of different sizes: three words fit into the promise itself, larger ones live in a box.
    static let payloads: [any Payload.Type] = [
        OneWord.self, ThreeWords.self, FourWords.self, TenWords.self, Weakly.self, Maybe.self,
    ]

    /// The way of a value through a promise.
    enum Route: CaseIterable, Sendable {
        case fulfilled, resolved, passedOn, combined
        case afterAnotherValue, afterAnError, afterACancellation, inALinkThatIsCancelledMeanwhile
    }

    @Test(arguments: payloads, Route.allCases)
    func aValueIsDestroyedOnce(payload: any Payload.Type, route: Route) {
        expectBalance(payload, route)
    }

    private func expectBalance<Value: Payload>(_: Value.Type, _ route: Route) {
        let lifetimes = Lifetimes()
        var token = lifetimes.token()
        drop(route.take(Value(token)))
        #expect(lifetimes.ended == 0, "destroyed too often")
        #expect(isKnownUniquelyReferenced(&token), "destroyed too rarely")
    }

    @inline(never)
    private func drop(_ promises: consuming [AnyPromise]) {}

    @Test(arguments: payloads)
    func valuesThatManyThreadsRaceToSetAreDestroyedOnce(payload: any Payload.Type) async {
        await race(payload)
    }

    private func race<Value: Payload>(_: Value.Type) async {
        let lifetimes = Lifetimes()
        for _ in 0..<50 {
            let (promise, resolver) = Promise<Value>.pending()
            let link = promise.next { $0 }
            DispatchQueue.concurrentPerform(iterations: 8) { index in
                switch index {
                case 0: promise.cancel()
                case 1: link.cancel()
                case 2: resolver.follow(.fulfilled(Value(lifetimes.token())))
                default: resolver.fulfill(Value(lifetimes.token()))
                }
            }
            _ = await link.result
            _ = await promise.result
        }
        await lifetimes.allEnded()
        #expect(lifetimes.made == 50 * 6)
    }

    @Test(arguments: payloads)
    func aValueThatATaskReturnsAfterItWasCancelledIsDestroyed(payload: any Payload.Type) async {
        await cancelTask(payload)
    }

    private func cancelTask<Value: Payload>(_: Value.Type) async {
        let lifetimes = Lifetimes()
        let (gate, resolver) = Promise<Void>.pending()
        func start() -> Promise<Value> {
            let token = lifetimes.token()
            return Promise {
                // Continues when the task is cancelled, so that it does return a value.
                await withCheckedContinuation { continuation in
                    gate.finally { continuation.resume() }
                }
                return Value(token)
            }
        }
        let promise = start()
        promise.cancel()
        resolver.fulfill()
        await #expect(throws: CancellationError.self) { try await promise.value }
        await lifetimes.allEnded()
    }

    @Test(arguments: payloads)
    func anErrorThatHoldsAValueIsDestroyedOnce(payload: any Payload.Type) {
        expectErrorBalance(payload)
    }

    private func expectErrorBalance<Value: Payload>(_: Value.Type) {
        let lifetimes = Lifetimes()
        var token = lifetimes.token()
        drop(Self.reject(with: Holding(value: Value(token))))
        #expect(lifetimes.ended == 0, "destroyed too often")
        #expect(isKnownUniquelyReferenced(&token), "destroyed too rarely")
    }

    @inline(never)
    private static func reject(with error: any Error) -> [AnyPromise] {
        let (promise, resolver) = Promise<Int>.pending(on: .immediate)
        let links = [
            promise, promise.next { $0 }, promise.catch { _ in }, promise.mapError { $0 }, promise.finally {},
            promise.recover { throw $0 }, promise.recover { _ in promise }, .race([promise]),
        ]
        let cancelled = cancelledInside(Result<Int, any Error>.failure(error)) { promise, cancel in
            promise.mapError { error in
                cancel()
                throw error
            }
        }
        let late = Promise<Int>.pending(on: .immediate)
        late.promise.cancel()
        late.resolver.reject(error)
        resolver.reject(error)
        resolver.reject(error)
        for link in links { link.catch { _ in } }
        return links + [cancelled, late.promise]
    }
}

extension ValueLifetimeTests.Route {
    @inline(never)
    fileprivate func take<Value: Payload>(_ value: Value) -> [AnyPromise] {
        let (promise, resolver) = Promise<Value>.pending(on: .immediate)
        let link = promise.next { $0 }
        switch self {
        case .fulfilled:
            promise.cancel()
            return [Promise.fulfilled(value, on: .immediate)]
        case .resolved:
            resolver.fulfill(value)
        case .passedOn:
            resolver.fulfill(value)
            return [
                promise, link, promise.next { _ in promise }, promise.tap { _ in }, promise.catch { _ in },
                promise.finally {}, promise.validate { _ in true }, promise.then({ $0 }, { _ in value }),
                promise.recover { _ in value }, promise.mapError { $0 }, Promise(on: .immediate) { $0.follow(promise) },
            ]
        case .combined:
            resolver.fulfill(value)
            return [
                Promise.all([promise, link]), Promise.all(promise, link), Promise.allSettled([promise, link]),
                Promise.allSettled(promise, link), Promise.race([promise, link]), Promise.any([promise, link]),
                Promise.all([1, 2, 3], limit: 2) { _ in promise },
            ]
        case .afterAnotherValue:
            resolver.fulfill(value)
            resolver.fulfill(value)
            resolver.follow(Promise.fulfilled(value, on: .immediate))
        case .afterAnError:
            link.catch { _ in }
            resolver.reject(Oops())
            resolver.fulfill(value)
        case .afterACancellation:
            promise.cancel()
            resolver.fulfill(value)
        case .inALinkThatIsCancelledMeanwhile:
            promise.cancel()
            return [
                cancelledInside(.success(value)) { promise, cancel in
                    promise.next { value in
                        cancel()
                        return value
                    }
                },
                cancelledInside(.success(value)) { promise, cancel in
                    promise.next { value in
                        cancel()
                        return Promise.fulfilled(value, on: .immediate)
                    }
                },
                cancelledInside(.success(value)) { promise, cancel in promise.tap { _ in cancel() } },
            ]
        }
        return [promise, link]
    }
}

/// A link that is cancelled while its handler runs.
private func cancelledInside<Value>(
    _ outcome: Result<Value, any Error>,
    _ attach: (Promise<Value>, _ cancel: @escaping @Sendable () -> Void) -> Promise<Value>
) -> Promise<Value> {
    let (promise, resolver) = Promise<Value>.pending(on: .immediate)
    let itself = Events<Promise<Value>>()
    let link = attach(promise) { for link in itself.all { link.cancel() } }
    itself.add(link)
    resolver.settle(outcome)
    itself.removeAll()
    return link
}

protocol Payload: Sendable {
    init(_ token: Lifetimes.Token)
}

private struct OneWord: Payload {
    let token: Lifetimes.Token

    init(_ token: Lifetimes.Token) {
        self.token = token
    }
}

private struct ThreeWords: Payload {
    let one: Lifetimes.Token, two: Lifetimes.Token, three: Lifetimes.Token

    init(_ token: Lifetimes.Token) {
        (one, two, three) = (token, token, token)
    }
}

private struct FourWords: Payload {
    let three: ThreeWords, four: Lifetimes.Token

    init(_ token: Lifetimes.Token) {
        (three, four) = (ThreeWords(token), token)
    }
}

private struct TenWords: Payload {
    let words: (FourWords, FourWords, OneWord, Int)

    init(_ token: Lifetimes.Token) {
        words = (FourWords(token), FourWords(token), OneWord(token), 10)
    }
}

/// Must not be moved as bytes: the runtime stores the address of a weak reference.
private struct Weakly: Payload {
    weak let token: Lifetimes.Token?
    let owned: Lifetimes.Token

    init(_ token: Lifetimes.Token) {
        (self.token, owned) = (token, token)
    }
}

private enum Maybe: Payload {
    case token(Lifetimes.Token)
    case nothing

    init(_ token: Lifetimes.Token) {
        self = .token(token)
    }
}

private struct Holding<Value: Sendable>: Error {
    let value: Value
}
