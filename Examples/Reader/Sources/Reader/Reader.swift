import Foundation
import Tango
import TangoAuth
import TangoMeasuring

/// The commands. Results go to standard output, and everything else to standard error.
struct Reader {
    let options: Options
    let library: Library

    func run() async throws {
        switch options.command {
        case .list: try await list()
        case .show(let id): try await show(id)
        case .search(let words): try await search(words)
        case .loans: try await loans()
        case .download(let id): try await download(id)
        case .signIn(let user): try await signIn(user)
        case .signOut: try await library.signOut()
        case .help: print(Options.usage)
        }
    }

    private func list() async throws {
        for try await book in GetBooks(limit: options.limit, library.client).items { print(line(of: book)) }
    }

    private func show(_ id: Int) async throws {
        // Both requests are in flight at the same time.
        let (book, reviews) = try await Promise.all(
            GetBook(id, library.client).promise, GetReviews(of: id, library.client).promise
        ).value
        print("\(book.title)\nby \(book.author), \(book.year)")
        for review in reviews {
            print("\n\(String(repeating: "*", count: review.stars)) \(review.reader)\n\(review.text)")
        }
    }

    private func search(_ words: String) async throws {
        let books = try await SearchBooks(words, library.client).promise.value
        for book in books { print(line(of: book)) }
        if books.isEmpty { say("no book has the words \"\(words)\"") }
    }

    private func loans() async throws {
        for loan in try await GetLoans(library.member).promise.value {
            print(line(of: loan.book) + ", due \(loan.due.formatted(.iso8601.year().month().day()))")
        }
    }

    private func download(_ id: Int) async throws {
        let bars = ProgressBars()
        let call = DownloadBook(id, to: options.folder, library.client).start()
        bars.add(call, name: "book \(id)")
        do {
            let file = try await call.value
            await bars.finish()
            if file.resumedFrom > 0 { say("resumed after \(file.resumedFrom) bytes") }
            print(file.url.path)
        } catch {
            await bars.finish()
            throw error
        }
    }

    private func signIn(_ user: String) async throws {
        let isTerminal = isatty(STDIN_FILENO) == 1
        let password = isTerminal ? getpass("Password: ").map { String(cString: $0) } : readLine()
        try await library.signIn(user, password: password ?? "")
        say("signed in as \(user)")
    }

    private func line(of book: Book) -> String {
        "\(book.id)  \(book.title), \(book.author) (\(book.year))"
    }
}

/// Writes a line to standard error.
func say(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
}
