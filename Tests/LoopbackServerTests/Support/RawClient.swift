import LoopbackServer

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// A client that sends and receives raw bytes.
///
/// Its calls block, so run them on a thread of their own: see ``onThread(_:)``.
final class RawClient: Sendable {
    enum Ending: Equatable {
        case end
        case reset
    }

    private let descriptor: Int32

    init(port: Int) throws {
        var address = Self.loopback(port)
        descriptor = try Self.connect(AF_INET, &address)
    }

    init(path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        descriptor = try Self.connect(AF_UNIX, &address)
    }

    convenience init(_ server: LoopbackServer) throws {
        if let path = server.socketPath { try self.init(path: path) } else { try self.init(port: server.port) }
    }

    /// Returns whether a socket that shares no port with others gets this one.
    static func canListen(on port: Int) -> Bool {
        let descriptor = socket(AF_INET, stream, 0)
        defer { close(descriptor) }
        var address = loopback(port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Returns the descriptors of this process that listen on a port.
    static func listeners(on port: Int) -> [Int32] {
        (0..<4096).filter { descriptor in
            var (listens, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0, listens == 1 else {
                return false
            }
            var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
            return withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
            } && address.sin_port == UInt16(port).bigEndian
        }
    }

    /// Returns the descriptors of this process that are connections of clients to a port.
    static func connections(acceptedOn port: Int) -> [Int32] {
        (0..<4096).filter { descriptor in
            var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
            return withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(descriptor, $0, &length) == 0 && pointer.pointee.sin_port == UInt16(port).bigEndian
                        && getpeername(descriptor, $0, &length) == 0
                }
            }
        }
    }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private static func connect<Address>(_ family: Int32, _ address: inout Address) throws -> Int32 {
        let descriptor = socket(family, stream, 0)
        #if !canImport(Glibc)
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                platformConnect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        if result != 0 {
            close(descriptor)
            throw Refused(code: errno)
        }
        return descriptor
    }

    struct Refused: Error {
        let code: Int32
    }

    deinit { close(descriptor) }

    /// Sends all bytes, or as many as possible. Returns the number of bytes sent.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Int {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { platformSend(descriptor, $0.baseAddress, $0.count, flags: 0) }
            if sent <= 0 { break }
            rest = rest.dropFirst(sent)
        }
        return bytes.count - rest.count
    }

    @discardableResult
    func send(_ text: String) -> Int { send(text.utf8) }

    /// Sends until the system takes no more. Returns the number of bytes sent.
    func sendUntilFull(_ limit: Int) -> Int {
        let bytes = [UInt8](repeating: 0x61, count: 65_536)
        var count = 0
        while count < limit {
            let sent = bytes.withUnsafeBytes {
                platformSend(descriptor, $0.baseAddress, $0.count, flags: Int32(MSG_DONTWAIT))
            }
            if sent <= 0 { break }
            count += sent
        }
        return count
    }

    /// Waits for some bytes, or for the end of the connection.
    func receive(flags: Int32 = 0) -> Result<[UInt8], Trouble> {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, flags) }
        if count > 0 { return .success(Array(bytes[..<count])) }
        return .failure(count == 0 ? .end : errno == EAGAIN ? .nothing : .reset)
    }

    enum Trouble: Error {
        case end
        case reset
        case nothing
    }

    /// Returns everything up to the end of the connection, and the kind of end.
    func everything() -> (text: String, ending: Ending) {
        var bytes: [UInt8] = []
        while true {
            switch receive() {
            case .success(let more): bytes += more
            case .failure(let trouble):
                return (String(decoding: bytes, as: UTF8.self), trouble == .end ? .end : .reset)
            }
        }
    }

    /// Returns everything that has arrived, without waiting.
    func available() -> String {
        var bytes: [UInt8] = []
        while case .success(let more) = receive(flags: Int32(MSG_DONTWAIT)) { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the bytes up to a text, or to the end of the connection.
    func receive(until end: String) -> String {
        var bytes: [UInt8] = []
        let end = Array(end.utf8)
        while !(bytes.count >= end.count && bytes.suffix(end.count).elementsEqual(end)) {
            var byte: UInt8 = 0
            guard recv(descriptor, &byte, 1, 0) == 1 else { break }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns `count` bytes, or fewer at the end of the connection.
    func receive(count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var part = [UInt8](repeating: 0, count: min(1 << 20, count - bytes.count))
            let received = part.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if received <= 0 { break }
            bytes += part[..<received]
        }
        return bytes
    }

    func endSending() {
        #if canImport(Glibc)
            shutdown(descriptor, Int32(SHUT_WR))
        #else
            shutdown(descriptor, SHUT_WR)
        #endif
    }

    /// Closes the connection, optionally with a reset.
    func leave(reset: Bool = false) {
        if reset {
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        }
        // Another file takes the descriptor, so that its number is not reused before this client is released.
        let other = dup(0)
        dup2(other, descriptor)
        close(other)
    }
}

private func platformConnect(
    _ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
) -> Int32 {
    #if canImport(Darwin)
        Darwin.connect(descriptor, address, length)
    #else
        Glibc.connect(descriptor, address, length)
    #endif
}

private func platformSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, flags: Int32) -> Int {
    #if canImport(Darwin)
        Darwin.send(descriptor, bytes, count, flags)
    #else
        Glibc.send(descriptor, bytes, count, flags | Int32(MSG_NOSIGNAL))
    #endif
}
