#if os(Linux)
    import TangoCCurl

    /// The life of a transfer, from its start to its end. The driver of the loop calls all of this under the lock.
    extension CurlLoop {
        @inline(never)  // four callers
        func handle(_ command: Command) {
            switch command {
            case .start(let transfer): starting.append(transfer)
            case .leave(let transfer): stop(transfer, with: .cancelled)
            case .fail(let transfer, let error): stop(transfer, with: .failure(error))
            case .receive(let transfer):
                guard let handle = transfer.handle else { return }
                resume(transfer, handle, receiving: true)
            case .send(let transfer):
                guard let handle = transfer.handle else {
                    return transfer.isOpening && transfer.ending == nil ? begin(transfer) : ()
                }
                resume(transfer, handle, receiving: false)
            case .retire:
                isRetiring = true
            case .shutDown:
                isRetiring = true
                isShutDown = true
                queue?.removeAll()
                for transfer in active.all { stop(transfer, with: .failure(Self.shutDown)) }
            }
        }

        @inline(never)
        func resume(_ transfer: CurlTransfer, _ handle: CurlHandle, receiving: Bool) {
            transfer.lastActivity = now
            allowance = CurlTurn.Allowance()
            let code = handle.unpause(receiving: receiving)
            switch code {
            case CURLE_OK: break
            // The transfer is done already, and its result follows.
            case CURLE_BAD_FUNCTION_ARGUMENT: return
            // This call delivers bytes that libcurl has buffered. The transfer may reject them.
            default: return stop(transfer, with: .failure(transfer.error(for: code)))
            }
            // The idle timeout applies again from now on.
            watchDeadline(of: transfer)
        }

        func start(_ transfer: CurlTransfer) {
            guard !isShutDown else { return stop(transfer, with: .failure(Self.shutDown)) }
            guard !transfer.isLeft else { return stop(transfer, with: .cancelled) }
            if let limit = transfer.options.timeouts.whole.limit {
                transfer.wholeDeadline = now.adding(limit)
                deadline = min(deadline, transfer.wholeDeadline)
            }
            guard queue != nil else { return begin(transfer) }
            transfer.queuePlace = queue?.admit(transfer, for: transfer.host)
            guard transfer.queuePlace != nil else { return enter(transfer) }
            transfer.options.progress?.phase = .prepare
            active.insert(transfer)
        }

        /// Begins a transfer that the limits admit.
        private func enter(_ transfer: CurlTransfer) {
            transfer.queuePlace = nil
            transfer.isAdmitted = true
            begin(transfer)
        }

        private func begin(_ transfer: CurlTransfer) {
            active.insert(transfer)
            let handle: CurlHandle
            do throws(RequestError) {
                transfer.isOpening = try transfer.upload?.open() == false
                if transfer.isOpening { return }
                handle = try handleForUse(by: transfer)
            } catch {
                return stop(transfer, with: .failure(error.with(transfer.request)))
            }
            transfer.lastActivity = now
            transfer.beginConnecting(at: now)
            transfer.notePhase()
            handle.begin(transfer)
            transfer.handle = handle
            add(transfer, handle)
        }

        private func add(_ transfer: CurlTransfer, _ handle: CurlHandle) {
            let code = curl_multi_add_handle(handle.pool.multi, handle.easy)
            guard code == CURLM_OK else {
                let reason = String(cString: curl_multi_strerror(code))
                let error = RequestError(
                    .transportFailed, phase: .prepare, detail: "libcurl rejected the request: \(reason)")
                return stop(transfer, with: .failure(error))
            }
            transfer.isAdded = true
            watchDeadline(of: transfer)
        }

        private func handleForUse(by transfer: CurlTransfer) throws(RequestError) -> CurlHandle {
            guard let pool = pools.pool(for: transfer.trust, http2: transfer.offersHTTP2, of: self) else {
                throw RequestError(
                    .outOfResources, phase: .prepare,
                    detail: "there is no memory for connections: limit the number of calls in flight")
            }
            let handle = try pool.take()
            pool.users += 1
            return handle
        }

        @inline(never)
        func finishDone() {
            for pool in pools.all { finishDone(in: pool) }
        }

        private func finishDone(in pool: CurlPool) {
            var left: Int32 = 0
            while let message = curl_multi_info_read(pool.multi, &left) {
                guard message.pointee.msg == CURLMSG_DONE,
                    let transfer = CurlHandle.of(message.pointee.easy_handle)?.transfer
                else { continue }
                if transfer.leavesConnection {
                    sendAnew(transfer)
                } else {
                    stop(transfer, with: transfer.ending(for: message.pointee.data.result))
                }
            }
        }

        /// Sends a request on a new connection. Nothing of it was sent on the one that libcurl had chosen, and libcurl has
        /// closed that one.
        private func sendAnew(_ transfer: CurlTransfer) {
            guard let handle = transfer.handle else { return }
            _ = curl_multi_remove_handle(handle.pool.multi, handle.easy)
            transfer.isAdded = false
            transfer.needNewConnection()
            transfer.beginConnecting(at: now)
            transfer.notePhase()
            handle.begin(transfer)
            add(transfer, handle)
        }

        /// Records that more of a response has arrived for a request with a body.
        func noteResponse(to transfer: CurlTransfer) {
            if answered.last !== transfer { answered.append(transfer) }
        }

        /// Ends the transfers whose responses are complete although libcurl would go on to send their bodies.
        func endAnswered() {
            guard !answered.isEmpty else { return }
            let transfers = answered
            answered.removeAll(keepingCapacity: true)
            for transfer in transfers where transfer.isAnsweredInFull { stop(transfer, with: .success) }
        }

        /// Ends a transfer in any state. The first ending counts.
        @inline(never)
        private func stop(_ transfer: CurlTransfer, with ending: TransferEnding) {
            guard transfer.ending == nil else { return }
            if let handle = transfer.handle {
                if transfer.isAdded {
                    transfer.readMetrics()
                    _ = curl_multi_remove_handle(handle.pool.multi, handle.easy)
                    if case .success = ending, transfer.reception.isHTTP1 {
                        sockets.noteIdle(handle.socket, port: handle.localPort)
                    }
                }
                transfer.handle = nil
                handle.end()
                handle.pool.users -= 1
                // After a 417, libcurl would send no `Expect` with the handle again.
                if !transfer.isExpectationRefused { handle.pool.give(back: handle) }
            }
            transfer.ending = ending
            transfer.noteProgress()
            transfer.upload?.cancel()
            active.remove(transfer)
            note(transfer)
            if let place = transfer.queuePlace {
                transfer.queuePlace = nil
                queue?.withdraw(place)
            }
            guard transfer.isAdmitted else { return }
            transfer.isAdmitted = false
            guard let next = queue?.free(transfer.host) else { return }
            // One that cannot begin stops, too. Thousands of them in a row must not be a call within a call.
            entering.append(next)
            guard entering.count == 1 else { return }
            while let first = entering.first {
                enter(first)
                entering.removeFirst()
            }
        }

        /// Notes that a transfer has a new portion of a stream.
        func note(_ transfer: CurlTransfer, bytes: Int) {
            news.add(transfer, bytes: bytes, at: now)
        }

        /// Notes that a transfer has news that is delivered after this pass.
        func note(_ transfer: CurlTransfer) {
            news.addUrgent(transfer)
        }

        // MARK: Timeouts

        func watchDeadline(of transfer: CurlTransfer) {
            deadline = min(deadline, transfer.deadline.time)
        }

        @inline(never)
        func checkDeadlines() {
            for transfer in active.all {
                if let error = transfer.overdue(at: now, lastSocketActivity: sockets.lastActivity) {
                    if error.code == .idleTimedOut, let pool = transfer.handle?.pool, pool.speaksHTTP2,
                        let idle = transfer.options.timeouts.idle
                    {
                        // Other transfers share the pool, and their connections may have been active meanwhile.
                        sockets.endDead(of: pool, quietSince: now - Int64.zero.adding(idle / 2))
                    }
                    stop(transfer, with: .failure(error))
                }
            }
            deadline = active.all.reduce(.max) { min($0, $1.deadline.time) }
        }

        private static let shutDown = RequestError(
            .shutDown, phase: .prepare, detail: "the transport was shut down: create a new transport")

        /// Ends an idle connection on which the server has sent bytes without a request. libcurl 7.88 would read them as
        /// the response to the next request.
        func endUnrequested(_ socket: Int32) {
            guard sockets.hasUnrequestedBytes(socket) else { return }
            // A request that was sent on this connection may have paused before libcurl reported its socket.
            let isUsed = active.all.contains { transfer in
                guard let used = transfer.handle?.socket else { return false }
                return used == socket || used == CURL_SOCKET_BAD && transfer.isConnected
            }
            if !isUsed { sockets.endIdle(socket) }
        }
    }

    /// The transfers that have begun or wait in the queue. Each transfer stores its index as `place`.
    struct CurlActive {
        private(set) var all: [CurlTransfer] = []

        var isEmpty: Bool { all.isEmpty }

        mutating func insert(_ transfer: CurlTransfer) {
            guard transfer.place == nil else { return }
            transfer.place = all.count
            all.append(transfer)
        }

        mutating func remove(_ transfer: CurlTransfer) {
            guard let place = transfer.place else { return }
            transfer.place = nil
            let last = all.removeLast()
            guard last !== transfer else { return }
            all[place] = last
            last.place = place
        }
    }
#endif
