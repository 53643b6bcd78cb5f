import Foundation
import TangoRequest
import Testing

@testable import TestSupport

/// The snippets of the doc comments of errors, and tests of their claims.
@Suite struct ErrorsSnippets {
    private func fetch() async throws -> String {
        throw RequestError(.totalTimedOut, phase: .wait, detail: "the time was up")
    }

    @Test func catching() async {
        var user: String? = "Ada"
        var shown: [String] = []
        func show(_ text: String) { shown.append(text) }
        do {
            do {
                user = try await fetch()
            } catch let error as RequestError where error.code == .idleTimedOut {
                user = nil
            } catch let error as RequestError {
                show(error.message)
            }
        } catch {}
        #expect(user == "Ada")
        #expect(shown.count == 1)
    }

    @Test func redacting() {
        var redaction = Redaction.standard
        redaction.add(headers: ["X-Tenant"], queryItems: ["invitation"])
        #expect(redaction.hides(header: "x-tenant"))
        #expect(redaction.hides(queryItem: "invitation"))
    }
}

/// A replacement for the tables of the process, which a test must not change.
private struct OwnTables {
    var current = TangoRequest.UserMessages.standard
    let standard = TangoRequest.UserMessages.standard
}

extension ErrorsSnippets {
    @Test func messages() {
        var UserMessages = OwnTables()
        var messages = UserMessages.standard
        messages.set("Our servers are having a nap.", for: .badStatus)
        messages.set("Please sign in.", for: .signInNeeded)
        messages.set("Kein Netz.", for: .cannotConnect, in: "de")
        UserMessages.current = messages
        #expect(UserMessages.current.text(for: .badStatus, in: ["en"]) == "Our servers are having a nap.")
        #expect(UserMessages.current.text(for: .cannotConnect, in: ["de-AT", "en"]) == "Kein Netz.")
    }
}
