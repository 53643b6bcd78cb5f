/// The name and the password of a user. No description shows them.
struct UserPassword: Sendable, DescribedOnly {
    let user: String
    let password: String

    var description: String { "a user with a password" }

    /// The value of `Authorization` for `Basic` (RFC 7617).
    var basic: String { "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())" }

    /// The secret texts, in the forms in which requests carry them.
    var secrets: [String] { [password, "\(user):\(password)"] }

    /// The reason why they cannot be sent, and what to change; nil if they can.
    var problem: String? {
        if user.utf8.contains(UInt8(ascii: ":")) {
            return "the name of the user has a colon, where the password would begin: use a name without one"
        }
        guard !"\(user)\(password)".utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
            return "the user or the password has a line break or another control character: remove it"
        }
        return nil
    }
}

/// Credentials that do not change until the user signs out, with an identity of their own.
struct FixedCredentials<Value: Sendable>: Sendable {
    private(set) var value: Value?
    /// A random text. Cached responses of one authenticator are therefore served to no other.
    private(set) var identity = UUID().uuidString

    init(_ value: Value) {
        self.value = value
    }

    /// Forgets the credentials, and returns them, so that they are released outside of a lock.
    mutating func forget() -> Value? {
        identity = UUID().uuidString
        defer { value = nil }
        return value
    }
}
