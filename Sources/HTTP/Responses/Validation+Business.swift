/// The refusal that a server reports in a body, although the status is a success.
public struct BusinessFailure: Hashable, Sendable {
    /// The server's code, as text.
    public var code: String?
    /// The text for the user, if the server sent one.
    public var message: String?

    public init(code: String? = nil, message: String? = nil) {
        self.code = code
        self.message = message
    }

    /// Creates a failure for a server whose codes are numbers.
    public init(code: Int, message: String? = nil) {
        self.init(code: String(code), message: message)
    }
}

extension Validation {
    /// Requires a code in the JSON body that means success; `0` and `"0"` are equal.
    ///
    /// If the code is another one or missing, the call fails with ``RequestError/Code/business`` and
    /// ``RequestError/businessCode``. The text at the path of the message becomes ``RequestError/message``. A response
    /// that never has a body passes: a response to `HEAD`, and one with status 204, 205 or 304.
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

    /// Checks the JSON body with a closure, which returns nil for success.
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

    /// Checks the response with a closure, which returns nil for success.
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
            .business, phase: .decode, detail: "the server refused the request \(words(for: failure.code))")
        error.businessCode = failure.code
        error.userMessage = failure.message
        throw error
    }

    /// Returns the code for an error message. A long or unusual code is not shown, because it may contain any data.
    private static func words(for code: String?) -> String {
        guard let code else { return "without a code" }
        let isPlain = code.utf8.count <= 32 && code.utf8.allSatisfy(\.isTokenCharacter)
        return isPlain ? "with the code \(code)" : "with a code that may contain any data: see businessCode"
    }
}
