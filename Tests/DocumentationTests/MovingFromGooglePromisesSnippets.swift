import Foundation
import LoopbackServer
import Synchronization
import Tango
import Testing

@testable import TestSupport

/// The code of "Moving from google/promises", sent to a server.
@Suite(.timeLimit(.minutes(20))) struct MovingFromGooglePromisesSnippets {
    struct Contact: Codable, Sendable { let id: Int, name: String }

    struct AddressBook: Sendable {
        let client: Client
        let cipher: Cipher

        func contact(_ id: Int) -> Promise<Contact> { client.get("/contacts/\(id)") }
        func avatar(of contact: Contact) -> Promise<Data> { client.get("/avatars/\(contact.id)") }

        func secret(_ text: String) -> Promise<String> {
            let (promise, resolver) = Promise<String>.pending()
            cipher.encrypt(text) { result in resolver.settle(result) }
            return promise
        }

        func contacts(_ ids: [Int]) -> Promise<[Contact]> {
            Promise.all(ids.map { id in contact(id) })
        }

        func known(_ ids: [Int]) -> Promise<[Contact]> {
            Promise.allSettled(ids.map { id in contact(id) })
                .map { results in results.compactMap { try? $0.get() } }
        }

        func reliable(_ id: Int) -> Promise<Contact> {
            Promise.retry(4, backoff: .constant(.milliseconds(10)), if: RequestError.isRetryable) { attempt in
                contact(id)
            }
            .validate { contact in !contact.name.isEmpty }
            .timeout(.seconds(30))
        }
    }

    @MainActor final class ContactModel {
        let book: AddressBook
        var title = ""
        var picture: Data?
        var isBusy = false
        init(_ book: AddressBook) { self.book = book }

        func load(_ id: Int) {
            isBusy = true
            book.reliable(id)
                .tap(on: .main) { contact in self.title = contact.name }
                .next { [book] contact in book.avatar(of: contact) }
                .recover { error in Data() }
                .next(on: .main) { picture in self.picture = picture }
                .catch(on: .main) { error in self.title = "\(error)" }
                .finally(on: .main) { self.isBusy = false }
        }
    }

    func name(_ id: Int, in book: AddressBook) async throws -> String {
        try await book.contact(id).value.name
    }

    /// An object with a callback, as old frameworks have them.
    struct Cipher: Sendable {
        func encrypt(_ text: String, _ completion: @escaping @Sendable (Result<String, any Error>) -> Void) {
            DispatchQueue.global().async { completion(.success(String(text.reversed()))) }
        }
    }

    private let server: LoopbackServer
    private let book: AddressBook

    init() throws {
        server = try LoopbackServer()
        server.answer("/contacts/1", with: .json(#"{"id": 1, "name": "Ada"}"#))
        server.answer("/contacts/2", with: .json(#"{"id": 2, "name": "Grace"}"#))
        server.answer("/contacts/3", with: .json(#"{"id": 3, "name": ""}"#))
        server.answer("/avatars/1", with: .text("png"))
        book = AddressBook(client: Client(baseURL: server.url), cipher: Cipher())
    }

    @Test func combined() async throws {
        #expect(try await book.contacts([2, 1]).value.map(\.name) == ["Grace", "Ada"])
        #expect(try await book.known([1, 404, 2]).value.map(\.id) == [1, 2])
        await #expect(throws: RequestError.self) { try await book.contacts([1, 404]).value }
        #expect(try await book.secret("abc").value == "cba")
        #expect(try await name(1, in: book) == "Ada")
        server.stop()
    }

    @Test func retried() async throws {
        server.enqueue(.status(503), .status(503), .json(#"{"id": 1, "name": "Ada"}"#))
        #expect(try await book.reliable(1).value.name == "Ada")
        #expect(server.requestCount == 3)
        await #expect(throws: PromiseError.invalid) { try await book.reliable(3).value }
        await #expect(throws: RequestError.self) { try await book.reliable(404).value }
        #expect(server.requestCount == 5)
        server.stop()
    }

    @Test @MainActor func model() async throws {
        let model = ContactModel(book)
        model.load(1)
        while model.isBusy { await Task.yield() }
        #expect(model.title == "Ada")
        #expect(model.picture == Data("png".utf8))
        model.load(2)
        while model.isBusy { await Task.yield() }
        #expect(model.title == "Grace")
        #expect(model.picture == Data())
        server.stop()
    }
}
