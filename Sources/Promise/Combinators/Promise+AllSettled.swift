extension Promise {
    /// Waits until all promises have settled: fulfilled with their results in input order.
    ///
    /// ```swift
    /// Promise.allSettled(ids.map { loadUser($0) }).next { results in
    ///     print(results.filter { (try? $0.get()) == nil }.count, "failed")
    /// }
    /// ```
    @inlinable
    @discardableResult
    public static func allSettled<Element>(
        _ promises: [Promise<Element>]
    ) -> Promise where Value == [Result<Element, any Error>] {
        gather(promises, until: .never, cancelsLosers: false) { inputs in
            inputs.map { $0.outcome(of: Element.self) }
        }
    }

    /// Waits until all promises of a sequence have settled.
    @_disfavoredOverload
    @inlinable
    @discardableResult
    public static func allSettled<Element>(
        _ promises: some Sequence<Promise<Element>>
    ) -> Promise where Value == [Result<Element, any Error>] {
        allSettled(Array(promises))
    }

    /// Waits until promises of different types have settled: fulfilled with a tuple of their results.
    @discardableResult
    public static func allSettled<A, B, each More>(
        _ a: Promise<A>, _ b: Promise<B>, _ more: repeat Promise<each More>
    ) -> Promise where Value == (Result<A, any Error>, Result<B, any Error>, repeat Result<each More, any Error>) {
        var inputs: [AnyPromise] = [a, b]
        repeat inputs.append(each more)
        return gather(inputs, until: .never, cancelsLosers: false) { _ in
            (a.settledResult, b.settledResult, repeat (each more).settledResult)
        }
    }

    /// The outcome. The promise must have settled.
    var settledResult: Result<Value, any Error> { outcome(of: Value.self) }
}

extension AnyPromise {
    @inlinable
    final func outcome<Value>(of _: Value.Type) -> Result<Value, any Error> {
        isFulfilled ? .success(loadSlot()) : .failure(error)
    }
}
