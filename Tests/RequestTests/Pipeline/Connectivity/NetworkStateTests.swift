import Testing

@testable import TangoRequest
@testable import TestSupport

/// The status of the device, from the addresses and routes that the kernel reports.
struct NetworkStateTests {
    private static func address(_ bytes: [UInt8], isLoopback: Bool = false, isRunning: Bool = true)
        -> NetworkState.Address
    {
        NetworkState.Address(isLoopback: isLoopback, isRunning: isRunning, bytes: bytes)
    }

    private static let loopback = [
        address([127, 0, 0, 1], isLoopback: true), address([UInt8](repeating: 0, count: 15) + [1], isLoopback: true),
    ]
    private static let four = address([192, 168, 1, 20])
    private static let six = address([0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 7, count: 12))
    private static let local = address([0xfd] + [UInt8](repeating: 1, count: 15))
    private static let stopped = address([192, 168, 1, 20], isRunning: false)
    private static let linkLocal = [
        address([169, 254, 7, 7]), address([0xfe, 0x80] + [UInt8](repeating: 1, count: 14)),
        address([0xfe, 0xbf] + [UInt8](repeating: 1, count: 14)),
    ]

    private static let rows: [([NetworkState.Address], hasRoute: Bool, ConnectivityStatus)] = [
        ([], false, .unavailable),
        ([], true, .unavailable),
        (loopback, true, .unavailable),
        (loopback + [four], true, .available),
        (loopback + [six], true, .available),
        ([local], true, .available),
        (loopback + [stopped], true, .unavailable),
        (linkLocal, true, .unavailable),
        (linkLocal + [four], true, .available),
        ([stopped, six], true, .available),
        // A network without a route to the internet, such as that of containers on a device without Wi-Fi.
        (loopback + [four], false, .unknown),
        ([address([])], true, .unavailable),
        ([address([1, 2, 3])], true, .unavailable),
    ]

    @Test(arguments: rows)
    func addressesAndRoutesDecide(_ addresses: [NetworkState.Address], hasRoute: Bool, _ status: ConnectivityStatus) {
        #expect(NetworkState(addresses: addresses, hasRoute: hasRoute).status == status)
    }

    @Test(arguments: [
        (ConnectivityStatus.available, ConnectivityStatus.available, NetworkState.Publication.none),
        (.unknown, .unknown, .none), (.unavailable, .unavailable, .none),
        (.unavailable, .available, .now), (.unavailable, .unknown, .now), (.unknown, .available, .now),
        (.available, .unavailable, .later), (.available, .unknown, .later), (.unknown, .unavailable, .later),
    ])
    func lossIsPublishedAtOnce(
        _ status: ConnectivityStatus, _ published: ConnectivityStatus, _ publication: NetworkState.Publication
    ) {
        #expect(NetworkState.publication(of: status, after: published) == publication)
    }
}
