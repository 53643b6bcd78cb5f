import Foundation
import TangoPromise
import Testing

/// The code of the article on scheduling.
@Suite struct SchedulingSnippets: Samples {
    @Test @MainActor func namedPlaces() async throws {
        let parsing = Scheduler.queue(DispatchQueue(label: "parsing"))

        loadUser(1)
            .map { user in user.name }  // where the promise of loadUser says; .background unless it says otherwise
            .next(on: parsing) { name in name.count }  // on the queue
            .map { count in "\(count) letters" }  // on the queue still
            .next(on: .main) { text in label.text = text }  // on the main actor
            .catch(on: .main) { error in label.text = "\(error)" }
        while label.text.isEmpty { await Task.yield() }
        #expect(label.text == "6 letters")
    }

    @Test func workThatAwaits() async throws {
        let api = Sample.API()
        let chain: Promise<Void> =
            loadUser(1)
            .next(on: .task) { user in try await api.save(user) }
            .finally { log.debug("saved or not") }
        try await chain.value
        #expect(api.saved.events == [1])
    }

    @Test func chainsInheritTheirFirstScheduler() async throws {
        let text = Promise(on: .queue(.main)) { try await api.user(1).name }
        let number = Promise.fulfilled("12", on: .background).map { Int($0) }
        #expect(try await number.value == 12)
        #expect(try await text.value == "user 1")
    }

    @Test func immediate() {
        let (promise, resolver) = Promise<Int>.pending(on: .immediate)
        promise.next { number in events.append("\(number)") }
        resolver.fulfill(1)  // the handler has run when this returns
        #expect(events.all == ["1"])
    }

    @Test func actors() async throws {
        actor Store {
            private(set) var names: [Int: String] = [:]

            func refresh(_ user: Promise<User>) -> Promise<User> {
                user.tap(on: .current()) { user in
                    self.assumeIsolated { store in store.names[user.id] = user.name }
                }
            }
        }
        let store = Store()
        _ = try await store.refresh(loadUser(1)).value
        #expect(await store.names == [1: "user 1"])
    }

    private let events = Sample.Events()
    private let label = Sample.Label()
}
