/// What a server says in a body when it refuses although the status is fine.
public struct BusinessFailure: Hashable, Sendable {
    /// The server's code, as text.
    public var code: String?
    /// What to tell the user, if the server says that.
    public var message: String?

    public init(code: String? = nil, message: String? = nil) {
        self.code = code
        self.message = message
    }

    /// The same for a server whose codes are numbers.
    public init(code: Int, message: String? = nil) {
        self.init(code: String(code), message: message)
    }
}

extension Validation {
    /// A code in a JSON body that must be one of those that mean success; `0` and `"0"` are the same one.
    ///
    /// Any other code, or none, is ``RequestError/Code/business`` with ``RequestError/businessCode``. The text at the
    /// path of the message is what ``RequestError/message`` tells the user. A response that has no body by its nature
    /// passes: to a `HEAD` request, and with 204, 205 or 304.
    public static func business(
        code path: JSONPath, success: Set<JSONValue>, message messagePath: JSONPath? = nil
    ) -> Validation {
        let expected = Set(success.compactMap(\.plainText))
        return business(JSONValue.self) { body in
            let code = body[path]?.plainText
            if let code, expected.contains(code) { return nil }
            return BusinessFailure(code: code, message: messagePath.flatMap { body[$0]?.string })
        }
    }

    /// A rule on the body as JSON: it returns nil for success.
    ///
    /// ```swift
    /// struct Envelope: Decodable {
    ///     let code: Int
    ///     let text: String?
    /// }
    /// let validation = Validation.business(Envelope.self) { envelope in
    ///     envelope.code == 0 ? nil : BusinessFailure(code: envelope.code, message: envelope.text)
    /// }
    /// ```
    public static func business<Envelope: Decodable & SendableMetatype>(
        _ type: Envelope.Type, _ find: @escaping @Sendable (Envelope) throws -> BusinessFailure?
    ) -> Validation {
        Validation { response, context in
            guard !response.isStreaming, !response.isBodiless else { return }
            let envelope = try response.decodeJSON(type, at: "", with: context.json.decoder)
            try refuse(find(envelope))
        }
    }

    /// A rule on the response: it returns nil for success.
    public static func business(
        _ find: @escaping @Sendable (HTTPResponse) throws -> BusinessFailure?
    ) -> Validation {
        Validation { response, _ in
            guard !response.isStreaming, !response.isBodiless else { return }
            try refuse(find(response))
        }
    }

    private static func refuse(_ failure: BusinessFailure?) throws {
        guard let failure else { return }
        var error = RequestError(
            .business, phase: .decode, detail: "the server refused with \(words(for: failure.code))")
        error.businessCode = failure.code
        error.userMessage = failure.message
        throw error
    }

    /// A code is short and plain; what is not may be anything, and is not shown.
    private static func words(for code: String?) -> String {
        guard let code else { return "no code" }
        let isPlain = code.utf8.count <= 32 && code.utf8.allSatisfy(\.isTokenCharacter)
        return isPlain ? "the code \(code)" : "a code that is no plain text"
    }
}
