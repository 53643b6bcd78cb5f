import Foundation
import Testing

extension EndToEnd {
    @Suite struct ReaderTests {
        let server: BookServer
        let terminal: Terminal

        init() throws {
            server = try BookServer()
            terminal = try Terminal(server: server.url)
        }

        @Test func listFollowsTheLinksOfPages() async throws {
            let all = try await terminal.reader("list")
            #expect(all.status == 0)
            #expect(all.output.split(separator: "\n").count == 12)
            #expect(all.output.hasSuffix("12  Dubliners, James Joyce (1914)\n"))
            #expect(all.errors == "")
            #expect(try await server.received().map(\.path) == ["/books", "/books?page=2", "/books?page=3"])
            #expect(try await server.received().allSatisfy { $0.headers["User-Agent"] == "reader/1.0" })
        }

        @Test func limitedListRequestsNoFurtherPages() async throws {
            let some = try await terminal.reader("list", "--limit", "5")
            #expect(some.output.split(separator: "\n").count == 5)
            #expect(try await server.received().map(\.path) == ["/books"])
        }

        @Test func showHasTheBookAndItsReviews() async throws {
            let book = try await terminal.reader("show", "3")
            #expect(book.status == 0)
            #expect(book.output.hasPrefix("Persuasion\nby Jane Austen, 1817\n\n***** Ada\nI read it twice.\n"))
            #expect(try await Set(server.received().map(\.path)) == ["/books/3", "/books/3/reviews"])
        }

        @Test func missingBookIsAnErrorInTheWordsOfTheServer() async throws {
            let book = try await terminal.reader("show", "99")
            #expect(book.status == 1)
            #expect(book.output == "")
            #expect(book.errors == "reader: there is no such book\n")
        }

        @Test func searchEncodesWhatTheUserWrites() async throws {
            let found = try await terminal.reader("search", "jane", "austen")
            #expect(found.output == "2  Emma, Jane Austen (1815)\n3  Persuasion, Jane Austen (1817)\n")
            let nothing = try await terminal.reader("search", "a&page=2#")
            #expect(nothing.status == 0)
            #expect(nothing.errors == "no book has the words \"a&page=2#\"\n")
            #expect(try await server.received().last?.path == "/search?q=a%26page%3D2%23")
        }

        @Test(arguments: [
            (["frob"], "reader: there is no command \"frob\""),
            (["show", "x"], "reader: x is not a positive number"),
            (["list", "--limit"], "reader: --limit needs a value"),
            (["list", "--fast"], "reader: there is no option --fast"),
            (["list", "--server", "books"], "reader: books is not a URL"),
        ])
        func mistakeInTheArgumentsHasTheStatusTwo(_ arguments: [String], _ text: String) async throws {
            let mistake = try await terminal.reader(arguments)
            #expect(mistake.status == 2)
            #expect(mistake.errors.hasPrefix("\(text)\n\nusage: reader COMMAND"))
            #expect(try await server.received().isEmpty)
        }

        @Test func explanationsAndWaterfallGoToStandardError() async throws {
            let first = try await terminal.reader("search", "emma", "--explain", "--waterfall")
            #expect(first.output == "2  Emma, Jane Austen (1815)\n")
            #expect(first.errors.contains("  fetched from the server: nothing is cached for the request\n"))
            #expect(first.errors.contains("#1 GET /search"))
            let second = try await terminal.reader("search", "emma", "--explain")
            #expect(second.output == first.output)
            #expect(second.errors.contains("  served from the cache: the response is fresh"))
            #expect(try await server.received().count == 1)
        }
    }
}
