import Foundation
import TangoCache

/// A connection of an administrator, without a store.
final class RawConnection {
    private let descriptor: Int32

    init(to port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Proxy.loopback(port)
        let descriptor = descriptor
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw CacheError(.system, "The server does not listen.") }
    }

    deinit {
        close(descriptor)
    }

    /// Sends a command, as a person would type it.
    func send(_ command: String) throws {
        let bytes = Array("\(command)\r\n".utf8)
        guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw CacheError(.system, "The server has closed the connection.")
        }
    }

    /// Sends a command, and returns the first line of the reply.
    func reply(to command: String) throws -> String {
        try send(command)
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) == 1, byte != 10 { line.append(byte) }
        return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}
