import Foundation
import Harness
import Tango
import TangoTesting

/// Calls to a mock with many stubs, and to one that has recorded many calls.
func mocks(_ sizes: Sizes) -> [GrowthRow] {
    let upTo = sizes(upTo: 10_000)
    let stubbed = KeptForSizes(upTo) { count in
        let mock = MockTransport()
        for number in 0..<count { mock.stub(.get, "/articles/\(number)") }
        return makeClient(mock)
    }
    let used = KeptForSizes(upTo) { count in
        let mock = MockTransport()
        mock.stub(.get, "/")
        let client = makeClient(mock)
        _ = try await time(ofCalls: count) { Get(client).start() }
        return client
    }
    let recorders = KeptForSizes(upTo) { count in
        let recorder = try HARRecorder(file: URL(fileURLWithPath: Scratch.newFolder() + "/run.har"))
        let client = makeClient { $0.observers = [recorder] }
        _ = try await time(ofCalls: count) { Get(client).start() }
        // The calls so far are not written while others are measured.
        _ = recorder.count
        return client
    }
    return [
        GrowthRow("a call of the newest stub", beside: "stubs of a mock", upTo) { count in
            let client = try await stubbed(count)
            return try await time(ofCalls: 500) { Get(client, "/articles/\(count - 1)").start() }
        },
        GrowthRow(
            "a call of the oldest stub", beside: "stubs of a mock", upTo,
            growsBecause: "The mock compares the request with each newer stub, because a stub may be any closure."
        ) { count in
            let client = try await stubbed(count)
            return try await time(ofCalls: 100) { Get(client, "/articles/0").start() }
        },
        GrowthRow("a call", beside: "requests of a mock", upTo) { count in
            let client = try await used(count)
            return try await time(ofCalls: 200) { Get(client).start() }
        },
        GrowthRow("a call", beside: "calls of a HARRecorder", upTo) { count in
            let client = try await recorders(count)
            return try await time(ofCalls: 200) { Get(client).start() }
        },
    ]
}

/// Calls to a replay with as many exchanges.
func recordings(_ sizes: Sizes) -> [GrowthRow] {
    let upTo = sizes(upTo: 10_000)

    func row(_ name: String, _ url: @escaping @Sendable (Int) -> String) -> GrowthRow {
        let recordings = KeptForSizes(upTo) { count in
            let file = URL(fileURLWithPath: Scratch.newFolder() + "/run.har")
            let recorder = try HARRecorder(file: file)
            let client = makeClient { $0.observers = [recorder] }
            for first in stride(from: 0, to: count, by: 100) {
                let calls = (first..<min(first + 100, count)).map { Get(client, url($0)).start() }
                for call in calls { _ = try await call.value }
            }
            recorder.close()
            return try Recording(file: file)
        }
        return GrowthRow(name, beside: "exchanges of a HARReplay", upTo) { count in
            let recording = try await recordings(count)
            let uses = min(count, 100)
            let clients = (0..<100 / uses).map { _ in makeClient(HARReplay(recording)) }
            // The first request reads the exchanges of the recording. It is one that the recording does not have.
            for client in clients { _ = try? await Get(client, "/other").start().value }
            return try await processorNanoseconds(for: 100) {
                for client in clients {
                    for number in 0..<uses { _ = try await Get(client, url(count - 1 - number)).start().value }
                }
            }
        }
    }
    return [
        row("a call of its own") { "/articles/\($0)" },
        row("a call of equal ones") { _ in "/articles" },
    ]
}
