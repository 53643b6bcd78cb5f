extension Promise {
    /// Settles like the first promise to settle, with its value or its error.
    ///
    /// ```swift
    /// let answer = Promise.race([ask(primary), ask(secondary)])
    /// ```
    ///
    /// The others are then left, and cancelled where nobody else waits for them. No promises reject with
    /// ``PromiseError/empty``, so that nobody waits for ever.
    @inlinable
    @discardableResult
    public static func race(_ promises: [Promise<Value>]) -> Promise {
        gather(promises, until: .first, cancelsLosers: true) { _ in throw PromiseError.empty }
    }

    /// Settles like the first promise of a sequence to settle.
    @_disfavoredOverload
    @inlinable
    @discardableResult
    public static func race(_ promises: some Sequence<Promise<Value>>) -> Promise {
        race(Array(promises))
    }

    /// Settles like the first to settle of two promises or more.
    @inlinable
    @discardableResult
    public static func race(_ first: Promise<Value>, _ second: Promise<Value>, _ others: Promise<Value>...) -> Promise {
        race([first, second] + others)
    }
}
