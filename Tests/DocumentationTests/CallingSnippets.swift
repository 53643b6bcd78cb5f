import Foundation
import TangoAuth
import TangoRequest
import Testing

@testable import TestSupport

/// The examples of the doc comments on the properties of a call.
@Suite struct CallingSnippets {
    @Test func users() {
        let client = Client(baseURL: URL(string: "https://api.example.com")) {
            $0.headers = .basicAuthorization(user: "ada", password: "secret")
        }
        #expect(client.configuration.headers["Authorization"] == "Basic YWRhOnNlY3JldA==")
    }

    @Test func keeping() {
        let call: AnyCall = Fetch<String>(.undeclared, of: Client()).start()
        call.userInfo["screen"] = "profile"
        #expect(call.userInfo["screen"] as? String == "profile")
    }
}
