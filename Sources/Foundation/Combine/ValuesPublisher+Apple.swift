#if canImport(Combine)
    import Combine

    /// A publisher of the values of a promise, a request or a sequence: see `Promise.publisher`.
    public struct ValuesPublisher<Output: Sendable>: Publisher, Sendable {
        public typealias Failure = any Error

        private let makeReader: @Sendable () -> Delivery<Output>.Reader

        /// Creates a publisher of a sequence, such as the `items` of a list in pages. Each subscriber begins an iteration.
        public init<Values: AsyncSequence & Sendable>(_ values: Values) where Values.Element == Output {
            makeReader = { values.reader() }
        }

        fileprivate init(_ promise: Promise<Output>) {
            makeReader = { promise.reader() }
        }

        public func receive<S: Combine.Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            // Unsafe: the delivery calls the subscriber once at a time, as Combine requires of publishers.
            nonisolated(unsafe) let receive: (Output) -> Subscribers.Demand = { subscriber.receive($0) }
            nonisolated(unsafe) let complete: (Subscribers.Completion<any Error>) -> Void = {
                subscriber.receive(completion: $0)
            }
            let delivery = Delivery<Output>(
                to: Delivery.Subscriber(
                    receive: { Demand(receive($0)) },
                    complete: { error in complete(error.map { .failure($0) } ?? .finished) }))
            subscriber.receive(subscription: DeliverySubscription(delivery))
            delivery.start(makeReader)
        }
    }

    extension Promise {
        /// A publisher of the value, which completes after it, or with the error of the rejection.
        ///
        /// A subscription is a consumer of the promise. If it is cancelled and no other consumer is left, the work of the promise is
        /// cancelled too. Values and completions arrive on a thread in the background: add `receive(on:)`.
        public var publisher: ValuesPublisher<Value> { ValuesPublisher(self) }
    }

    extension Request {
        /// A publisher of the ``values``: the cached output, and then the new one.
        ///
        /// Each subscription starts a call. Cancelling the subscription cancels the call.
        public nonisolated final var publisher: ValuesPublisher<Output> { ValuesPublisher(values) }
    }

    /// The subscription of one subscriber.
    private final class DeliverySubscription<Element: Sendable>: Subscription {
        private let delivery: Delivery<Element>

        init(_ delivery: Delivery<Element>) {
            self.delivery = delivery
        }

        func request(_ demand: Subscribers.Demand) {
            delivery.request(Demand(demand))
        }

        func cancel() {
            delivery.cancel()
        }
    }

    extension Demand {
        fileprivate init(_ demand: Subscribers.Demand) {
            self = demand.max.map { Demand($0) } ?? .unlimited
        }
    }
#endif
