/// The state of a device's network, as the kernel of Linux reports it.
struct NetworkState: Equatable, Sendable {
    /// An address of an interface.
    struct Address: Equatable, Sendable {
        /// A Boolean value that indicates whether the interface is the device itself.
        var isLoopback = false
        /// A Boolean value that indicates whether the interface is up and has a carrier.
        var isRunning = true
        /// The 4 or 16 bytes of the address.
        let bytes: [UInt8]

        /// A Boolean value that indicates whether the address is valid on its link only. The system assigns such
        /// addresses before a network has assigned one.
        fileprivate var isLinkLocal: Bool {
            switch bytes.count {
            case 4: bytes[0] == 169 && bytes[1] == 254
            case 16: bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
            default: true
            }
        }
    }

    var addresses: [Address]
    /// A Boolean value that indicates whether the kernel has a route to an address on the internet.
    var hasRoute: Bool

    var status: ConnectivityStatus {
        guard addresses.contains(where: { !$0.isLoopback && $0.isRunning && !$0.isLinkLocal }) else {
            return .unavailable
        }
        return hasRoute ? .available : .unknown
    }

    /// The time at which a new status is published.
    enum Publication: Hashable, Sendable {
        case none
        case now
        case later
    }

    /// Returns when a status is published.
    ///
    /// A lost network is published at once. A new one is published after a short time, in which addresses, routes and
    /// name servers become complete.
    static func publication(of status: ConnectivityStatus, after published: ConnectivityStatus) -> Publication {
        if status == published { return .none }
        return status == .unavailable || published == .available ? .now : .later
    }
}
