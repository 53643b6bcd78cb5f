import Foundation
import Synchronization
import TangoPromise

/// The types and functions that the snippets of the documentation use: users to load, a log, a spinner.
protocol Samples {}

enum Sample {
    struct User: Sendable, Equatable, Codable {
        static let anonymous = User(id: 0, name: "anonymous", age: 0)

        let id: Int
        let name: String
        var age = 30
    }

    struct Post: Sendable, Equatable {
        let title: String
    }

    struct LoadError: Error, Equatable {}

    struct Settings: Sendable, Equatable {
        static let standard = Settings(text: "")

        let text: String
    }

    struct SettingsError: Error {
        let cause: any Error
    }

    struct API: Sendable {
        let saved = Recorder<Int>()

        func user(_ id: Int) async throws -> User { Sample.user(id) }
        func save(_ user: User) async throws { saved.note(user.id) }
    }

    struct Log: Sendable {
        func error(_ text: String) {}
        func debug(_ text: String) {}
    }

    final class Events: Sendable {
        private let events = Mutex<[String]>([])

        var all: [String] { events.withLock { $0 } }

        func append(_ event: String) { events.withLock { $0.append(event) } }
    }

    final class Connection: Sendable {
        /// Fulfilled when the connection is closed.
        let closed: Promise<Void>
        private let closing: Resolver<Void>
        private let receiver = Mutex<(@Sendable (Data) -> Void)?>(nil)

        init() { (closed, closing) = Promise<Void>.pending() }

        func receive(_ receiver: @escaping @Sendable (Data) -> Void) {
            self.receiver.withLock { $0 = receiver }
        }

        func close() { closing.fulfill() }
    }

    @MainActor final class Label {
        var text = ""

        nonisolated init() {}
    }

    @MainActor final class Spinner {
        static let shared = Spinner()
        private(set) var isSpinning = false

        func start() { isSpinning = true }
        func stop() { isSpinning = false }
    }

    final class LegacyTask: Sendable {
        func cancel() {}
    }

    static func user(_ id: Int) -> User { User(id: id, name: "user \(id)") }
}

extension Samples {
    typealias User = Sample.User
    typealias Post = Sample.Post
    typealias Settings = Sample.Settings
    typealias LoadError = Sample.LoadError
    typealias SettingsError = Sample.SettingsError

    var api: Sample.API { Sample.API() }
    var log: Sample.Log { Sample.Log() }
    @MainActor var spinner: Sample.Spinner { .shared }
    var ids: [Int] { [1, 2, 3] }

    /// Loads any user but number 404.
    func loadUser(_ id: Int) -> Promise<User> {
        id == 404 ? .rejected(LoadError()) : Promise(Sample.user(id))
    }

    func loadPosts() -> Promise<[Post]> { Promise([Post(title: "One"), Post(title: "Two")]) }

    func loadPosts(by user: User) -> Promise<[Post]> { loadPosts() }

    func readFile(_ name: String) -> Promise<Settings> { .rejected(LoadError()) }

    /// A loader with a callback, which it calls on a thread of its choice.
    @discardableResult
    func legacyLoad(
        _ url: URL, _ completion: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Sample.LegacyTask {
        DispatchQueue.global().async { completion(Data(url.absoluteString.utf8), nil) }
        return Sample.LegacyTask()
    }
}
