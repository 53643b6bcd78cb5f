// What users write with promises. It must compile without a warning and quickly: no annotation where a person would not
// think of one.
import Foundation
import Tango

struct User: Codable, Sendable { var id = 0; var name = ""; var posts: [Int] = [] }
struct Post: Codable, Sendable { var id = 0; var title = "" }
struct Oops: Error {}

func fetch(_ id: Int) -> Promise<User> { Promise(User(id: id)) }
func fetchPosts(by author: Int) -> Promise<[Post]> { Promise([Post(id: author)]) }
func compute(_ user: User) async throws -> Int { user.id }
func everyone(_ ids: [Int]) -> Promise<[User]> { Promise.all(ids.map { fetch($0) }) }
func everyoneShort(_ ids: [Int]) -> Promise<[User]> { .all(ids.map(fetch)) }
func both() -> Promise<(User, [Post])> { Promise.all(fetch(1), fetchPosts(by: 1)) }

func chains() {
    // Values and promises mix freely.
    fetch(1).next { user in fetch(user.id) }.next { user in user.posts }.next { $0.count }.catch { print($0) }

    // Several statements, no annotations.
    fetch(1).next { user in
        let author = user.id
        print("from \(user.name)")
        return fetchPosts(by: author)
    }.next { posts in
        let titles = posts.map(\.title)
        return titles.joined(separator: ", ")
    }.next { text in
        print("titles: \(text)")
    }.catch { error in
        print("failed: \(error)")
    }.finally {
        print("done")
    }

    // Throwing, early exits, optional results; async work is a link on `.task`.
    fetch(1).next(on: .task) { user in
        guard user.id > 0 else { throw Oops() }
        return try await compute(user)
    }.next { number in
        let doubled = number * 2
        return doubled
    }.next { print("\($0)") }
    fetch(1).next { _ in throw Oops() }
    fetch(1).next { user in user.posts.isEmpty ? nil : user.posts }.next { (posts: [Int]?) in posts?.count ?? 0 }

    // Two handlers: the second recovers, with a value or a promise.
    fetch(1).then({ user in user.name }, { _ in "anonymous" }).next { name in name.count }
    fetch(1).then({ user in fetch(user.id) }, { _ in User() }).next { $0.id }
    fetch(1).then(
        { user in
            let next = user.id + 1
            return fetch(next)
        },
        { reason in
            print("reason: \(reason)")
            return User()
        }
    ).then(
        { user in
            print("user \(user)")
            return user.id
        }, { _ in 0 }
    ).next { id in print("id \(id)") }

    // Long chains stay quick to type-check.
    fetch(1).next { user in
        let id = user.id + 1
        return fetch(id)
    }.next { user in
        let name = user.name
        return name
    }.next { name in
        let count = name.count
        return count
    }.next { count in
        let user = fetch(count)
        return user
    }.next { user in
        let posts = user.posts
        return posts
    }.next { posts in
        let first = posts.first ?? 0
        return fetch(first)
    }.next { user in
        let text = "\(user)"
        return text
    }.next { text in
        let length = text.count
        return length
    }.next { length in
        let doubled = length * 2
        return doubled
    }.next { doubled in
        print("doubled \(doubled)")
    }.catch { print($0) }

    // Typed tuples and arrays.
    Promise.all(fetch(1), fetchPosts(by: 1), Promise("x")).next { user, posts, text in
        let line = "\(user.name) \(posts.count) \(text)"
        print(line)
    }.catch { error in print("failed: \(error)") }
    Promise.all([fetch(1), fetch(2)]).next { users in print("\(users.count)") }
    Promise.any([fetch(1), fetch(2)]).recover { _ in User() }.timeout(.seconds(5)).next { $0.name }
    Promise.allSettled([fetch(1)]).next { results in results.count }
    Promise.all([1, 2, 3], limit: 2) { fetch($0) }.next { users in users.count }
    Promise.retry(3) { attempt in fetch(attempt) }.next { $0.id }

    // By hand.
    let (promise, resolver) = Promise<Int>.pending()
    promise.next(on: .main) { number in print("\(number)") }
    resolver.fulfill(1)
    Promise<Int> { resolver in resolver.reject(Oops()) }.catch { error in print("\(error)") }
    Promise { try await compute(User()) }.next { number in number + 1 }
}

@MainActor final class ViewModel {
    var name = ""
    var failure: String?
    private var loading: Promise<Void>?

    func load() {
        fetch(1).next(on: .main) { user in self.name = user.name }.catch(on: .main) { self.failure = "\($0)" }
        loading = fetch(2).next(on: .main) { self.name = $0.name }.finally(on: .main) { self.loading = nil }
        fetch(3).then(on: .main, { self.name = $0.name }, { self.failure = "\($0)" })
    }

    func reload() async throws {
        name = try await fetch(1).value.name
        switch await fetch(2).result {
        case .success(let user): name = user.name
        case .failure(let error): failure = "\(error)"
        }
    }

    deinit { loading?.cancel() }
}

final class Model: @unchecked Sendable {
    var user: User?
    func load() {
        fetch(1).next { [weak self] user in self?.user = user }.catch { print($0) }
        fetch(1).next { [weak self] user -> Void in
            guard let self else { return }
            self.user = user
        }
    }
}
