import Testing

@testable import TangoRequest
@testable import TestSupport

/// The hosts that a device reaches without a network.
struct ThisDeviceTests {
    @Test(arguments: [
        ("http://localhost", true), ("http://LOCALHOST:80", true), ("http://localhost.", false),
        ("http://api.localhost", true), ("http://127.0.0.1:8080", true), ("http://127.8.9.1", true),
        ("http://[::1]:8080", true), ("http://[0:0::1]", true), ("http://[::ffff:127.0.0.1]", true),
        ("http://0.0.0.0", true), ("http://[::]", true),
        ("http://localhost.example.com", false), ("http://mylocalhost", false), ("http://127.example.com", false),
        ("http://128.0.0.1", false), ("http://192.168.0.1", false), ("http://[fe80::1]", false),
        ("http://[::2]", false),
    ])
    func thisDeviceNeedsNoNetwork(_ url: String, _ isThisDevice: Bool) throws {
        #expect(try ServerAddress(url).isThisDevice == isThisDevice)
    }
}
