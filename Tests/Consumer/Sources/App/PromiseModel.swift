// What an app made from Xcode's template writes. Models that travel between threads say `nonisolated`; view models say
// nothing.
import Foundation
import Tango

final class PromiseModel {
    var name = ""
    var failure: String?
    private var loading: Promise<Void>?

    func load() {
        fetch(1)
            .next { user in "\(user.id): \(user.name)" }
            .next(on: .main) { text in self.name = text }
            .catch(on: .main) { error in self.failure = "\(error)" }
    }

    func loadBoth() {
        loading = Promise.all(search("a"), fetch(2))
            .next(on: .main) { users, user in self.name = "\(users.count) \(user.name)" }
            .finally(on: .main) { self.loading = nil }
    }

    func save() {
        let (promise, resolver) = Promise<Int>.pending()
        promise.next(on: .task) { number in try await self.store(number) }.next { print("stored \($0)") }
        resolver.fulfill(1)
        Promise { try await self.store(2) }.timeout(.seconds(5)).next(on: .main) { self.name = "stored \($0)" }
    }

    func reload() async throws {
        name = try await fetch(1).value.name
    }

    private func store(_ number: Int) async throws -> Int { number }
    private func fetch(_ id: Int) -> Promise<User> { Promise(User(id: id)) }
    private func search(_ text: String) -> Promise<[User]> { Promise([User(name: text)]) }
}
