import Foundation
import Synchronization
import TangoCache

/// A peer between stores and a server. It passes everything on, and a test may change what the server says.
final class Proxy: Sendable {
    /// The bytes to pass on in place of those that have arrived.
    struct Passed {
        var bytes: [UInt8]
        /// A Boolean value that indicates whether the connection ends afterwards.
        var isLast = false
    }

    let port: Int
    private let listener: Int32
    private let target: Mutex<Int>
    private let accepted = Mutex(0)
    private let change: @Sendable (_ bytes: [UInt8], _ turn: Int) -> Passed

    /// Starts a proxy.
    ///
    /// - Parameters:
    ///   - target: The port of the server.
    ///   - change: Receives bytes of the server, and their number on the connection. Returns those to pass on.
    init(
        to target: Int,
        _ change: @escaping @Sendable (_ bytes: [UInt8], _ turn: Int) -> Passed = { bytes, _ in Passed(bytes: bytes) }
    ) throws {
        self.target = Mutex(target)
        self.change = change
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
                accepted.withLock { $0 += 1 }
                serve(client)
            }
        }
    }

    /// The number of connections so far.
    var connections: Int { accepted.withLock { $0 } }

    /// Leads later connections to another server. Those that are open stay.
    func lead(to port: Int) {
        target.withLock { $0 = port }
    }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private func serve(_ client: Int32) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(target.withLock { $0 })
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
        var turn = 0
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            turn += 1
            var passed = Passed(bytes: Array(buffer[..<count]))
            if isReply { passed = change(passed.bytes, turn) }
            let sent = send(destination, passed.bytes, passed.bytes.count, Int32(MSG_NOSIGNAL))
            guard sent == passed.bytes.count, !passed.isLast else { return }
        }
    }
}
