import Foundation
import Testing

extension EndToEnd {
    @Suite struct OfflineTests {
        let server: BookServer
        let terminal: Terminal

        init() throws {
            server = try BookServer()
            terminal = try Terminal(server: server.url)
        }

        @Test func offlineModeSendsNothing() async throws {
            let online = try await terminal.reader("show", "3")
            let sent = try await server.received().count
            let offline = try await terminal.reader("show", "3", "--offline")
            #expect(offline.status == 0)
            #expect(offline.output == online.output)
            #expect(try await server.received().count == sent)
        }

        @Test func offlineModeShowsWhatIsOnTheDiskWhenTheServerIsGone() async throws {
            let pages = try await terminal.reader("list")
            let book = try await terminal.reader("show", "3")
            server.stop()
            #expect(try await terminal.reader("list", "--offline").output == pages.output)
            let offline = try await terminal.reader("show", "3", "--offline")
            #expect(offline.status == 0)
            #expect(offline.output == book.output)
            // The server lets the cache use it for no time, so the user is told.
            #expect(offline.errors.hasPrefix("GET /books/3: from the disk, "))
        }

        @Test func missingResponseHasTheStatusThree() async throws {
            _ = try await terminal.reader("show", "3")
            let other = try await terminal.reader("show", "4", "--offline")
            #expect(other.status == 3)
            #expect(other.errors == "reader: this is not on the disk yet: try again without --offline\n")
            #expect(try await server.received().allSatisfy { !$0.path.hasPrefix("/books/4") })
        }

        @Test func withoutAServerTheDiskIsUsedUnasked() async throws {
            let book = try await terminal.reader("show", "3")
            server.stop()
            let again = try await terminal.reader("show", "3")
            #expect(again.status == 0)
            #expect(again.output == book.output)
            #expect(again.errors.hasPrefix("GET /books/3: from the disk, "))
            let other = try await terminal.reader("show", "4")
            #expect(other.status == 3)
            #expect(other.errors == "reader: The server cannot be reached. Check your internet connection.\n")
        }

        @Test func expiredBookIsRevalidated() async throws {
            let first = try await terminal.reader("show", "3")
            let second = try await terminal.reader("show", "3", "--explain")
            #expect(second.output == first.output)
            #expect(second.errors.contains("  revalidated by the server: the cached response is stale"))
            let books = try await server.received().filter { $0.path == "/books/3" }
            #expect(books.map { $0.headers["If-None-Match"] != nil } == [false, true])
        }
    }
}
