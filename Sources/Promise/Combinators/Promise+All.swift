/// What happens to the other promises once one of them has decided.
public enum Losers: Sendable {
    /// They go on.
    case keep
    /// They are left, and cancelled where nobody else waits for them.
    case cancel
}

extension Promise {
    /// Waits for all promises: fulfilled with their values in the order of the input, or rejected with the first error.
    ///
    /// ```swift
    /// let users = Promise.all([1, 2, 3].map { loadUser($0) })
    /// ```
    ///
    /// No promises make an empty array, at once. Each costs one count, however many there are.
    ///
    /// - Parameters:
    ///   - promises: The promises to wait for.
    ///   - losers: What happens to the others when one is rejected.
    @inlinable
    @discardableResult
    public static func all<Element>(
        _ promises: [Promise<Element>], losers: Losers = .keep
    ) -> Promise where Value == [Element] {
        gather(promises, until: .firstRejected, cancelsLosers: losers == .cancel) { inputs in
            inputs.map { $0.loadSlot(as: Element.self) }
        }
    }

    // Of the combinators, the forms for arrays are preferred: the compiler then leaves the generic ones aside, which it
    // would otherwise try again for each reading of a chain.

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

    /// The output of a combinator, which goes on where the first of its inputs does.
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
