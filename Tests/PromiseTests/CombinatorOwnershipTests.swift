import TangoPromise
import Testing

/// A combinator that has settled releases its inputs, and they release the combinator.
@Suite(.noHang) struct CombinatorOwnershipTests {
    /// A combinator, independent of its output type.
    struct Combinator: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let combine: @Sendable ([Promise<Int>]) -> Promise<Void>

        static let all = [
            Combinator("all") { Promise.all($0).next { _ in } },
            Combinator("all, cancelling") { Promise.all($0, losers: .cancel).next { _ in } },
            Combinator("all of different types") { Promise.all($0[0], $0[1], $0[2]).next { _ in } },
            Combinator("all with a limit") { inputs in Promise.all(inputs, limit: 2) { $0 }.next { _ in } },
            Combinator("any") { Promise.any($0).next { _ in } },
            Combinator("race") { Promise.race($0).next { _ in } },
            Combinator("allSettled") { Promise.allSettled($0).next { _ in } },
            Combinator("allSettled of different types") { Promise.allSettled($0[0], $0[1], $0[2]).next { _ in } },
        ]

        init(_ name: String, combine: @escaping @Sendable ([Promise<Int>]) -> Promise<Void>) {
            testDescription = name
            self.combine = combine
        }
    }

    /// The end of the inputs.
    enum Ending: CaseIterable, Sendable {
        case fulfilled, rejected, mixed, cancelled, abandoned
    }

    @Test(arguments: Combinator.all, Ending.allCases)
    func inputsAreReleasedWhileTheOutputLives(combinator: Combinator, ending: Ending) {
        let inputs = Events<Weak>()
        func run() -> Promise<Void> {
            let pending = (0..<3).map { _ in Promise<Int>.pending(on: .immediate) }
            for input in pending {
                inputs.add(Weak(input.promise))
                input.promise.catch { _ in }
            }
            let output = combinator.combine(pending.map(\.promise))
            output.catch { _ in }
            #expect(inputs.all.allSatisfy { $0.promise != nil })
            for (index, input) in pending.enumerated() {
                switch ending {
                case .fulfilled: input.resolver.fulfill(index)
                case .rejected: input.resolver.reject(Oops())
                case .mixed: input.resolver.settle(index == 1 ? .failure(Oops()) : .success(index))
                case .cancelled: input.promise.cancel()
                case .abandoned: break
                }
            }
            return output
        }
        let output = run()
        #expect(inputs.all.allSatisfy { $0.promise == nil })
        withExtendedLifetime(output) {}
    }

    @Test(arguments: Combinator.all)
    func cancellingTheOutputReleasesTheInputs(combinator: Combinator) {
        let inputs = Events<Weak>()
        let output = Events<Weak>()
        func run() -> [Resolver<Int>] {
            let pending = (0..<3).map { _ in Promise<Int>.pending(on: .immediate) }
            for input in pending { inputs.add(Weak(input.promise)) }
            let combined = combinator.combine(pending.map(\.promise))
            output.add(Weak(combined))
            combined.cancel()
            return pending.map(\.resolver)
        }
        var resolvers = run()
        #expect(output.all.allSatisfy { $0.promise == nil })
        resolvers = []
        #expect(inputs.all.allSatisfy { $0.promise == nil })
        withExtendedLifetime(resolvers) {}
    }

    @Test(arguments: Combinator.all.filter { ["any", "race", "all, cancelling"].contains($0.testDescription) })
    func losersThatGoOnDoNotKeepTheOutput(combinator: Combinator) {
        let output = Events<Weak>()
        let loser = Promise<Int>.pending(on: .immediate)
        let alsoWaiting = loser.promise.next { $0 }
        func run() {
            let winner = Promise<Int>.pending(on: .immediate)
            let combined = combinator.combine([winner.promise, loser.promise])
            combined.catch { _ in }
            output.add(Weak(combined))
            winner.resolver.settle(combinator.testDescription.hasPrefix("all") ? .failure(Oops()) : .success(1))
        }
        run()
        #expect(output.all.allSatisfy { $0.promise == nil })
        withExtendedLifetime(alsoWaiting) { loser.resolver.fulfill(1) }
    }

    @Test(arguments: Combinator.all, Setting.all)
    func valuesAndHandlersAreReleased(combinator: Combinator, setting: Setting) async {
        let lifetimes = Lifetimes()
        func run() async {
            let inputs = (0..<3).map { _ in setting.promise(.success(lifetimes.token())) }
            let output = combinator.combine(
                inputs.map { input in
                    let token = lifetimes.token()
                    return input.promise.next { _ in withExtendedLifetime(token) { 1 } }
                })
            for input in inputs { input.settle() }
            _ = await output.result
        }
        await run()
        await lifetimes.allEnded()
    }
}

/// A weak reference to a promise.
private struct Weak: Sendable {
    weak let promise: AnyPromise?

    init(_ promise: AnyPromise) {
        self.promise = promise
    }
}
