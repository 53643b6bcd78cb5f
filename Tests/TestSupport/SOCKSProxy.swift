#if os(Linux)
    import Foundation

    /// A SOCKS5 proxy of RFC 1928, with the user and password of RFC 1929. It connects to the port of the target on this
    /// machine, for any host, and passes all bytes unchanged.
    final class SOCKSProxy: Sendable {
        /// The target of a request.
        struct Target: Hashable, Sendable {
            enum Kind: UInt8, Sendable {
                case v4 = 1
                case name = 3
                case v6 = 4
            }

            let kind: Kind
            let host: String
            let port: Int
        }

        /// A failure of the proxy.
        enum Fault: Hashable, Sendable {
            /// The first byte of each response, in place of the version.
            case version(UInt8)
            /// No offered method is acceptable.
            case noMethod
            /// The code of the reply, instead of 0 for success.
            case reply(UInt8)
            /// The connection ends in the middle of a response.
            case cut(Step)
            /// The proxy never responds.
            case silence(Step)
        }

        /// The responses of the proxy.
        enum Step: Hashable, CaseIterable, Sendable {
            case method
            case credentials
            case reply
        }

        private let recorded: Recorded<Target>
        private let listener: RawListener

        /// - Parameter credentials: The user and the password that the proxy requires; nil accepts every client.
        init(requiring credentials: (user: String, password: String)? = nil, failing fault: Fault? = nil) throws {
            let recorded = Recorded<Target>()
            self.recorded = recorded
            listener = try RawListener { client in
                let session = Session(client: client, credentials: credentials, fault: fault)
                guard session.agreeOnMethod(), let target = session.readTarget() else { return }
                recorded.add(target)
                guard session.accept(), let server = RawConnection(to: target.port) else { return }
                Thread.detachNewThread { TunnelProxy.pass(from: client, to: server) }
                TunnelProxy.pass(from: server, to: client)
            }
        }

        var port: Int { listener.port }
        var accepted: Int { listener.accepted }
        var targets: [Target] { recorded.all }
    }

    /// The handshake of one connection.
    private struct Session {
        let client: RawConnection
        let credentials: (user: String, password: String)?
        let fault: SOCKSProxy.Fault?

        /// Sends a response, unless the script says otherwise. Returns whether the handshake goes on.
        private func send(_ bytes: [UInt8], at step: SOCKSProxy.Step) -> Bool {
            switch fault {
            case .silence(step):
                // Returns when the client closes the connection.
                while client.read() != nil {}
                return false
            case .cut(step):
                client.write(Array(bytes.prefix(1)))
                return false
            case .version(let version) where step == .method:
                client.write([version] + bytes.dropFirst())
                return false
            default: return client.write(bytes)
            }
        }

        func agreeOnMethod() -> Bool {
            let head = client.read(exactly: 2)
            guard head.count == 2, head[0] == 5 else { return false }
            let methods = client.read(exactly: Int(head[1]))
            let method: UInt8 = credentials == nil ? 0 : 2
            guard methods.contains(method), fault != .noMethod else {
                _ = send([5, 0xFF], at: .method)
                return false
            }
            guard send([5, method], at: .method) else { return false }
            guard let credentials else { return true }
            guard client.read(exactly: 1) == [1] else { return false }
            let user = readText()
            let isRight = user == credentials.user && readText() == credentials.password
            return send([1, isRight ? 0 : 1], at: .credentials) && isRight
        }

        private func readText() -> String {
            let length = client.read(exactly: 1).first ?? 0
            return String(decoding: client.read(exactly: Int(length)), as: UTF8.self)
        }

        func readTarget() -> SOCKSProxy.Target? {
            let head = client.read(exactly: 4)
            guard head.count == 4, head[0] == 5, head[1] == 1, let kind = SOCKSProxy.Target.Kind(rawValue: head[3])
            else { return nil }
            let host =
                switch kind {
                case .name: readText()
                case .v4: client.read(exactly: 4).map { "\($0)" }.joined(separator: ".")
                case .v6: client.read(exactly: 16).map { String($0, radix: 16) }.joined(separator: ":")
                }
            let port = client.read(exactly: 2)
            guard port.count == 2 else { return nil }
            return SOCKSProxy.Target(kind: kind, host: host, port: Int(port[0]) << 8 | Int(port[1]))
        }

        func accept() -> Bool {
            let code: UInt8 = if case .reply(let code) = fault { code } else { 0 }
            return send([5, code, 0, 1, 127, 0, 0, 1, 0, 80], at: .reply) && code == 0
        }
    }
#endif
