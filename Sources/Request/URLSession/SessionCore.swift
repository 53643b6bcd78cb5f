import Dispatch
import Synchronization

/// What the transfers of a transport share: their turns, and the sessions that carry them.
///
/// Transfers hold it until they are over, and it closes its sessions when it goes.
final class SessionCore: Sendable {
    let configuration: URLSessionTransport.Configuration
    /// Where tasks are begun and cancelled: both wait for the session, which may be waiting for whoever wants it.
    static let control = DispatchQueue(label: "tango.urlsession.control", attributes: .concurrent)

    private let state: Mutex<State>

    private struct State {
        var isShutDown = false
        var turns: SessionTurns
        var transfers: [ObjectIdentifier: SessionTransfer] = [:]
        /// Who is carried by which session.
        var carriers: [ObjectIdentifier: SessionLane] = [:]
        /// The session of all who do not need one for themselves.
        var shared: SessionLane?
        /// Sessions for one at a time, the last used last.
        var idle: [SessionLane] = []
        /// Sessions that are being closed.
        var closing: [SessionLane] = []
    }

    /// How many sessions for one at a time are kept for the next.
    private static let mostIdle = 4

    init(_ configuration: URLSessionTransport.Configuration) {
        self.configuration = configuration
        let streams = SessionPlatform.isLinux ? configuration.streams : nil
        state = Mutex(
            State(
                turns: SessionTurns(
                    total: configuration.limit, perHost: configuration.limitPerHost, streams: streams)))
    }

    deinit {
        let lanes = state.withLock { $0.idle + [$0.shared].compactMap { $0 } }
        Self.control.async { for lane in lanes { lane.close() } }
    }

    // MARK: Transfers

    func submit(_ transfer: SessionTransfer) {
        let member = ObjectIdentifier(transfer)
        let (isShutDown, isNext) = state.withLock { state in
            guard !state.isShutDown else { return (true, false) }
            state.transfers[member] = transfer
            return (false, state.turns.ask(member, for: transfer.seat))
        }
        if isShutDown { return transfer.fail(.shutDown, "the transport was shut down", phase: .prepare) }
        transfer.start()
        if isNext {
            launch(transfer)
        }
        // Whoever left before it was submitted could not be withdrawn.
        else if transfer.isOver {
            withdraw(transfer)
        }
    }

    /// A transfer that has not begun is not wanted any more.
    func withdraw(_ transfer: SessionTransfer) {
        let member = ObjectIdentifier(transfer)
        state.withLock { state in
            if state.turns.withdraw(member) { state.transfers[member] = nil }
        }
    }

    /// A transfer is over, and its seat is free.
    func ended(_ transfer: SessionTransfer) {
        let member = ObjectIdentifier(transfer)
        let (next, surplus) = state.withLock { state -> ([SessionTransfer], SessionLane?) in
            guard state.transfers.removeValue(forKey: member) != nil else { return ([], nil) }
            let next = state.turns.free(transfer.seat).compactMap { state.transfers[$0] }
            guard let lane = state.carriers.removeValue(forKey: member), lane !== state.shared else {
                return (next, nil)
            }
            guard !state.isShutDown, state.idle.count < Self.mostIdle else { return (next, lane) }
            state.idle.append(lane)
            return (next, nil)
        }
        if let surplus { Self.control.async { surplus.close() } }
        for transfer in next { launch(transfer) }
    }

    private func launch(_ transfer: SessionTransfer) {
        transfer.admit()
        Self.control.async { self.begin(transfer) }
    }

    private func begin(_ transfer: SessionTransfer) {
        guard !transfer.isOver, let lane = lane(for: transfer) else { return abandon(transfer) }
        if !lane.carry(transfer) { abandon(transfer) }
    }

    /// A transfer that no session carries is over at once.
    private func abandon(_ transfer: SessionTransfer) {
        transfer.fail(.shutDown, "the transport was shut down", phase: .prepare)
        ended(transfer)
    }

    private func lane(for transfer: SessionTransfer) -> SessionLane? {
        state.withLock { state in
            guard !state.isShutDown else { return nil }
            var lane: SessionLane
            if !SessionPlatform.isLinux || !transfer.seat.isStream && !transfer.needsNewConnection {
                lane = state.shared ?? SessionLane(configuration)
                state.shared = lane
            } else {
                lane = (transfer.needsNewConnection ? nil : state.idle.popLast()) ?? SessionLane(configuration)
            }
            state.carriers[ObjectIdentifier(transfer)] = lane
            return lane
        }
    }

    // MARK: The end

    func shutDown() async {
        let (transfers, lanes) = state.withLock { state -> ([SessionTransfer], [SessionLane]) in
            state.isShutDown = true
            var lanes = state.idle + [state.shared].compactMap { $0 } + state.closing
            for lane in state.carriers.values where !lanes.contains(where: { $0 === lane }) { lanes.append(lane) }
            state.idle = []
            state.shared = nil
            state.closing = lanes
            return (Array(state.transfers.values), lanes)
        }
        for transfer in transfers { transfer.fail(.shutDown, "the transport was shut down", phase: .prepare) }
        for lane in lanes {
            Self.control.async { lane.cancelAll() }
            await lane.closed()
        }
        state.withLock { $0.closing = [] }
    }
}
