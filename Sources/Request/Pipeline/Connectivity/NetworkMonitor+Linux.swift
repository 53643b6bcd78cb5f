#if os(Linux)
    import Dispatch
    import Glibc
    import Synchronization
    import TangoCLinux

    /// Publishes the state of the network when the kernel reports that an interface, an address or a route has changed.
    ///
    /// The messages of the kernel only say when to look: the state itself is read anew, so lost messages do no harm.
    final class NetworkMonitor: Sendable {
        private static let settlingTime = DispatchTimeInterval.milliseconds(200)

        private let published: StatusBroadcast
        private let queue = DispatchQueue(label: "tango.connectivity")
        // Dispatch allows cancelling a source on any thread.
        nonisolated(unsafe) private let source: (any DispatchSourceRead)?
        private let isScheduled = Atomic(false)

        /// Reads the state, and begins to watch it. If the kernel allows no watching, the status stays unknown.
        init(_ published: StatusBroadcast) {
            self.published = published
            let socket = tango_open_network_changes()
            guard socket >= 0 else {
                source = nil
                return
            }
            let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
            self.source = source
            source.setEventHandler { [weak self] in
                Self.drain(socket)
                self?.look()
            }
            source.setCancelHandler { close(socket) }
            if let state = NetworkState.current { published.become(state.status) }
            source.resume()
        }

        deinit {
            source?.cancel()
        }

        private static func drain(_ socket: CInt) {
            withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { buffer in
                while true {
                    let count = recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                    // After an overflow, the next call returns the messages that are left.
                    if count == 0 || count < 0 && errno != ENOBUFS && errno != EINTR { return }
                }
            }
        }

        private func look() {
            guard let state = NetworkState.current else { return }
            switch NetworkState.publication(of: state.status, after: published.value) {
            case .none: break
            case .now: published.become(state.status)
            case .later:
                guard !isScheduled.exchange(true, ordering: .relaxed) else { return }
                queue.asyncAfter(deadline: .now() + Self.settlingTime) { [weak self] in
                    guard let self else { return }
                    isScheduled.store(false, ordering: .relaxed)
                    if let state = NetworkState.current { published.become(state.status) }
                }
            }
        }
    }

    extension NetworkState {
        /// The state of this device; nil if the kernel does not say.
        static var current: NetworkState? {
            var list: UnsafeMutablePointer<ifaddrs>?
            guard getifaddrs(&list) == 0 else { return nil }
            defer { freeifaddrs(list) }
            let addresses = sequence(first: list) { $0?.pointee.ifa_next }.prefix { $0 != nil }.compactMap { entry in
                entry.flatMap { Address($0.pointee) }
            }
            return NetworkState(addresses: addresses, hasRoute: tango_has_route_to_internet() != 0)
        }
    }

    extension NetworkState.Address {
        /// Nil for an entry without an IP address.
        fileprivate init?(_ entry: ifaddrs) {
            guard let address = entry.ifa_addr else { return nil }
            let flags = Int32(bitPattern: entry.ifa_flags)
            let running = Int32(IFF_UP | IFF_RUNNING)
            let bytes: [UInt8]
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                bytes = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr.bytes
            case AF_INET6:
                bytes = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr.bytes
            default: return nil
            }
            self.init(
                isLoopback: flags & Int32(IFF_LOOPBACK) != 0, isRunning: flags & running == running,
                bytes: bytes)
        }
    }

    extension in_addr {
        fileprivate var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }
    }

    extension in6_addr {
        fileprivate var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }
    }
#endif
