import Foundation
import Tango

/// One typed request, sent by a process that does nothing else. Its first argument is the URL.
struct Person: Decodable, Sendable {
    let id: Int
    let name: String
}

guard CommandLine.arguments.count == 2, let url = URL(string: CommandLine.arguments[1]) else { exit(2) }
let person = try await Client.get(url.absoluteString, as: Person.self).value
exit(person.id == 1 ? 0 : 1)
