// The chains of OrdinaryChains.swift under default main-actor isolation: models and functions say `nonisolated`, the view
// model says nothing.
import Foundation
import Tango

nonisolated struct Author: Codable, Sendable { let id: Int, name: String }
nonisolated struct Article: Codable, Sendable { let title: String, likes: Int, author: Int }

nonisolated final class GetAuthor: Request<Author> {
    let id: Int
    init(_ id: Int) { self.id = id }
    override var endpoint: Endpoint { .get("/authors/\(id)") }
}

nonisolated final class GetArticles: Request<[Article]> {
    let author: Int
    init(by author: Int) { self.author = author }
    override var endpoint: Endpoint { .get("/articles", query: ["author": author]) }
}

nonisolated func load(_ id: Int) -> Promise<Author> { GetAuthor(id).promise }
nonisolated func articles(_ author: Author) -> Promise<[Article]> { GetArticles(by: author.id).promise }

nonisolated func names() -> Promise<String> {
    load(1).next { a in Promise.all([a].map { load($0.id + 1) }) }
        .map { us in us.map(\.name).joined(separator: ", ") }.map { t in t.uppercased() }
        .validate { $0.count > 3 }.next { t in load(t.count) }.map { u in u.name }.recover { _ in "unknown" }
}

nonisolated func arithmetic() -> Promise<String> {
    Promise(1).map { $0 + 1 }.map { $0 * 2 }.map { $0 - 1 }.map { $0 + 1 }.map { $0 * $0 }.map { $0 % 7 }.map {
        "\($0 + 1)"
    }
}

nonisolated func popularity() -> Promise<String> {
    load(1)
        .next { articles($0) }
        .map { $0.map { $0.likes }.reduce(0, +) }
        .map { total in total > 10 ? total * 2 : total - 1 }
        .map { "likes: \($0)" }
        .catch { print($0) }
        .finally { print("done") }
}

nonisolated func best() -> Promise<[String]> {
    Promise.all([1, 2, 3].map { load($0) })
        .next { authors in Promise.all(authors.map { articles($0) }) }
        .map { lists in lists.flatMap { $0 }.sorted { $0.likes > $1.likes } }
        .map { sorted in sorted.prefix(3).map { "\($0.title): \($0.likes)" } }
        .recover { _ in [] }
}

nonisolated func pairs() -> Promise<String> {
    Promise.all(load(1), load(2).next { articles($0) })
        .map { author, articles in "\(author.name) has \(articles.count) of \(articles.map(\.likes).reduce(0, +))" }
        .map { $0.isEmpty ? "nothing" : $0 }
}

nonisolated func steps() -> Promise<Int> {
    load(1)
        .next { author -> Promise<[Article]> in
            guard author.id > 0 else { throw URLError(.badURL) }
            return articles(author)
        }
        .next { articles in
            var sum = 0
            for article in articles where article.likes % 2 == 0 { sum += article.likes }
            return sum
        }
        .map { $0 > 100 ? 100 : $0 }
        .flatMap { load($0) }
        .map { $0.id + $0.name.count }
}

nonisolated func strings() -> Promise<[String: Int]> {
    load(1)
        .map { $0.name.split(separator: " ").map { $0.lowercased() } }
        .map { words in words.filter { $0.count > 2 } }
        .map { words in Dictionary(grouping: words) { $0 }.mapValues { $0.count } }
        .map { counts in counts.filter { $0.value > 1 } }
}

nonisolated func fallbacks() -> Promise<String> {
    Promise.any([load(1), load(2)])
        .map { $0.name }
        .then({ name in "\(name)!" }, { error in "\(error)" })
        .timeout(.seconds(5))
        .map { $0.isEmpty ? "?" : $0 }
        .recover { _ in "unknown" }
}

final class Screen {
    var title = ""
    var total = 0
    func show() {
        load(1)
            .next { articles($0) }
            .map { ($0.count, $0.map(\.likes).reduce(0, +)) }
            .next(on: .main) { count, likes in
                self.title = "\(count) articles, \(likes) likes"
                self.total = likes > 0 ? likes / count : 0
            }
            .catch(on: .main) { error in self.title = "\(error)" }
    }
}
