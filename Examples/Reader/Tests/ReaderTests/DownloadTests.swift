import Foundation
import Testing

extension EndToEnd {
    @Suite struct DownloadTests {
        let server: BookServer
        let terminal: Terminal

        init() throws {
            server = try BookServer()
            terminal = try Terminal(server: server.url)
        }

        /// The text as the server makes it.
        private func text(_ title: String) -> String {
            let length = "\(title), line 0000000\n".utf8.count
            return (0..<(2_000_000 / length)).map { number in
                "\(title), line \(String("\(10_000_000 + number)".dropFirst()))\n"
            }.joined()
        }

        private func file(_ name: String) throws -> String {
            try String(contentsOf: terminal.folder.appending(path: name), encoding: .utf8)
        }

        @Test func downloadHasTheNameOfTheServerAndABar() async throws {
            let download = try await terminal.reader("download", "3")
            #expect(download.status == 0)
            #expect(download.output.hasSuffix("/Persuasion.txt\n"))
            #expect(download.errors.contains("book 3  [████████████████] 100 %"))
            #expect(try file("Persuasion.txt") == text("Persuasion"))
        }

        @Test func downloadThatBreaksOffGoesOn() async throws {
            try await server.cutNextText(after: 1_200_000)
            let download = try await terminal.reader("download", "4")
            #expect(download.status == 0)
            #expect(try file("Dracula.txt") == text("Dracula"))
            #expect(try await server.received().map { $0.headers["Range"] } == [nil, "bytes=1200000-"])
        }

        @Test func downloadOfAKilledProcessIsResumedByTheNext() async throws {
            try await server.holdNextText(after: 1_000_000)
            let killed = try await terminal.reader("download", "4", killedAfter: " 50 %")
            #expect(killed.status == SIGKILL)
            #expect(!FileManager.default.fileExists(atPath: terminal.folder.appending(path: "Dracula.txt").path))
            let download = try await terminal.reader("download", "4")
            #expect(download.status == 0)
            #expect(download.errors.contains("resumed after 1000000 bytes\n"))
            #expect(try file("Dracula.txt") == text("Dracula"))
            #expect(try await server.received().map { $0.headers["Range"] } == [nil, "bytes=1000000-"])
        }

        @Test func folderForDownloadsHasToExist() async throws {
            let download = try await terminal.reader("download", "3", "--to", "missing")
            #expect(download.status == 1)
            #expect(download.errors.contains("reader: "))
            #expect(try await server.received().isEmpty)
        }
    }
}
