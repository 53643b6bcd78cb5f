import Foundation
import Tango
import TangoTransfers

// The API of the library: its models, and a class for each request.

struct Book: Codable, Sendable {
    let id: Int, title: String, author: String, year: Int
}

struct Review: Codable, Sendable {
    let reader: String, stars: Int, text: String
}

struct Loan: Codable, Sendable {
    let book: Book, due: Date
}

/// The body of a response by which the server refuses a request.
struct Problem: Codable, Sendable {
    let error: String
}

class LibraryRequest<Output: Sendable>: Request<Output> {
    private let sender: Client
    init(_ client: Client) { sender = client }
    override var client: Client { sender }
}

/// All books, in pages. The server links each page with the next one.
final class GetBooks: LibraryRequest<[Book]> {
    let limit: Int?
    init(limit: Int?, _ client: Client) {
        self.limit = limit
        super.init(client)
    }
    override var endpoint: Endpoint { .get("/books") }
    override var paging: Paging<[Book]> { .linkHeader.limited(items: limit) }
}

final class GetBook: LibraryRequest<Book> {
    let id: Int
    init(_ id: Int, _ client: Client) {
        self.id = id
        super.init(client)
    }
    override var endpoint: Endpoint { .get("/books/\(id)") }
}

final class GetReviews: LibraryRequest<[Review]> {
    let book: Int
    init(of book: Int, _ client: Client) {
        self.book = book
        super.init(client)
    }
    override var endpoint: Endpoint { .get("/books/\(book)/reviews") }
}

final class SearchBooks: LibraryRequest<[Book]> {
    let words: String
    init(_ words: String, _ client: Client) {
        self.words = words
        super.init(client)
    }
    override var endpoint: Endpoint { .get("/search", query: ["q": words]) }
}

/// The books that the user has borrowed. Its client needs an authenticator.
final class GetLoans: LibraryRequest<[Loan]> {
    override var endpoint: Endpoint { .get("/loans") }
}

/// The text of a book. If a download was interrupted, the next one goes on where it ended.
final class DownloadBook: Download {
    let id: Int, folder: URL
    private let sender: Client
    init(_ id: Int, to folder: URL, _ client: Client) {
        (self.id, self.folder, sender) = (id, folder, client)
    }
    override var client: Client { sender }
    override var endpoint: Endpoint { .get("/books/\(id)/text") }
    override var destination: Destination { .folder(folder) }
}
