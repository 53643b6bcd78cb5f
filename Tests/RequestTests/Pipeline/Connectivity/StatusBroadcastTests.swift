import Synchronization
import TangoTesting
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The observers of a connectivity.
struct StatusBroadcastTests {
    @Test func observersReceiveChangesInOrder() {
        let network = ScriptedConnectivity()
        let heard = Mutex<[ConnectivityStatus]>([])
        let observation = network.observe { status in heard.withLock { $0.append(status) } }
        for status in [ConnectivityStatus.available, .unavailable, .unavailable, .unknown, .available] {
            network.status = status
        }
        #expect(heard.withLock { $0 } == [.unavailable, .unknown, .available])
        withExtendedLifetime(observation) {}
    }

    @Test func releasedObserverReceivesNothing() {
        let network = ScriptedConnectivity()
        let count = Atomic(0)
        var observation: ConnectivityObservation? = network.observe { _ in count.add(1, ordering: .relaxed) }
        #expect(network.observerCount == 1)
        network.status = .unavailable
        withExtendedLifetime(observation) {}
        observation = nil
        network.status = .available
        #expect(count.load(ordering: .relaxed) == 1)
        #expect(network.observerCount == 0)
    }

    @Test func changeByAnObserverComesAfterTheCurrentOne() {
        let network = ScriptedConnectivity()
        let heard = Mutex<[ConnectivityStatus]>([])
        let first = network.observe { status in
            if status == .unavailable { network.status = .available }
            heard.withLock { $0.append(status) }
        }
        network.status = .unavailable
        #expect(heard.withLock { $0 } == [.unavailable, .available])
        withExtendedLifetime(first) {}
    }

    @Test func observationOutlivesItsConnectivity() {
        var network: ScriptedConnectivity? = ScriptedConnectivity()
        let observation = network?.observe { _ in }
        network = nil
        withExtendedLifetime(observation) {}
    }
}
