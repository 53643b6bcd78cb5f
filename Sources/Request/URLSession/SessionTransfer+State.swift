import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension SessionTransfer {
    enum Waiter {
        case response(isForHead: Bool, TransportCompletion)
        case portion(UnsafeContinuation<Void, Never>)

        func go(on transfer: SessionTransfer) {
            switch self {
            case .response(_, let completion): completion { try transfer.response() }
            case .portion(let continuation): continuation.resume()
            }
        }
    }

    /// What a transfer has come to, and who waits for more.
    struct State {
        /// Kept until the transfer is over, so that its session is.
        var core: SessionCore?
        var task: URLSessionDataTask?
        var head: SessionHead?
        /// What its reader has not read yet, or all of the body.
        var portions: ArraySlice<Data> = []
        var unread = 0
        var whole = Data()
        var total = 0
        var sent = 0
        var ending: Ending?
        var waiter: Waiter?
        /// Whether the server waits for the reader.
        var isHeld = false
        var preparation: Task<Void, Never>?

        var isAdmitted = false
        var isConnected = false
        var isSent = false
        var isBodyAwaited = false
        var lastActivity: Int64 = 0
        var totalDeadline = Int64.max
        var scheduled = Int64.max
        var timer: SessionTimer?

        var started: Int64 = 0
        var firstByte: Int64 = 0
        var finished: Int64 = 0
        /// What the system has measured, where it does.
        var measured: AttemptMetrics?

        init(core: SessionCore, waiter: Waiter) {
            self.core = core
            self.waiter = waiter
        }
    }
}

extension SessionTransfer.State {
    enum Step {
        case portion(Data)
        case end(SessionTransfer.Ending)
        case wait
    }

    /// Keeps a portion for the reader. Returns whether the server is to be held now: it may be once only, as suspensions
    /// are counted, and what was on its way when it was held still comes.
    mutating func take(_ portion: Data, below limit: Int) -> Bool {
        portions.append(portion)
        unread += portion.count
        guard !isHeld, unread >= limit else { return false }
        isHeld = true
        return true
    }

    /// What a reader gets now, and whether there is room for more again.
    mutating func step(below mark: Int) -> (Step, makesRoom: Bool) {
        if case .cancelled = ending { return (.end(.cancelled), false) }
        guard let portion = portions.popFirst() else { return (ending.map { .end($0) } ?? .wait, false) }
        unread -= portion.count
        return (.portion(portion), isHeld && unread <= mark && ending == nil)
    }

    mutating func takeWaiter() -> SessionTransfer.Waiter? {
        switch waiter {
        case .response(isForHead: true, _) where head != nil, .portion where !portions.isEmpty,
            .some where ending != nil:
            defer { waiter = nil }
            return waiter
        default: return nil
        }
    }

    /// What is to be let go of at the end.
    struct End {
        let waiter: SessionTransfer.Waiter?
        let timer: SessionTimer?
        let preparation: Task<Void, Never>?
        /// Where a transfer that no task carries is to be withdrawn from.
        let core: SessionCore?
    }

    /// Ends it; nil where it has ended.
    mutating func end(_ ending: SessionTransfer.Ending, at now: Int64) -> End? {
        guard self.ending == nil else { return nil }
        self.ending = ending
        finished = now
        defer {
            timer = nil
            preparation = nil
        }
        return End(waiter: takeWaiter(), timer: timer, preparation: preparation, core: task == nil ? core : nil)
    }

    /// How far the exchange has come, as far as that can be known.
    func phase(hasBody: Bool) -> RequestError.Phase {
        if head != nil { return .receive }
        if !isConnected { return .connect }
        return hasBody && !isSent ? .send : .wait
    }

    var metrics: AttemptMetrics {
        var metrics = measured ?? AttemptMetrics()
        if measured == nil {
            if firstByte > 0 { metrics.firstByte = .nanoseconds(firstByte - started) }
            if finished > 0 { metrics.finished = .nanoseconds(finished - started) }
            metrics.bodyBytesReceived = head?.isEncoded == true ? head?.announcedLength ?? total : total
        }
        metrics.bodyBytesSent = sent
        return metrics
    }
}
