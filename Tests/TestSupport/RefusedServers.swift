import TangoRequest
import TangoTransport

@testable import TangoTesting

/// The guard of `RealServers`, for the hosts of the tests that expect it. Other tests of the process reach any host through
/// proxies, or by a system of their own.
enum RefusedServers {
    /// Sets the guard, with `allowed.test` and the hosts below it as exceptions.
    static func refuse() { isSet }

    private static let isSet: Void = {
        var rules = RealServerRules()
        rules.add(["allowed.test", "*.allowed.test"])
        let final = rules
        ServerCheck.set { request, host, options in
            let names = ["real.test", "named.test", "proxy.real.test"]
            let isMine = names.contains(host) || host.hasSuffix("allowed.test")
            return isMine ? final.refusal(of: request, to: host, options: options) : nil
        }
    }()
}
