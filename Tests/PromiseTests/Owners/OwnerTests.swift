import TangoPromise
import Testing

/// Links for an object that is not retained.
@Suite(.timeLimit(.minutes(20))) struct OwnerTests {
    private final class Owner: Sendable {
        func length(of text: String) -> Int { text.count }
        func promise(of text: String) -> Promise<Int> { Promise(text.count) }
    }

    private struct Odd: Error {}

    @Test func linksRunAsLongAsTheOwnerLives() async throws {
        let owner = Owner()
        let text = Promise("word")
        #expect(try await text.next(for: owner) { owner, text in owner.length(of: text) }.value == 4)
        #expect(try await text.next(for: owner) { owner, text in owner.promise(of: text) }.value == 4)
        #expect(try await text.next(for: owner, on: .immediate) { owner, text in owner.length(of: text) }.value == 4)
        #expect(try await text.next(for: owner, on: .main) { owner, text in owner.length(of: text) }.value == 4)
        #expect(try await text.next(for: owner, on: .main) { owner, text in owner.promise(of: text) }.value == 4)
        let (caught, note) = Promise<String>.pending()
        Promise<Int>.rejected(Odd())
            .catch(for: owner) { owner, error in note.fulfill("\(error), \(owner.length(of: "word"))") }
        #expect(try await caught.value == "Odd(), 4")
        let (finished, end) = Promise<Int>.pending()
        text.finally(for: owner, on: .main) { owner in end.fulfill(owner.length(of: "end")) }
        #expect(try await finished.value == 3)
        withExtendedLifetime(owner) {}
    }

    @Test func linkOfAnObjectThatIsGoneIsCancelled() async throws {
        let (source, resolver) = Promise<String>.pending()
        let (left, leaving) = Promise<Void>.pending()
        resolver.onCancel { leaving.fulfill() }
        var owner: Owner? = Owner()
        let links = [
            source.next(for: try #require(owner)) { owner, text in owner.length(of: text) },
            source.next(for: try #require(owner), on: .main) { owner, text in owner.length(of: text) },
        ]
        #expect(links.map(\.isPending) == [true, true])
        owner = nil
        for link in links { await #expect(throws: CancellationError.self) { try await link.value } }
        // Nothing else waits for the source.
        try await left.value
    }

    /// The owner goes between the value and the handler.
    @Test func handlerDoesNotRunWithoutTheOwner() async {
        let (source, resolver) = Promise<String>.pending(on: .immediate)
        var owner: Owner? = Owner()
        let link = source.next(for: owner!) { _, _ in Issue.record("There is no owner.") }
        let caught = Promise<String>.rejected(Odd(), on: .background)
        owner = nil
        resolver.fulfill("word")
        await #expect(throws: CancellationError.self) { try await link.value }
        await #expect(throws: Odd.self) { try await caught.value }
    }

    @Test func currentResultDoesNotWait() async throws {
        let (promise, resolver) = Promise<Int>.pending()
        #expect(promise.isPending)
        #expect(promise.currentResult == nil)
        resolver.fulfill(1)
        #expect(!promise.isPending)
        let result = try #require(promise.currentResult)
        #expect(try result.get() == 1)
        let failed = Promise<Int>.rejected(Odd())
        let failure = try #require(failed.currentResult)
        #expect(throws: Odd.self) { try failure.get() }
        let (cancelled, unused) = Promise<Int>.pending()
        cancelled.cancel()
        let end = try #require(cancelled.currentResult)
        #expect(throws: CancellationError.self) { try end.get() }
        withExtendedLifetime(unused) {}
    }
}
