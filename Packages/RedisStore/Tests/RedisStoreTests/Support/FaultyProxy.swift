import Foundation
import Synchronization
import TangoCache

@testable import RedisStore

/// A peer between a store and a server. It passes everything on, and from time to time spoils what the server says.
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
    }

    let port: Int
    private let listener: Int32
    private let target: Int
    private let fault: Fault
    private let isFaulty = Mutex(false)
    private let spoiled = Mutex(0)

    init(to target: Int, _ fault: Fault) throws {
        self.target = target
        self.fault = fault
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, generic, &size) == 0
            }
        }
        guard isBound else { throw CacheError(.system, "There is no free port.") }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { return }
                serve(client)
            }
        }
    }

    func spoil(_ isFaulty: Bool) {
        self.isFaulty.withLock { $0 = isFaulty }
    }

    /// The number of replies that were spoiled.
    var count: Int { spoiled.withLock { $0 } }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private func serve(_ client: Int32) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(target)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            Glibc.close(client)
            Glibc.close(server)
            return
        }
        for isReply in [false, true] {
            Thread.detachNewThread { [self] in
                copy(from: isReply ? server : client, to: isReply ? client : server, isReply: isReply)
                shutdown(client, Int32(SHUT_RDWR))
                shutdown(server, Int32(SHUT_RDWR))
            }
        }
    }

    private func copy(from source: Int32, to destination: Int32, isReply: Bool) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        var turns = 0
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            var bytes = Array(buffer[..<count])
            turns += 1
            // The handshake passes.
            if isReply, turns > 20, Int.random(in: 0..<40) == 0, isFaulty.withLock({ $0 }) {
                spoiled.withLock { $0 += 1 }
                switch fault {
                case .garbage: bytes = (0..<64).map { _ in UInt8.random(in: 0...255) }
                case .surplus: bytes = Array("+OK\r\n".utf8) + bytes
                case .bit: bytes[Int.random(in: 0..<count)] ^= 1 << UInt8.random(in: 0..<8)
                case .silence: continue
                case .truncation:
                    bytes.removeLast(Int.random(in: 1...count))
                    _ = send(destination, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                    return
                }
            }
            guard send(destination, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return }
        }
    }
}
