import Foundation

/// A loopback port that is reserved until this object is released.
///
/// Connections to it are refused, unless a child process shares the port and listens on it. No other socket of this machine
/// gets the port meanwhile. A test that needs a server which cannot be reached keeps such an object until its end.
final class ReservedPort: Sendable {
    let number: Int
    private let descriptor: CInt

    init() throws {
        #if canImport(Glibc)
            let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let socket = socket(AF_INET, kind, 0)
        var yes: CInt = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &yes, socklen_t(MemoryLayout<CInt>.size))
        var address = sockaddr_in.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else {
            close(socket)
            throw POSIXError(.EADDRNOTAVAIL)
        }
        number = Int(UInt16(bigEndian: address.sin_port))
        descriptor = socket
    }

    deinit { close(descriptor) }

    /// Returns the URL of a path at the port.
    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(number)\(path)")! }

    /// A Boolean value that indicates whether a server accepts connections on the port.
    var answers: Bool {
        #if canImport(Glibc)
            let kind = CInt(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let socket = socket(AF_INET, kind, 0)
        defer { close(socket) }
        var address = sockaddr_in.loopback(number)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

extension sockaddr_in {
    fileprivate static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        address.sin_port = UInt16(port).bigEndian
        return address
    }
}
