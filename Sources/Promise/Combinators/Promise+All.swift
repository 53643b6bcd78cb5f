/// The treatment of the other promises once one of them has decided the outcome.
public enum Losers: Sendable {
    /// They go on.
    case keep
    /// The combinator leaves them. Each is cancelled unless another consumer waits for it.
    case cancel
}

extension Promise {
    /// Waits for all promises: fulfilled with their values in input order, or rejected with the first error.
    ///
    /// ```swift
    /// let users = Promise.all([1, 2, 3].map { loadUser($0) })
    /// ```
    ///
    /// An empty array is fulfilled at once, with an empty array. The cost for each promise does not depend on their
    /// number.
    ///
    /// - Parameters:
    ///   - promises: The promises to wait for.
    ///   - losers: The treatment of the other promises when one is rejected.
    @inlinable
    @discardableResult
    public static func all<Element>(
        _ promises: [Promise<Element>], losers: Losers = .keep
    ) -> Promise where Value == [Element] {
        gather(promises, until: .firstRejected, cancelsLosers: losers == .cancel) { inputs in
            inputs.map { $0.loadSlot(as: Element.self) }
        }
    }

    // The compiler prefers the forms for arrays. It then ignores the generic forms, which it would otherwise try again
    // for each overload in a chain.

    /// Waits for all promises of a sequence.
    @_disfavoredOverload
    @inlinable
    @discardableResult
    public static func all<Element>(
        _ promises: some Sequence<Promise<Element>>, losers: Losers = .keep
    ) -> Promise where Value == [Element] {
        all(Array(promises), losers: losers)
    }

    @inlinable
    static func gather<Input: AnyPromise>(
        _ inputs: [Input], until rule: Gathering.Rule, cancelsLosers: Bool,
        _ value: @escaping @Sendable (_ inputs: Gathering.Inputs) throws -> Value
    ) -> Promise {
        let output = Promise(continuing: inputs.first)
        let gathering = Gathering(inputs.count, into: output, until: rule, cancelsLosers: cancelsLosers) {
            output, inputs in
            do {
                output.fulfill(try value(inputs))
            } catch {
                output.reject(error)
            }
        }
        gathering.start(with: inputs.indices.map { gathering.watch(inputs[$0], $0) })
        return output
    }

    /// Creates the output of a combinator. Its links run on the scheduler of the first input.
    @usableFromInline
    convenience init(continuing first: AnyPromise?) {
        #if DEBUG
            let site = first?.site ?? CreationSite(file: #fileID, line: #line)
        #else
            let site = CreationSite(file: #fileID, line: #line)
        #endif
        self.init(on: first?.scheduler ?? .background, at: site)
    }
}
