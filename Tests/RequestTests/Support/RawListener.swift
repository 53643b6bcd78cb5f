#if os(Linux)
    import Foundation

    /// A server of bytes rather than of requests: what is done with a connection is the business of a closure, on a thread of
    /// its own. The connection is closed behind it.
    final class RawListener: Sendable {
        let port: Int
        private let listener: CInt
        private let count = Recorded<Void>()

        /// How many connections there were.
        var accepted: Int { count.all.count }

        init(_ serve: @escaping @Sendable (RawConnection) -> Void) throws {
            let (listener, number) = try RawConnection.listener()
            self.listener = listener
            port = number
            Thread.detachNewThread { [count] in
                while let connection = RawConnection(acceptedFrom: listener) {
                    count.add(())
                    Thread.detachNewThread { serve(connection) }
                }
                close(listener)
            }
        }

        /// Its thread finds out, and closes the descriptor.
        deinit { shutdown(listener, CInt(SHUT_RDWR)) }
    }

    /// A connection, written to and read from by whoever has it: all of its methods block.
    final class RawConnection: Sendable {
        private let descriptor: CInt

        private init(_ descriptor: CInt) {
            self.descriptor = descriptor
        }

        /// Nil when the listener was closed.
        fileprivate convenience init?(acceptedFrom listener: CInt) {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { return nil }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            self.init(descriptor)
        }

        /// One to a port of this machine; nil where nobody listens.
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

        /// Some bytes that have come; nil at the end.
        func read(atMost count: Int = 64 << 10) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            let got = recv(descriptor, &bytes, count, 0)
            return got > 0 ? Array(bytes.prefix(got)) : nil
        }

        /// So many bytes; fewer where the connection ends before.
        func read(exactly count: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            while bytes.count < count, let more = read(atMost: count - bytes.count) { bytes += more }
            return bytes
        }

        /// Whether all of it was taken.
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

        /// Nothing that is sent to it arrives any more, nor is acknowledged: the kernel drops it.
        func goDeaf() {
            // A filter of one instruction: to keep no byte.
            var instruction: UInt64 = 6
            withUnsafeMutablePointer(to: &instruction) { pointer in
                var filter = (count: UInt(1), instructions: pointer)
                setsockopt(descriptor, SOL_SOCKET, 26, &filter, socklen_t(MemoryLayout.size(ofValue: filter)))
            }
        }

        /// Nothing more is written.
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

    /// An HTTP proxy for `CONNECT`: bytes pass it as they are, to the port of this machine that the target names, whatever host
    /// that is.
    final class TunnelProxy: Sendable {
        /// The heads of what it was asked.
        private let heads: Recorded<String>
        private let listener: RawListener

        /// - Parameter redirect: To where a port is led astray.
        /// - Parameter status: What it answers, where it is no tunnel.
        init(leading redirect: [Int: Int] = [:], refusing status: Int? = nil) throws {
            let heads = Recorded<String>()
            self.heads = heads
            listener = try RawListener { client in
                guard let head = Self.head(of: client) else { return }
                heads.add(head)
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

        /// How many connections there were.
        var accepted: Int { listener.accepted }

        /// What it was asked to be a tunnel to.
        var targets: [String] {
            heads.all.map { head in
                let words = head.split(separator: " ")
                return words.first == "CONNECT" && words.count > 1 ? String(words[1]) : head
            }
        }

        /// The lines of what it was asked, in small letters.
        var lines: [[String]] {
            heads.all.map { $0.lowercased().split(separator: "\r\n").map(String.init) }
        }

        /// Byte by byte: what comes behind it is for the server.
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
