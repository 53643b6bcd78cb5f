/// The result of a transfer.
package enum TransferEnding: Sendable {
    case success
    /// Indirect, because an error is large and few transfers have one.
    indirect case failure(RequestError)
    case cancelled
}

/// The part of a transfer that the transport fills and the receiver reads. Each transfer guards its feed with a lock.
///
/// The receiver is first the completion of the request, then the reader of the body.
package struct TransferFeed: Sendable {
    package enum Waiter: Sendable {
        case response(TransportCompletion)
        case portion(UnsafeContinuation<Void, Never>)

        package func go(on transfer: some Transfer) {
            switch self {
            case .response(let completion): completion { try transfer.response() }
            case .portion(let continuation): continuation.resume()
            }
        }
    }

    enum Step {
        case portion(Data)
        case end(TransferEnding)
        case wait
    }

    /// A Boolean value that indicates whether the head may be delivered.
    package var hasHead = false
    var portions: ArraySlice<Data> = []
    /// The number of bytes in `portions`.
    package var unread = 0
    /// A Boolean value that indicates whether the server waits for the reader.
    package var isHeld = false
    package var ending: TransferEnding?
    /// A Boolean value that indicates whether events are still being reported. The reader comes to the end after them.
    package var isReporting = false
    var waiter: Waiter?

    package init(completion: @escaping TransportCompletion) {
        waiter = .response(completion)
    }

    package mutating func add(_ new: [Data]) {
        for portion in new { unread += portion.count }
        if portions.isEmpty { portions = new[...] } else { portions += new }
    }

    /// Adds a portion. Returns whether the server must wait from now on. This is true at most once until the reader
    /// makes room, although portions in flight still arrive.
    package mutating func add(_ portion: Data, below limit: Int) -> Bool {
        portions.append(portion)
        unread += portion.count
        guard !isHeld, unread >= limit else { return false }
        isHeld = true
        return true
    }

    /// Takes the next portion for the reader, and returns whether there is room for more again.
    mutating func step(below mark: Int) -> (Step, makesRoom: Bool) {
        if case .cancelled = ending { return (.end(.cancelled), false) }
        guard let portion = portions.popFirst() else {
            return (isReporting ? .wait : ending.map { .end($0) } ?? .wait, false)
        }
        unread -= portion.count
        return (.portion(portion), isHeld && unread <= mark && ending == nil)
    }

    /// A Boolean value that indicates whether the reader need not wait.
    var isReadable: Bool { !portions.isEmpty || ending != nil && !isReporting }

    /// Takes all portions as one.
    mutating func takeAll() -> Data {
        defer { portions = [] }
        guard portions.count > 1 else { return portions.first ?? Data() }
        var all = Data(capacity: unread)
        for portion in portions { all.append(portion) }
        return all
    }

    /// Takes the waiter if it can be resumed.
    package mutating func takeWaiter() -> Waiter? {
        switch waiter {
        case .response where hasHead || ending != nil, .portion where !portions.isEmpty || ending != nil:
            defer { waiter = nil }
            return waiter
        default: return nil
        }
    }
}
