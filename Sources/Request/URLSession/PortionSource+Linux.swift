#if canImport(FoundationNetworking)
    import Foundation
    import Synchronization

    /// A stream of the user's, read by a task that is ahead of the session by so much and no more.
    final class PortionSource: UploadSource {
        private let stream: RequestStream
        private let state = Mutex(State())
        private let more = DispatchSemaphore(value: 0)

        private struct State {
            var task: Task<Void, Never>?
            var hasBegun = false
            var portions: ArraySlice<Data> = []
            var count = 0
            var isEnded = false
            var isCancelled = false
            var problem: (any Error)?
            var roomWaiter: UnsafeContinuation<Void, Never>?
        }

        private static let most = 1 << 20

        init(_ stream: RequestStream) {
            self.stream = stream
        }

        func read(into buffer: UnsafeMutableRawBufferPointer, for transfer: SessionTransfer) throws -> Int? {
            begin()
            var waits = false
            defer { if waits { transfer.waitsForBody(false) } }
            while true {
                let (count, waiter) = try state.withLock { try $0.take(into: buffer, below: Self.most / 2) }
                waiter?.resume()
                if let count { return count < 0 ? nil : count }
                if !waits { transfer.waitsForBody(true) }
                waits = true
                more.wait()
            }
        }

        private func begin() {
            let isFirst = state.withLock { state in
                defer { state.hasBegun = true }
                return !state.hasBegun
            }
            guard isFirst else { return }
            let task = Task { await fill() }
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
                var total = 0
                while let portion = try await next() {
                    if portion.isEmpty { continue }
                    total += portion.count
                    if let length = stream.length, total > length {
                        throw Self.problem("the stream has more than the \(length) bytes that it announced")
                    }
                    guard await push(portion) else { return }
                }
                if let length = stream.length, total < length {
                    throw Self.problem("the stream ended after \(total) of the \(length) bytes that it announced")
                }
                state.withLock { $0.isEnded = true }
            } catch {
                state.withLock { $0.problem = error }
            }
            more.signal()
        }

        private static func problem(_ detail: String) -> RequestError {
            RequestError(.badBody, phase: .send, detail: detail)
        }

        /// Adds a portion, and waits for room. Returns whether more is wanted.
        private func push(_ portion: Data) async -> Bool {
            state.withLock { state in
                state.portions.append(portion)
                state.count += portion.count
            }
            more.signal()
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

        func cancel() {
            let (task, waiter) = state.withLock { state in
                state.isCancelled = true
                state.portions = []
                defer { state.roomWaiter = nil }
                return (state.task, state.roomWaiter)
            }
            task?.cancel()
            waiter?.resume()
            more.signal()
        }
    }

    extension PortionSource.State {
        /// Copies what there is: nil is nothing yet, 0 the end, and less than that a stream that was cancelled.
        fileprivate mutating func take(
            into buffer: UnsafeMutableRawBufferPointer, below mark: Int
        ) throws -> (Int?, UnsafeContinuation<Void, Never>?) {
            if isCancelled { return (-1, nil) }
            var filled = 0
            while filled < buffer.count, let portion = portions.first {
                let count = min(buffer.count - filled, portion.count)
                let target = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + count])
                portion.copyBytes(
                    to: target.bindMemory(to: UInt8.self), from: portion.startIndex..<portion.startIndex + count)
                filled += count
                if count == portion.count {
                    portions.removeFirst()
                } else {
                    portions[portions.startIndex] = portion.dropFirst(count)
                }
            }
            count -= filled
            guard filled > 0 else {
                if let problem { throw problem }
                return (isEnded ? 0 : nil, nil)
            }
            guard count <= mark else { return (filled, nil) }
            defer { roomWaiter = nil }
            return (filled, roomWaiter)
        }
    }
#endif
