import Foundation
import Testing

extension EndToEnd {
    @Suite struct SignInTests {
        let server: BookServer
        let terminal: Terminal
        private let loans = "4  Dracula, Bram Stoker (1897), due 2030-05-01\n"

        init() throws {
            server = try BookServer()
            terminal = try Terminal(server: server.url)
        }

        @Test func loansNeedAUser() async throws {
            let loans = try await terminal.reader("loans")
            #expect(loans.status == 4)
            #expect(loans.errors == "reader: sign in first, with: reader sign-in NAME\n")
            #expect(try await server.received().isEmpty)
        }

        @Test func wrongPasswordHasTheStatusFour() async throws {
            let signIn = try await terminal.reader("sign-in", "ada", input: "wrong\n")
            #expect(signIn.status == 4)
            #expect(signIn.errors == "reader: the name or the password is wrong\n")
            #expect(try await terminal.reader("loans").status == 4)
        }

        @Test func tokenIsForLaterCommands() async throws {
            let signIn = try await terminal.reader("sign-in", "ada", input: "engine\n")
            #expect(signIn.status == 0)
            #expect(signIn.errors == "signed in as ada\n")
            let loans = try await terminal.reader("loans")
            #expect(loans.status == 0)
            #expect(loans.output == self.loans)
        }

        @Test func rejectedTokenIsReplacedUnseen() async throws {
            _ = try await terminal.reader("sign-in", "ada", input: "engine\n")
            for _ in 1...2 {
                try await server.expireTokens()
                let loans = try await terminal.reader("loans")
                #expect(loans.status == 0)
                #expect(loans.output == self.loans)
                #expect(loans.errors == "")
            }
            // A refresh token works once, so the second round shows that the new one was stored.
            #expect(
                try await server.received().map(\.path) == [
                    "/token", "/loans", "/token", "/loans", "/loans", "/token", "/loans",
                ])
        }

        @Test func signOutRevokesTheTokenAndLeavesNothing() async throws {
            _ = try await terminal.reader("sign-in", "ada", input: "engine\n")
            let loans = try await terminal.reader("loans")
            #expect(try await terminal.reader("loans", "--offline").output == loans.output)
            let signOut = try await terminal.reader("sign-out")
            #expect(signOut.status == 0)
            #expect(try await server.received().contains { $0.path == "/revoke" })
            #expect(try await terminal.reader("loans").status == 4)
            let offline = try await terminal.reader("loans", "--offline")
            #expect(offline.status == 3)
            #expect(offline.output == "")
        }

        @Test func outputsShowNoSecret() async throws {
            let signIn = try await terminal.reader("sign-in", "ada", "--explain", "--waterfall", input: "engine\n")
            try await server.expireTokens()
            let token = try String(contentsOf: terminal.folder.appending(path: "data/token.json"), encoding: .utf8)
            let secrets: [String] = token.split { !$0.isHexDigit }.map { "\($0)" }.filter { $0.count == 32 }
            #expect(secrets.count >= 2)
            let loans = try await terminal.reader("loans", "--explain", "--waterfall")
            #expect(loans.errors.contains("its credentials were rejected, and it was sent again with new ones"))
            for secret in secrets + ["engine"] {
                #expect(!(signIn.output + signIn.errors + loans.output + loans.errors).contains(secret))
            }
        }
    }
}
