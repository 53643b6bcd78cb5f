import Synchronization

/// The mocks of the process that are in use, for the error of a request that was sent to none of them.
enum MockRegistry {
    private struct Entry: Sendable {
        weak let mock: MockTransport?
    }

    private static let entries = Mutex<[Entry]>([])

    static func add(_ mock: MockTransport) {
        entries.withLock { entries in
            entries.removeAll { $0.mock == nil }
            entries.append(Entry(mock: mock))
        }
    }

    /// Returns the stub for a request that the newest mock with one would use. Conditions of other tests do not run.
    static func stub(for request: HTTPRequest, _ type: Any.Type?) -> MockStub? {
        let target = MockTarget(request, type)
        let mocks = entries.withLock { $0.compactMap(\.mock) }
        for mock in mocks.reversed() {
            let stub = mock.stubs.last { !$0.hasClosure && $0.differences(from: target).isEmpty }
            if let stub { return stub }
        }
        return nil
    }
}
