/// The digest that a downloaded file must have.
public struct Checksum: Hashable, Sendable {
    /// The digest in hexadecimal digits, in lower case.
    let hexadecimal: String

    /// A SHA-256, as 64 hexadecimal digits.
    public static func sha256(_ hexadecimal: String) -> Checksum {
        Checksum(hexadecimal: hexadecimal.lowercased())
    }

    /// The error of a text that is not a digest; nil if it is one.
    var problem: String? {
        let isDigest = hexadecimal.utf8.count == 64 && hexadecimal.utf8.allSatisfy { $0.hexadecimalValue != nil }
        return isDigest ? nil : "the checksum is not a SHA-256: write it as 64 hexadecimal digits"
    }
}

extension RequestError {
    static func checksumMismatch(
        _ digest: String, expected: String, _ request: HTTPRequest?, _ response: HTTPResponse
    ) -> RequestError {
        RequestError(
            .checksumMismatch, phase: .decode,
            detail: "the file has the SHA-256 \(digest), and \(expected) was expected: it was "
                + "removed, because it is damaged or another version",
            request: request, response: response)
    }
}
