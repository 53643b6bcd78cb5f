#if canImport(Darwin) || URLSessionOnLinux
    import Synchronization

    /// The queue of requests and the sessions that the transfers of a transport share.
    ///
    /// Each transfer retains it until the transfer has ended. Its release closes the sessions.
    final class SessionCore: Sendable {
        let configuration: URLSessionTransport.Configuration
        /// The queue on which tasks begin and are cancelled. On Linux, both wait for the single thread of all sessions,
        /// which a delegate call may block. The queue is serial, so that waiting blocks do not occupy all threads of
        /// the system's pool.
        static let control = DispatchQueue(label: "tango.urlsession.control")
        let trusts = KnownTrusts<SessionTrust>()

        private let state: Mutex<State>

        private struct State {
            var isShutDown = false
            var queue: AdmissionQueue<ObjectIdentifier>
            var members: [ObjectIdentifier: Member] = [:]
            /// The sessions of the transfers that may share connections: one for each set of rules. A connection is
            /// valid only for the rules and the certificate files with which it was established.
            var shared = RecentlyUsed<ServerTrust.Rules, (lane: SessionLane, trust: SessionTrust)>(most: 16)
        }

        /// A transfer that has not ended, and its state in the core.
        private struct Member {
            let transfer: SessionTransfer
            /// The place in the queue, if the transfer waits.
            var place: AdmissionQueue<ObjectIdentifier>.Place?
            var hasSlot = false
            var lane: SessionLane?
        }

        init(_ configuration: URLSessionTransport.Configuration) {
            self.configuration = configuration
            state = Mutex(
                State(queue: AdmissionQueue(total: configuration.limit, perHost: configuration.limitPerHost)))
        }

        /// The number of sessions that transfers share.
        var sessionCount: Int { state.withLock { $0.shared.all.count } }

        deinit {
            let shared = state.withLock { $0.shared.all.map(\.lane) }
            Self.control.async { for lane in shared { lane.close() } }
        }

        // MARK: Transfers

        func submit(_ transfer: SessionTransfer) {
            let isShutDown = state.withLock { state in
                if !state.isShutDown { state.members[ObjectIdentifier(transfer)] = Member(transfer: transfer) }
                return state.isShutDown
            }
            if isShutDown {
                return transfer.fail(.shutDown, "the transport was shut down: create a new transport", phase: .prepare)
            }
            // If the transfer was cancelled before it became a member, it could not be withdrawn.
            if transfer.isOver { return withdraw(transfer) }
            transfer.start()
            transfer.prepare { self.queue(transfer) }
        }

        private func queue(_ transfer: SessionTransfer) {
            let member = ObjectIdentifier(transfer)
            let isNext = state.withLock { state in
                guard state.members[member] != nil else { return false }
                let place = state.queue.admit(member, for: transfer.host)
                state.members[member]?.place = place
                state.members[member]?.hasSlot = place == nil
                return place == nil
            }
            if isNext { launch(transfer) }
        }

        /// Removes a transfer that was cancelled before it began.
        func withdraw(_ transfer: SessionTransfer) {
            let key = ObjectIdentifier(transfer)
            state.withLock { state in
                guard let member = state.members[key], !member.hasSlot else { return }
                if let place = member.place { state.queue.withdraw(place) }
                state.members[key] = nil
            }
        }

        /// Removes a transfer that has ended, and launches the next one.
        func ended(_ transfer: SessionTransfer) {
            let (next, surplus) = state.withLock { state -> (SessionTransfer?, SessionLane?) in
                guard let member = state.members.removeValue(forKey: ObjectIdentifier(transfer)), member.hasSlot else {
                    return (nil, nil)
                }
                var next: SessionTransfer?
                if let key = state.queue.free(transfer.host) {
                    state.members[key]?.place = nil
                    state.members[key]?.hasSlot = true
                    next = state.members[key]?.transfer
                }
                let isShared = state.shared.all.contains { $0.lane === member.lane }
                return (next, isShared ? nil : member.lane)
            }
            if let surplus { Self.control.async { surplus.close() } }
            if let next { launch(next) }
        }

        private func launch(_ transfer: SessionTransfer) {
            transfer.admit()
            Self.control.async {
                guard !transfer.isOver, let lane = self.lane(for: transfer), lane.carry(transfer) else {
                    transfer.fail(.shutDown, "the transport was shut down: create a new transport", phase: .prepare)
                    return self.ended(transfer)
                }
            }
        }

        private func lane(for transfer: SessionTransfer) -> SessionLane? {
            let (lane, old) = state.withLock { state -> (SessionLane?, SessionLane?) in
                guard !state.isShutDown else { return (nil, nil) }
                let trust = transfer.trust
                let known = transfer.needsNewConnection ? nil : state.shared.find(trust.rules)
                let shared = known?.trust === trust ? known?.lane : nil
                let lane = shared ?? SessionLane(configuration, trust.rules)
                state.members[ObjectIdentifier(transfer)]?.lane = lane
                guard shared == nil, !transfer.needsNewConnection else { return (lane, nil) }
                // The replaced session finishes its transfers.
                return (lane, state.shared.insert((lane, trust), for: trust.rules)?.lane)
            }
            old?.close()
            return lane
        }

        // MARK: The end

        func shutDown() async {
            let (transfers, lanes) = state.withLock { state -> ([SessionTransfer], [SessionLane]) in
                state.isShutDown = true
                var lanes = state.shared.all.map(\.lane)
                for member in state.members.values {
                    if let lane = member.lane, !lanes.contains(where: { $0 === lane }) { lanes.append(lane) }
                }
                return (state.members.values.map(\.transfer), lanes)
            }
            for transfer in transfers {
                transfer.fail(.shutDown, "the transport was shut down: create a new transport", phase: .prepare)
            }
            for lane in lanes {
                Self.control.async { lane.cancelAll() }
                await lane.closed()
            }
        }
    }
#endif
