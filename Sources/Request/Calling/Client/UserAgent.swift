/// The value of the header `User-Agent` (RFC 9110, 10.1.5).
enum UserAgent {
    /// The application, Tango and the system, such as `Shop/2.1 Tango/0.1.0 (Linux)`.
    static let standard = make(name: applicationName, version: applicationVersion, system: system)

    static func make(name: String, version: String?, system: String) -> String {
        let product = [name, version ?? ""].map(token).filter { !$0.isEmpty }.joined(separator: "/")
        let library = "Tango/\(LibraryVersion.text) (\(system))"
        return product.isEmpty ? library : "\(product) \(library)"
    }

    /// Returns headers with a user agent. One that the headers have already replaces it.
    static func added(_ userAgent: String?, to headers: Headers) -> Headers {
        guard let userAgent else { return headers }
        return ["User-Agent": userAgent] + headers
    }

    /// Returns a text in which a hyphen replaces all characters in a row that a product may not have.
    private static func token(_ text: String) -> String {
        text.utf8.split { !$0.isTokenCharacter }.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }
}
