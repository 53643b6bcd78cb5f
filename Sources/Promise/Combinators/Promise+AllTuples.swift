extension Promise {
    /// Waits for promises of different types: fulfilled with a tuple of their values, or rejected with the first error.
    ///
    /// ```swift
    /// let line = Promise.all(loadUser(1), loadPosts()).next { user, posts in "\(user.name): \(posts.count) posts" }
    /// ```
    ///
    /// - Parameters:
    ///   - promises: What to wait for.
    ///   - losers: What happens to the others when one is rejected.
    @discardableResult
    public static func all<each Element>(
        _ promises: repeat Promise<each Element>, losers: Losers = .keep
    ) -> Promise where Value == (repeat each Element) {
        var inputs: [AnyPromise] = []
        repeat inputs.append(each promises)
        return gather(inputs, until: .firstRejected, cancelsLosers: losers == .cancel) { _ in
            (repeat (each promises).settledValue)
        }
    }

    // The compiler (6.3) trips over a closure of one call, as in `Promise.all(a, b).next { print($0, $1) }`, right after a
    // parameter pack. The numbers of promises that occur most have functions of their own, which are quicker, too.

    /// Waits for two promises.
    @inlinable
    @discardableResult
    public static func all<A, B>(
        _ a: Promise<A>, _ b: Promise<B>, losers: Losers = .keep
    ) -> Promise where Value == (A, B) {
        gather([a, b] as [AnyPromise], until: .firstRejected, cancelsLosers: losers == .cancel) { inputs in
            (inputs[0].loadSlot(), inputs[1].loadSlot())
        }
    }

    /// Waits for three promises.
    @inlinable
    @discardableResult
    public static func all<A, B, C>(
        _ a: Promise<A>, _ b: Promise<B>, _ c: Promise<C>, losers: Losers = .keep
    ) -> Promise where Value == (A, B, C) {
        gather([a, b, c] as [AnyPromise], until: .firstRejected, cancelsLosers: losers == .cancel) { inputs in
            (inputs[0].loadSlot(), inputs[1].loadSlot(), inputs[2].loadSlot())
        }
    }

    /// Waits for four promises.
    @inlinable
    @discardableResult
    public static func all<A, B, C, D>(
        _ a: Promise<A>, _ b: Promise<B>, _ c: Promise<C>, _ d: Promise<D>, losers: Losers = .keep
    ) -> Promise where Value == (A, B, C, D) {
        gather([a, b, c, d] as [AnyPromise], until: .firstRejected, cancelsLosers: losers == .cancel) { inputs in
            (inputs[0].loadSlot(), inputs[1].loadSlot(), inputs[2].loadSlot(), inputs[3].loadSlot())
        }
    }

    /// The value of a promise that is known to be fulfilled.
    var settledValue: Value { loadSlot() }
}
