#if os(Linux)
    import Synchronization
    import TangoPromise

    /// A body from a stream of the user, which a task reads up to a limit ahead of the network.
    final class CurlStreamUpload: CurlUpload, @unchecked Sendable {
        private let stream: RequestStream
        private let state = Mutex(State())
        // Used by the loop's driver only.
        private(set) var position = 0
        private var hasBegun = false

        private struct State: ~Copyable {
            weak var transfer: CurlTransfer?
            var task: Task<Void, Never>?
            var portions: ArraySlice<Data> = []
            var count = 0
            var isEnded = false
            var isStarved = false
            var isCancelled = false
            var roomWaiter: UnsafeContinuation<Void, Never>?
        }

        private static let most = 1 << 20

        init(_ stream: RequestStream) {
            self.stream = stream
        }

        var length: Int? { stream.length }

        func attach(to transfer: CurlTransfer) {
            state.withLock { $0.transfer = transfer }
        }

        /// libcurl does not read a body of no bytes, so such a stream is read to its end first.
        func open() -> Bool {
            guard length == 0 else { return true }
            if !hasBegun { begin() }
            return state.withLock { state in
                state.isStarved = !state.isEnded
                return state.isEnded
            }
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> CurlUploadStep {
            if !hasBegun { begin() }
            let (step, waiter) = state.withLock { state -> (CurlUploadStep, UnsafeContinuation<Void, Never>?) in
                var filled = 0
                while filled < buffer.count, let portion = state.portions.first {
                    let count = min(buffer.count - filled, portion.count)
                    let target = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + count])
                    portion.copyBytes(
                        to: target.bindMemory(to: UInt8.self), from: portion.startIndex..<portion.startIndex + count)
                    filled += count
                    if count == portion.count {
                        state.portions.removeFirst()
                    } else {
                        state.portions[state.portions.startIndex] = portion.dropFirst(count)
                    }
                }
                state.count -= filled
                guard filled > 0 else {
                    if state.isEnded { return (.some(0), nil) }
                    state.isStarved = true
                    return (.later, nil)
                }
                guard state.count <= Self.most / 2 else { return (.some(filled), nil) }
                defer { state.roomWaiter = nil }
                return (.some(filled), state.roomWaiter)
            }
            waiter?.resume()
            if case .some(let count) = step { position += count }
            return step
        }

        private func begin() {
            hasBegun = true
            // A detached task, because this thread may belong to another request with other task-local values and
            // priority.
            let task = Task.detached { await self.fill() }
            let isCancelled = state.withLock { state in
                state.task = task
                return state.isCancelled
            }
            if isCancelled { task.cancel() }
        }

        /// Reads the user's stream to its end.
        private func fill() async {
            do {
                let next = try stream.makeReader()
                while let portion = try await next() {
                    if portion.isEmpty { continue }
                    guard await push(portion) else { return }
                }
                feed { $0.isEnded = true }
            } catch {
                let failure = RequestError.badBody(error)
                let transfer = state.withLock { $0.isCancelled ? nil : $0.transfer }
                if let transfer { transfer.loop.submit(.fail(transfer, failure)) }
            }
        }

        /// Adds a portion and waits for room. Returns false if the upload was cancelled.
        private func push(_ portion: Data) async -> Bool {
            feed { state in
                state.portions.append(portion)
                state.count += portion.count
            }
            await withUnsafeContinuation { continuation in
                let hasRoom = state.withLock { state in
                    if state.count < Self.most || state.isCancelled { return true }
                    state.roomWaiter = continuation
                    return false
                }
                if hasRoom { continuation.resume() }
            }
            return state.withLock { !$0.isCancelled }
        }

        /// Changes the state, and resumes the transfer if it waited for that.
        private func feed(_ change: (inout State) -> Void) {
            let transfer = state.withLock { state -> CurlTransfer? in
                change(&state)
                guard state.isStarved else { return nil }
                state.isStarved = false
                return state.transfer
            }
            if let transfer { transfer.loop.submit(.send(transfer)) }
        }

        func rewind() -> Bool {
            // If no byte has been read, the stream is at its beginning.
            position == 0
        }

        func cancel() {
            let (task, waiter) = state.withLock { state in
                state.isCancelled = true
                state.portions = []
                defer { state.roomWaiter = nil }
                return (state.task, state.roomWaiter)
            }
            // In the background, because cancellation handlers are user code and this thread drives the loop.
            if let task { Scheduler.inBackground { task.cancel() } }
            waiter?.resume()
        }
    }
#endif
