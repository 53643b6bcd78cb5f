extension Promise {
    /// Settles with the outcome of the first promise that settles, a value or an error.
    ///
    /// ```swift
    /// let answer = Promise.race([ask(primary), ask(secondary)])
    /// ```
    ///
    /// The returned promise then leaves the others. Each is cancelled unless another consumer waits for it. An empty
    /// array rejects with ``PromiseError/empty``.
    @inlinable
    @discardableResult
    public static func race(_ promises: [Promise<Value>]) -> Promise {
        gather(promises, until: .first, cancelsLosers: true) { _ in throw PromiseError.empty }
    }

    /// Settles with the outcome of the first promise of a sequence that settles.
    @_disfavoredOverload
    @inlinable
    @discardableResult
    public static func race(_ promises: some Sequence<Promise<Value>>) -> Promise {
        race(Array(promises))
    }

    /// Settles with the outcome of the first of two or more promises that settles.
    @inlinable
    @discardableResult
    public static func race(_ first: Promise<Value>, _ second: Promise<Value>, _ others: Promise<Value>...) -> Promise {
        race([first, second] + others)
    }
}
