#if os(Linux)
    import ChildProcesses
    import Foundation
    import Synchronization
    import TangoRequest

    extension RequestProcess {
        /// Tells which status the kernel reports while interfaces come and go, in a network namespace of its own.
        static func connectivity() async throws {
            let network = SystemConnectivity.shared
            tell("before", network.status)
            let (statuses, continuation) = AsyncStream.makeStream(of: ConnectivityStatus.self)
            let observation = network.observe { continuation.yield($0) }
            defer { withExtendedLifetime(observation) {} }
            var changes = statuses.makeAsyncIterator()
            func reached(_ status: ConnectivityStatus) async -> ConnectivityStatus {
                while let next = await changes.next(), next != status {}
                return network.status
            }

            ip("link set lo up")
            tell("loopback", network.status)
            let client = Client {
                $0.transport = CurlTransport(CurlConfiguration(proxy: .direct))
                $0.retryPolicy = .never
            }
            do {
                _ = try await client.get("http://10.1.2.4/", as: String.self).value
                tell("failure", "none")
            } catch let error as RequestError {
                tell("failure", error.code)
            }
            // The call waits until there is a network, and then for the server, which does not exist.
            let patient = client.with {
                $0.waitsForConnectivity = .seconds(3600)
                $0.timeouts.connect = .milliseconds(50)
            }
            let promise = patient.get("http://10.1.2.4/", as: String.self)
            guard let call = patient.calls.first else { return tell("call", "none") }
            while call.state != .waitingForConnectivity { await Task.yield() }

            ip("link add v0 type veth peer name v1")
            ip("addr add 10.1.2.3/24 dev v0")
            ip("link set v0 up")
            ip("link set v1 up")
            ip("route add default via 10.1.2.1")
            tell("up", await reached(.available))
            do {
                _ = try await promise.value
            } catch let error as RequestError {
                let hasWaited = call.explanation?.waitForConnectivity != nil
                tell("waited", error.code == .connectTimedOut && hasWaited ? "yes" : "\(error)")
            }
            ip("link set v1 down")
            tell("down", await reached(.unavailable))
            ip("link set v1 up")
            ip("route replace default via 10.1.2.1")
            tell("again", await reached(.available))
        }

        private static func ip(_ arguments: String) {
            do {
                let process = try ChildProcess(command: ["ip"] + arguments.split(separator: " ").map(String.init))
                let status = process.end()
                if status != 0 { tell("ip", "\(arguments): \(status)") }
            } catch {
                tell("ip", error)
            }
        }
    }
#endif
