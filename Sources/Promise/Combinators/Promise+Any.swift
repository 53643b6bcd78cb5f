extension Promise {
    /// Takes the first value: fulfilled by the first promise that is, or rejected with an ``AggregateError`` if none is.
    ///
    /// ```swift
    /// let image = Promise.any([load(from: mirror), load(from: origin)])
    /// ```
    ///
    /// The others are then left, and cancelled where nobody else waits for them.
    @inlinable
    @discardableResult
    public static func any(_ promises: [Promise<Value>]) -> Promise {
        gather(promises, until: .firstFulfilled, cancelsLosers: true) { inputs in
            throw AggregateError(errors: inputs.map(\.error))
        }
    }

    /// Takes the first value of the promises of a sequence.
    @_disfavoredOverload
    @inlinable
    @discardableResult
    public static func any(_ promises: some Sequence<Promise<Value>>) -> Promise {
        any(Array(promises))
    }

    /// Takes the first value of two promises or more.
    @inlinable
    @discardableResult
    public static func any(_ first: Promise<Value>, _ second: Promise<Value>, _ others: Promise<Value>...) -> Promise {
        any([first, second] + others)
    }
}
