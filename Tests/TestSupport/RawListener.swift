#if os(Linux)
    import Foundation

    /// A TCP server that passes each connection to a closure, on a thread of its own.
    ///
    /// The connection closes when it is released, for example when the closure returns.
    final class RawListener: Sendable {
        /// A descriptor that is closed when neither the listener nor its thread uses it. Its number could otherwise be that of
        /// another test's socket by then.
        private final class Descriptor: Sendable {
            let number: CInt

            init(_ number: CInt) { self.number = number }

            deinit { close(number) }
        }

        let port: Int
        private let listener: Descriptor
        private let count = Recorded<Void>()

        /// The number of connections so far.
        var accepted: Int { count.all.count }

        init(_ serve: @escaping @Sendable (RawConnection) -> Void) throws {
            let (descriptor, number) = try RawConnection.listener()
            let listener = Descriptor(descriptor)
            self.listener = listener
            port = number
            Thread.detachNewThread { [count] in
                while let connection = RawConnection(acceptedFrom: listener.number) {
                    count.add(())
                    Thread.detachNewThread { serve(connection) }
                }
            }
        }

        /// Ends the `accept` of the thread.
        deinit { shutdown(listener.number, CInt(SHUT_RDWR)) }
    }

    /// A TCP connection. Its reads and writes block.
    final class RawConnection: Sendable {
        private let descriptor: CInt

        private init(_ descriptor: CInt) {
            self.descriptor = descriptor
        }

        /// Accepts a connection; returns nil if the listener was closed.
        fileprivate convenience init?(acceptedFrom listener: CInt) {
            var descriptor: CInt
            repeat { descriptor = accept(listener, nil, nil) } while descriptor < 0 && errno == EINTR
            guard descriptor >= 0 else { return nil }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            self.init(descriptor)
        }

        /// Connects to a port of this machine; returns nil if nothing listens there.
        convenience init?(to port: Int) {
            let descriptor = socket(AF_INET, Self.kind, 0)
            var address = Self.loopback(port)
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            self.init(descriptor)
            if !isConnected { return nil }
        }

        deinit { close(descriptor) }

        /// Returns the next bytes, or nil at the end.
        func read(atMost count: Int = 64 << 10) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            let got = recv(descriptor, &bytes, count, 0)
            return got > 0 ? Array(bytes.prefix(got)) : nil
        }

        /// Returns `count` bytes, or fewer if the connection ends first.
        func read(exactly count: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            while bytes.count < count, let more = read(atMost: count - bytes.count) { bytes += more }
            return bytes
        }

        /// Writes all bytes; returns false if the connection fails first.
        @discardableResult
        func write(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        /// A Boolean value that indicates whether all written bytes have arrived at the peer's system.
        var hasArrived: Bool {
            var count: CInt = 0
            return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 && count == 0
        }

        /// Makes the kernel drop all that arrives from now on, without acknowledgement.
        func goDeaf() {
            // A socket filter of one instruction, which accepts no byte.
            var instruction: UInt64 = 6
            withUnsafeMutablePointer(to: &instruction) { pointer in
                var filter = (count: UInt(1), instructions: pointer)
                setsockopt(descriptor, SOL_SOCKET, 26, &filter, socklen_t(MemoryLayout.size(ofValue: filter)))
            }
        }

        /// Ends the writing side of the connection.
        func finish() { shutdown(descriptor, CInt(SHUT_WR)) }

        private static let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)

        private static func loopback(_ port: Int) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
            address.sin_port = UInt16(port).bigEndian
            return address
        }

        fileprivate static func listener() throws -> (descriptor: CInt, port: Int) {
            let descriptor = socket(AF_INET, kind, 0)
            var address = loopback(0)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                        && getsockname(descriptor, $0, &length) == 0
                }
            }
            guard isListening else {
                close(descriptor)
                throw POSIXError(.EADDRNOTAVAIL)
            }
            return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
        }
    }

    /// An HTTP proxy for `CONNECT`. It connects to the port of the target on this machine, for any host name, and passes all
    /// bytes unchanged.
    final class TunnelProxy: Sendable {
        /// The heads of the requests received.
        private let heads: Recorded<String>
        private let listener: RawListener

        /// - Parameter redirect: Ports that are replaced by others.
        /// - Parameter status: The status that rejects every request; nil opens tunnels.
        /// - Parameter credentials: The user and the password, as in `ada:secret`, without which the status is 407.
        init(leading redirect: [Int: Int] = [:], refusing status: Int? = nil, requiring credentials: String? = nil)
            throws
        {
            let required = credentials.map {
                "\r\nproxy-authorization: basic \(Data($0.utf8).base64EncodedString())\r\n".lowercased()
            }
            let heads = Recorded<String>()
            self.heads = heads
            listener = try RawListener { client in
                guard let head = Self.head(of: client) else { return }
                heads.add(head)
                if let required, !head.lowercased().contains(required) {
                    let challenge = "Proxy-Authenticate: Basic realm=\"office\""
                    client.write(Array("HTTP/1.1 407 No\r\n\(challenge)\r\nContent-Length: 0\r\n\r\n".utf8))
                    return
                }
                let target = head.split(separator: " ").dropFirst().first ?? ""
                let port = target.split(separator: ":").last.flatMap { Int($0) } ?? 0
                guard status == nil, head.hasPrefix("CONNECT "), let server = RawConnection(to: redirect[port] ?? port)
                else {
                    client.write(Array("HTTP/1.1 \(status ?? 502) No\r\nContent-Length: 0\r\n\r\n".utf8))
                    return
                }
                client.write(Array("HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n".utf8))
                Thread.detachNewThread { Self.pass(from: client, to: server) }
                Self.pass(from: server, to: client)
            }
        }

        var port: Int { listener.port }

        /// The number of connections so far.
        var accepted: Int { listener.accepted }

        /// The targets of the `CONNECT` requests; for another request, its whole head.
        var targets: [String] {
            heads.all.map { head in
                let words = head.split(separator: " ")
                return words.first == "CONNECT" && words.count > 1 ? String(words[1]) : head
            }
        }

        /// The lines of each request head, in lower case.
        var lines: [[String]] {
            heads.all.map { $0.lowercased().split(separator: "\r\n").map(String.init) }
        }

        /// Reads a request head byte by byte, because the bytes after it are for the server.
        private static func head(of client: RawConnection) -> String? {
            var bytes: [UInt8] = []
            while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                guard let byte = client.read(atMost: 1) else { return nil }
                bytes += byte
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        static func pass(from source: RawConnection, to target: RawConnection) {
            while let bytes = source.read(), target.write(bytes) {}
            target.finish()
        }
    }
#endif
