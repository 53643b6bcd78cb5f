import Synchronization
import TangoCache

/// A proxy that from time to time spoils what the server says.
final class FaultyProxy: Sendable {
    enum Fault: CaseIterable, Sendable {
        /// Bytes that are no reply.
        case garbage
        /// A part of a reply, and then the end of the connection.
        case truncation
        /// A reply that no command has asked for, so that the following ones belong to other commands.
        case surplus
        /// No more replies, on an open connection.
        case silence
        /// A bit that is wrong.
        case bit

        /// A Boolean value that indicates whether a spoiled reply may be a valid reply that is wrong.
        var isLie: Bool { self == .surplus || self == .bit || self == .garbage }

        fileprivate func spoil(_ bytes: [UInt8]) -> Proxy.Passed {
            var bytes = bytes
            switch self {
            case .garbage: return Proxy.Passed(bytes: (0..<64).map { _ in UInt8.random(in: 0...255) })
            case .surplus: return Proxy.Passed(bytes: Array("+OK\r\n".utf8) + bytes)
            case .silence: return Proxy.Passed(bytes: [])
            case .bit: bytes[Int.random(in: 0..<bytes.count)] ^= 1 << UInt8.random(in: 0..<8)
            case .truncation:
                bytes.removeLast(Int.random(in: 1...bytes.count))
                return Proxy.Passed(bytes: bytes, isLast: true)
            }
            return Proxy.Passed(bytes: bytes)
        }
    }

    private final class State: Sendable {
        let isFaulty = Mutex(false)
        let spoiled = Mutex(0)
    }

    private let proxy: Proxy
    private let state: State

    init(to target: Int, _ fault: Fault) throws {
        let state = State()
        self.state = state
        proxy = try Proxy(to: target) { bytes, turn in
            // The handshake passes.
            guard turn > 20, Int.random(in: 0..<40) == 0, state.isFaulty.withLock({ $0 }) else {
                return Proxy.Passed(bytes: bytes)
            }
            state.spoiled.withLock { $0 += 1 }
            return fault.spoil(bytes)
        }
    }

    var port: Int { proxy.port }

    func spoil(_ isFaulty: Bool) {
        state.isFaulty.withLock { $0 = isFaulty }
    }

    /// The number of replies that were spoiled.
    var count: Int { state.spoiled.withLock { $0 } }

    func close() {
        proxy.close()
    }
}
