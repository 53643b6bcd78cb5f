#if os(Linux)
    import Glibc
    import Synchronization
    import TangoCCurl
    import TangoCLinux

    /// The event loop that drives all transfers of a transport.
    ///
    /// The lock `drive` guards the loop. The thread that holds it is the loop's *driver*. This is the loop's own thread
    /// on events of sockets and timers. While that thread sleeps, a thread that submits a command drives.
    ///
    /// Commands that arrive while another thread drives stay in the `inbox`. The driver checks the inbox again after it
    /// has released the lock. So a single request starts without waking a thread, and many requests take few passes.
    ///
    /// User code and continuations never run under the lock. The driver collects them in `news` and runs them
    /// afterwards.
    final class CurlLoop: @unchecked Sendable {
        let configuration: CurlConfiguration
        /// The addresses of hosts, by their names in lower case.
        let addresses: [String: [String]]
        let buffers = CurlBuffers()
        let trusts = KnownTrusts<CurlTrust>()
        private let inbox = CurlInbox()
        private let drive = Mutex<Void>(())
        private let closing = ClosingSignal()
        private let hasEnded = Atomic(false)
        /// A Boolean value that indicates whether the loop's thread waits inside libcurl for the end of the process.
        private let hasParked = Atomic(false)
        /// A Boolean value that indicates whether many requests share a connection. Their bytes are then sent together.
        private let startsTogether = Atomic(false)

        // The driver uses all of this under the lock.
        var pools = CurlPools()
        private var thread = pthread_t()
        let sockets: CurlSockets
        var active = CurlActive()
        var queue: AdmissionQueue<CurlTransfer>?
        /// The time of the current pass.
        var now = MonotonicTime.now()
        /// The earliest time at which an active transfer may time out.
        var deadline = Int64.max
        var isRetiring = false
        var isShutDown = false
        /// A Boolean value that indicates whether libcurl is cleaned up. New transfers are rejected then.
        private var isClosed = false
        var news = CurlNews()
        /// The transfers with a request body that have received something since the last pass.
        var answered: [CurlTransfer] = []
        /// The transfers that leave the queue, of which the first is beginning.
        var entering: [CurlTransfer] = []
        /// The transfers that begin in this turn or in later ones, in order.
        var starting: [CurlTransfer] = []
        /// The transfers that have given way to others and continue in the next turn.
        var waiting: [CurlTransfer] = []
        /// The bytes that libcurl may still deliver in the current call.
        var allowance = CurlTurn.Allowance()
        /// The time until which the loop's thread sleeps unless it is woken.
        private var wakeTime = Int64.max

        init(_ configuration: CurlConfiguration) throws {
            self.configuration = configuration
            addresses = Dictionary(
                configuration.addresses.map { ($0.lowercased(), $1) }, uniquingKeysWith: { first, _ in first })
            queue =
                configuration.isLimited
                ? AdmissionQueue(total: configuration.limit, perHost: configuration.limitPerHost) : nil
            sockets = try CurlSockets()
            guard pools.pool(for: nil, http2: configuration.http2, of: self) != nil else {
                throw RequestError(
                    .outOfResources, phase: .prepare,
                    detail: "there is no memory for connections: limit the number of calls in flight")
            }
            ProcessExit.watch(self)
            guard LoopThread.start("tango.curl", { self.run() }) else {
                ProcessExit.forget(self)
                pools.close()
                throw RequestError(
                    .outOfResources, phase: .prepare,
                    detail: "the thread of the transport could not be started: limit the number of threads")
            }
        }

        static func of(_ context: UnsafeMutableRawPointer?) -> CurlLoop {
            Unmanaged<CurlLoop>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
        }

        // MARK: Driving

        func submit(_ command: Command) {
            guard !inbox.add(command) else { return }
            switch command {
            // The loop's thread handles commands of readers and uploads, so that user code and network run in parallel.
            // It also handles the starts of many requests on one connection.
            case .start where startsTogether.load(ordering: .relaxed) && !hasEnded.load(ordering: .acquiring):
                sockets.wake()
            case .receive where !hasEnded.load(ordering: .acquiring), .send where !hasEnded.load(ordering: .acquiring):
                sockets.wake()
            default: drivePending()
            }
        }

        /// Handles the commands in the inbox. If another thread drives, that thread handles them.
        private func drivePending() {
            while inbox.needsDriver {
                let news = drive.withLockIfAvailable { _ -> [CurlTransfer.News]? in
                    guard !ProcessExit.hasBegun else { return nil }
                    // The loop's thread blocks signals, but this is a thread of the caller.
                    if CurlLibrary.raisesSignals {
                        BrokenPipeSignal.absorbed { pass(isLoop: false) }
                    } else {
                        pass(isLoop: false)
                    }
                    return self.news.take()
                }
                guard let news, let news else { return }
                deliver(news)
            }
        }

        /// Runs a closure under the lock. Returns nil if the process is ending, because libcurl must not be called
        /// then.
        private func driving<Result>(_ work: () -> Result) -> Result? {
            drive.withLock { _ in ProcessExit.hasBegun ? nil : work() }
        }

        /// A Boolean value that indicates whether no thread is inside libcurl, except one that will never continue.
        var isAtRest: Bool { hasParked.load(ordering: .acquiring) || drive.withLockIfAvailable { _ in true } ?? false }

        /// Stops the loop's thread for good if the process is ending. Called in callbacks of libcurl, because many
        /// handshakes may be due in one pass, and each takes long.
        func parkAtExit() {
            guard ProcessExit.hasBegun, pthread_equal(pthread_self(), thread) != 0 else { return }
            hasParked.store(true, ordering: .releasing)
            ProcessExit.park()
        }

        /// The loop's thread.
        private func run() {
            drive.withLock { _ in thread = pthread_self() }
            var events = [epoll_event](repeating: epoll_event(), count: CurlTurn.mostEvents)
            var timeout: Int32 = -1
            while true {
                let count = sockets.wait(&events, timeout: timeout == 0 || !inbox.sleep() ? 0 : timeout)
                inbox.wake()
                let turn = driving { () -> ([CurlTransfer.News], Bool) in
                    now = MonotonicTime.now()
                    let turn = CurlTurn(at: now)
                    for event in events[..<count] {
                        act(on: event)
                        handleUrgent()
                    }
                    continueWaiting(in: turn)
                    pass(isLoop: true)
                    if count > 0, news.mayWait(at: now) {
                        timeout = 0
                        return ([], false)
                    }
                    timeout = sleep()
                    return (news.take(), self.isOver)
                }
                guard let (turnNews, isOver) = turn else { ProcessExit.park() }
                deliver(turnNews)
                if isOver, end() { return }
            }
        }

        /// Runs one pass: commands, timers, finished transfers and timeouts.
        @inline(never)
        private func pass(isLoop: Bool) {
            now = MonotonicTime.now()
            for command in inbox.takeAll() { handle(command) }
            beginTransfers()
            guard !isClosed else { return }
            runTimers()
            finishDone()
            endAnswered()
            if deadline <= now { checkDeadlines() }
            sockets.wakeRested(at: now)
            pools.trim()
            startsTogether.store(
                active.all.count >= Self.many && pools.all.contains(where: \.speaksHTTP2), ordering: .relaxed)
            guard !isLoop else { return }
            let next = nextTime
            if next < wakeTime || isOver {
                wakeTime = min(next, wakeTime)
                sockets.wake()
            }
        }

        /// Begins the next transfers that wait for their turn.
        private func beginTransfers() {
            let isUnlimited = isShutDown || startsTogether.load(ordering: .relaxed)
            let next = Array(starting.prefix(isUnlimited ? .max : CurlTurn.mostStarts))
            starting.removeFirst(next.count)
            for transfer in next { start(transfer) }
        }

        /// The next time at which something is due.
        private var nextTime: Int64 {
            waiting.isEmpty && starting.isEmpty ? min(pools.timer, deadline, sockets.nextWriting) : now
        }

        /// Handles what cannot wait for the end of the turn. Called between two transfers.
        @inline(never)
        private func handleUrgent() {
            now = MonotonicTime.now()
            for command in inbox.takeAll() { handle(command) }
            guard deadline <= now else { return }
            finishDone()
            checkDeadlines()
        }

        @inline(never)
        func runTimers() {
            for pool in pools.all where pool.timer <= now {
                pool.timer = .max
                allowance = CurlTurn.Allowance()
                var running: Int32 = 0
                _ = curl_multi_socket_action(pool.multi, CURL_SOCKET_TIMEOUT, 0, &running)
            }
        }

        /// Counts bytes that libcurl delivers. If they exceed those of one call, their transfer gives way to the others.
        func count(_ bytes: Int, of transfer: CurlTransfer) {
            if !allowance.spend(bytes), active.all.count > 1, transfer.giveWay() { waiting.append(transfer) }
        }

        /// Lets transfers that gave way go on receiving, in order and one at a time, until the turn is over.
        private func continueWaiting(in turn: CurlTurn) {
            guard !waiting.isEmpty else { return }
            let transfers = waiting
            waiting = []
            var count = 0
            while count < transfers.count, turn.mayContinue(at: now) {
                let transfer = transfers[count]
                count += 1
                guard transfer.hasGivenWay, let handle = transfer.handle else { continue }
                resume(transfer, handle, receiving: true)
                // This may have been the whole response.
                if transfer.content != .none { noteResponse(to: transfer) }
                runTimers()
                handleUrgent()
            }
            waiting.insert(contentsOf: transfers[count...], at: 0)
        }

        private func act(on event: epoll_event) {
            guard let interest = sockets.interest(in: event, at: now) else {
                return endUnrequested(event.data.fd)
            }
            allowance = CurlTurn.Allowance()
            var running: Int32 = 0
            _ = curl_multi_socket_action(interest.pool.multi, interest.socket, interest.mask, &running)
            if interest.isForWriting { sockets.noteWritingTurn(of: interest.socket, at: now) }
        }

        /// Returns the time in milliseconds that the thread may sleep. An earlier time that was set before still
        /// applies. So the next request, which another thread starts, need not wake this thread to shorten it.
        private func sleep() -> Int32 {
            let next = nextTime
            let oldTime = wakeTime > now ? wakeTime : .max
            wakeTime = min(next, oldTime)
            guard wakeTime < .max else { return -1 }
            return Int32(clamping: (max(wakeTime - MonotonicTime.now(), 0) + 999_999) / 1_000_000)
        }

        private func deliver(_ news: [CurlTransfer.News]) {
            for item in news { item.deliver() }
        }

        private static let many = 8

        // MARK: The end

        private var isOver: Bool { isRetiring && active.isEmpty && starting.isEmpty }

        /// Closes everything, unless a transfer has begun meanwhile. Returns whether the loop has ended.
        private func end() -> Bool {
            // The last commands find no transfers. But transfers that they start have waiters, which must be notified.
            let late = driving { () -> [CurlTransfer.News]? in
                guard isOver else { return nil }
                isShutDown = true
                pass(isLoop: true)
                isClosed = true
                // These have ended, but would retain the loop.
                waiting = []
                pools.close()
                return news.take()
            }
            guard let late else { ProcessExit.park() }
            guard let late else { return false }
            deliver(late)
            ProcessExit.forget(self)
            // From now on, the thread that submits a command handles it. Otherwise the command and the loop would
            // retain each other.
            hasEnded.store(true, ordering: .releasing)
            while !inbox.sleep() {
                let last = driving { () -> [CurlTransfer.News] in
                    pass(isLoop: true)
                    return news.take()
                }
                guard let last else { ProcessExit.park() }
                deliver(last)
            }
            closing.close()
            return true
        }

        /// Returns once all connections are closed.
        func ended() async { await closing.wait() }
    }
#endif
