import Foundation
import TangoRequest
import Testing

@testable import TestSupport

/// The text of a declared request.
struct RequestTextTests {
    private let client = Client(baseURL: URL(string: "https://api.example.com/v1"))

    private final class GetUser: Request<String> {
        let owner: Client
        /// A common name of a field, which the class of all requests must not take.
        let description = "a user"
        var place = Endpoint.get("/users/1", query: ["tags": ["a", "b"], "token": "t-1234567"])
        init(_ owner: Client) { self.owner = owner }
        override var client: Client { owner }
        override var endpoint: Endpoint { place }
        override var queryStyle: QueryStyle { QueryStyle(arrays: .commas) }
    }

    private func printed(_ value: some Any) -> String {
        var text = ""
        print(value, terminator: "", to: &text)
        return text
    }

    @Test func printedRequestHasMethodAndURL() {
        let request = GetUser(client)
        #expect(printed(request) == "GetUser: GET https://api.example.com/v1/users/1?tags=a,b&token=…")
        #expect("\(request)" == printed(request))
    }

    /// The text has the reason why there is no URL, and the reason has parts of the path.
    @Test(arguments: ["https://api.example.com", nil])
    func secretsOfInvalidURLsAreRedacted(_ base: String?) {
        let request = GetUser(Client(baseURL: base.flatMap(URL.init(string:))))
        request.place = .get("/reset/c-1234567/../x").redacting("c-1234567")
        #expect(printed(request).hasPrefix("GetUser: GET, "))
        #expect(!printed(request).contains("c-1234567"), "\(printed(request))")
    }

    @Test func declaredAndConfiguredSecretsAreRedacted() {
        let request = GetUser(client)
        request.place = .post("/reset/c-1234567", query: ["plan": "gold"]).redacting("c-1234567")
        #expect(printed(request) == "GetUser: POST https://api.example.com/v1/reset/…?plan=gold")
        let redacting = client.with { $0.redaction.add(queryItems: ["plan"]) }
        let other = GetUser(redacting)
        other.place = request.place
        #expect(printed(other) == "GetUser: POST https://api.example.com/v1/reset/…?plan=…")
    }

    @Test func requestThatCannotBeSentSaysWhy() {
        let request = GetUser(client)
        request.place = .delete("/a/../b")
        #expect(printed(request).hasPrefix("GetUser: DELETE, the path \"/a/../b\" has the segment \"..\""))
        #expect(printed(Request<String>()) == "Request<String>: no endpoint")
    }
}
