extension StoredToken {
    /// The form of a token in files and in the keychain: JSON with the number of the form.
    private struct Form: Codable {
        var version: Int
        var stored: StoredToken
    }

    private static let version = 1

    /// Reads a token. Returns nil if the bytes are damaged, or have the form of a later version.
    init?(bytes: Data) {
        guard let form = try? JSONDecoder().decode(Form.self, from: bytes), form.version == Self.version else {
            return nil
        }
        self = form.stored
    }

    var bytes: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            do {
                return try encoder.encode(Form(version: Self.version, stored: self))
            } catch {
                // An infinite date.
                throw TokenStoreError(.system, "the token cannot be stored: check that its date of expiry is finite")
            }
        }
    }
}
