#if canImport(Darwin) || URLSessionOnLinux
    import Dispatch
    import Synchronization

    /// What the transfers of a transport share: their turns, and the sessions that carry them.
    ///
    /// Transfers hold it until they are over, and it closes its sessions when it goes.
    final class SessionCore: Sendable {
        let configuration: URLSessionTransport.Configuration
        /// Where tasks are begun and cancelled: on Linux both wait for the one thread of all sessions, which may be in the middle
        /// of a call to whoever wants it. One after the other: many that wait at once would take all threads of the system's pool.
        static let control = DispatchQueue(label: "tango.urlsession.control")
        let trusts = KnownTrusts<SessionTrust>()

        private let state: Mutex<State>

        private struct State {
            var isShutDown = false
            var queue: AdmissionQueue<ObjectIdentifier>
            var members: [ObjectIdentifier: Member] = [:]
            /// The sessions of all who do not need a connection of their own: one for each set of rules, as a connection that was
            /// made under some says nothing about others, nor about what was in their files before.
            var shared = RecentlyUsed<ServerTrust.Rules, (lane: SessionLane, trust: SessionTrust)>(most: 16)
        }

        /// A transfer that is not over, and where it is.
        private struct Member {
            let transfer: SessionTransfer
            /// Its place among those that wait for their turn.
            var place: AdmissionQueue<ObjectIdentifier>.Place?
            var hasSeat = false
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
            if isShutDown { return transfer.fail(.shutDown, "the transport was shut down", phase: .prepare) }
            // Whoever left before it was a member could not be withdrawn.
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
                state.members[member]?.hasSeat = place == nil
                return place == nil
            }
            if isNext { launch(transfer) }
        }

        /// A transfer that has not begun is not wanted any more.
        func withdraw(_ transfer: SessionTransfer) {
            let key = ObjectIdentifier(transfer)
            state.withLock { state in
                guard let member = state.members[key], !member.hasSeat else { return }
                if let place = member.place { state.queue.withdraw(place) }
                state.members[key] = nil
            }
        }

        /// A transfer is over, and its seat is free.
        func ended(_ transfer: SessionTransfer) {
            let (next, surplus) = state.withLock { state -> (SessionTransfer?, SessionLane?) in
                guard let member = state.members.removeValue(forKey: ObjectIdentifier(transfer)), member.hasSeat else {
                    return (nil, nil)
                }
                var next: SessionTransfer?
                if let key = state.queue.free(transfer.host) {
                    state.members[key]?.place = nil
                    state.members[key]?.hasSeat = true
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
                    transfer.fail(.shutDown, "the transport was shut down", phase: .prepare)
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
                // The session that is dropped finishes its transfers.
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
            for transfer in transfers { transfer.fail(.shutDown, "the transport was shut down", phase: .prepare) }
            for lane in lanes {
                Self.control.async { lane.cancelAll() }
                await lane.closed()
            }
        }
    }
#endif
