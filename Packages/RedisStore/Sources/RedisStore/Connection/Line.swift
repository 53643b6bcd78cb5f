import Synchronization
import TangoCache

/// The commands of a connection that wait to be sent, and those that were sent since the loop has last looked.
///
/// Any thread submits commands, and sends those of other threads with its own. Only if the socket is full, the thread of the
/// loop sends the rest.
final class Line: Sendable {
    /// Commands that were submitted together.
    struct Pending: Sendable {
        let shapes: [Reply.Shape]
        let deadline: MonotonicTime
        let receiver: any Receiver
    }

    enum Phase {
        /// Connecting for the first time. Commands wait.
        case starting
        case ready
        /// Not connected after a failure. Commands are refused.
        case down
        case closed
    }

    fileprivate struct State {
        var phase = Phase.starting
        /// The error of the server that has refused the connection.
        var refusal: CacheError?
        var socket: OpenSocket?
        var outgoing: [UInt8] = []
        /// The bytes that the socket had no room for, and the number of those that it had.
        var rest: [UInt8] = []
        var sent = 0
        var submitted: [Pending] = []
        /// The number of submitted commands without a result.
        var load = 0
        /// A Boolean value that indicates whether a thread sends, or must send next.
        var isSending = false
        var isBlocked = false
        var isBroken = false
    }

    /// The condition of a line, for the loop.
    struct Condition {
        /// The first deadline of the commands that the loop has not taken yet.
        let deadline: MonotonicTime?
        /// A Boolean value that indicates whether the socket is full.
        let isBlocked: Bool
        /// A Boolean value that indicates whether the socket refuses bytes.
        let isBroken: Bool
    }

    /// The bytes that may wait to be sent. More are refused.
    private static let limit = 64 << 20
    /// The size up to which a buffer is used again.
    private static let longestBuffer = 1 << 20

    private let state = Mutex(State())

    /// Submits commands, or throws. Returns whether the caller must ``send()``.
    func submit(_ commands: Commands, by deadline: MonotonicTime, to receiver: any Receiver) throws(CacheError) -> Bool
    {
        try state.withLock { state throws(CacheError) in
            switch state.phase {
            case .closed: throw CacheError.storeIsClosed
            case .down: throw state.refusal ?? CacheError.unreachable
            case .starting, .ready: break
            }
            guard state.outgoing.count + state.rest.count - state.sent + commands.bytes.count <= Self.limit else {
                throw CacheError(.busy, "64 MB wait to be sent to the server. Retry later.")
            }
            if state.outgoing.isEmpty, commands.bytes.count > state.outgoing.capacity {
                state.outgoing = commands.bytes
            } else {
                state.outgoing += commands.bytes
            }
            state.submitted.append(Pending(shapes: commands.shapes, deadline: deadline, receiver: receiver))
            state.load += 1
            return state.beginToSend()
        }
    }

    /// Sends everything that waits, including what other threads add meanwhile. Returns whether the loop must send the rest.
    ///
    /// Only the thread that was told to may call this.
    func send() -> Bool {
        var socket: OpenSocket?
        var bytes: [UInt8] = []
        var sent = 0
        while true {
            let isOver = state.withLock { state in
                // Another connection has been opened meanwhile. Another thread sends there.
                if let socket, socket !== state.socket { return true }
                guard let current = state.socket, state.phase == .ready else { return true }
                socket = current
                if !state.rest.isEmpty {
                    bytes = state.rest
                    sent = state.sent
                    state.rest = []
                } else if !state.outgoing.isEmpty {
                    if bytes.capacity > Self.longestBuffer {
                        bytes = []
                    } else {
                        bytes.removeAll(keepingCapacity: true)
                    }
                    swap(&bytes, &state.outgoing)
                    sent = 0
                } else {
                    state.isSending = false
                    return true
                }
                return false
            }
            guard !isOver, let socket else { return false }
            switch Self.write(bytes, from: &sent, to: socket) {
            case .bytes: continue
            case let result:
                state.withLock { state in
                    guard socket === state.socket else { return }
                    state.rest = bytes
                    state.sent = sent
                    state.isSending = false
                    state.isBlocked = true
                    if case .ended = result { state.isBroken = true }
                }
                return true
            }
        }
    }

    /// Writes as much as there is room for.
    private static func write(_ bytes: [UInt8], from sent: inout Int, to socket: OpenSocket) -> Socket.Transfer {
        bytes.withUnsafeBytes { bytes in
            while sent < bytes.count {
                let result = Socket.write(socket.descriptor, UnsafeRawBufferPointer(rebasing: bytes[sent...]))
                guard case .bytes(let count) = result else { return result }
                sent += count
            }
            return .bytes(sent)
        }
    }

    // MARK: The thread of the loop

    /// Lets commands through a new connection. Returns whether the caller must ``send()``.
    func becomeReady(_ socket: OpenSocket) -> Bool {
        state.withLock { state in
            guard state.phase != .closed else { return false }
            state.phase = .ready
            state.socket = socket
            return state.beginToSend()
        }
    }

    /// Continues after the socket was full. Returns whether the caller must ``send()``.
    func unblock() -> Bool {
        state.withLock { state in
            guard state.isBlocked, !state.isBroken else { return false }
            state.isBlocked = false
            return state.beginToSend()
        }
    }

    var condition: Condition {
        state.withLock { state in
            Condition(
                deadline: state.submitted.first?.deadline, isBlocked: state.isBlocked, isBroken: state.isBroken)
        }
    }

    /// The number of submitted commands without a result; nil if commands are refused.
    var load: Int? {
        state.withLock { state in
            switch state.phase {
            case .ready: state.load
            case .starting: 1 << 40
            case .down, .closed: nil
            }
        }
    }

    /// Takes the submitted commands, in the order in which they are sent.
    func takeSubmitted(into pending: inout [Pending]) {
        state.withLock { state in
            guard !state.submitted.isEmpty else { return }
            if pending.isEmpty {
                swap(&pending, &state.submitted)
            } else {
                pending += state.submitted
                state.submitted.removeAll(keepingCapacity: true)
            }
        }
    }

    /// Notes that commands have a result.
    func complete(_ count: Int) {
        state.withLock { $0.load -= count }
    }

    /// Changes the phase, and returns the commands that fail with it.
    ///
    /// - Parameters:
    ///   - phase: The phase.
    ///   - refusal: The error for later commands, if the server has refused the connection.
    func end(_ phase: Phase, refusal: CacheError? = nil) -> [Pending] {
        state.withLock { state in
            let failed = state.submitted
            state = State(phase: state.phase == .closed ? .closed : phase, refusal: refusal)
            return failed
        }
    }
}

extension Line.State {
    /// Returns whether the caller must send, because no other thread does.
    fileprivate mutating func beginToSend() -> Bool {
        guard phase == .ready, !isSending, !isBlocked, !(outgoing.isEmpty && rest.isEmpty) else { return false }
        isSending = true
        return true
    }
}

extension CacheError.Code {
    /// The server cannot be reached, or did not reply within the budget. It is tried again in the background.
    public static let unreachable = CacheError.Code("unreachable")

    /// The server has refused a command.
    public static let refused = CacheError.Code("refused")
}

extension CacheError {
    static let unreachable = CacheError(
        .unreachable, "The Redis server cannot be reached. The store connects again in the background.")
}
