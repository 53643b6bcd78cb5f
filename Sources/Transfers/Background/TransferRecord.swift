/// The state of a background transfer, which outlives the process.
///
/// It has digests of the URL and of the user, and neither of them, nor any header of the request. Of the response, it has
/// the fields that describe the body.
struct TransferRecord: Codable, Hashable, Sendable {
    static let version = 1
    /// The time for which the system goes on with a transfer, and a day more.
    static let longestTransfer = 8 * 86_400.0
    /// The time for which a result waits for the next call of its request.
    static let longestResult = 86_400.0

    /// The file that a download becomes.
    struct Goal: Codable, Hashable, Sendable {
        let target: StoredPath
        let isFolder: Bool
        let permissions: UInt16?
        let checksum: String?
        let limit: Int?
    }

    /// The head of the response.
    struct Head: Codable, Hashable, Sendable {
        let status: Int
        /// Names and values, in turn.
        let fields: [String]
        /// The safe name of the file.
        let name: String
        /// The number of bytes of the file, if the server has sent it.
        let total: Int?
    }

    /// A file that is complete.
    struct Content: Codable, Hashable, Sendable {
        let head: Head
        let facts: FileFacts
    }

    /// The effects so far. Each step is stored before the effect that follows it.
    enum Step: Codable, Hashable, Sendable {
        /// The system is told to begin.
        case started
        /// The file of the system is moved to the folder of the session.
        case arriving(Head)
        /// The file is in the folder of the session, and is verified.
        case arrived(Content)
        /// The verified file is moved to its destination.
        case placing(Content, path: StoredPath)
        /// The file is at its destination, or the body of an upload's response is in the folder of the session.
        case finished(Content, path: StoredPath?, date: Double)
    }

    var version = TransferRecord.version
    /// The name of the record, and the description of its task.
    let id: String
    /// The digest of the place that the transfer writes to. No two transfers have the same.
    let place: String
    /// The digest of the request and its user.
    let resource: String
    /// The digest of the user, whose sign-out removes the record; nil if the calls of the client have none.
    let owner: String?
    let created: Double
    /// Nil for an upload.
    let goal: Goal?
    var step = Step.started
}

/// The properties by which a file is recognised after it was renamed.
struct FileFacts: Codable, Hashable, Sendable {
    let count: Int
    /// The number of the file in its file system.
    let number: UInt64
}

/// A path that stays valid when the system moves the home folder of the application, as it does at an update.
struct StoredPath: Codable, Hashable, Sendable {
    let text: String

    init(_ path: String, home: String = URL.homeDirectory.path) {
        let home = home.hasSuffix("/") ? home : home + "/"
        text = home != "/" && path.utf8.starts(with: home.utf8) ? "~/" + path.dropFirst(home.count) : path
    }

    func path(home: String = URL.homeDirectory.path) -> String {
        guard text.utf8.starts(with: "~/".utf8) else { return text }
        return (home.hasSuffix("/") ? home : home + "/") + text.dropFirst(2)
    }
}

extension TransferRecord.Head {
    private static let kept = [
        "Content-Type", "Content-Disposition", "Content-Length", "ETag", "Last-Modified", "Date",
    ]

    /// - Parameter path: The path of the URL, whose last part names the file if the server does not.
    init(_ response: HTTPResponse, path: String) {
        status = response.status.code
        fields = response.headers.flatMap { name, value in
            Self.kept.contains { $0.isSameField(as: name) } ? [name, value] : []
        }
        name = SafeFileName.of(response.headers, path: path)
        // The length of an encoded body is not that of the file, and a part has another one than the whole.
        let isEncoded = response.headers.contains("Content-Encoding")
        total = isEncoded || response.status != .ok ? nil : response.headers.contentLength
    }

    /// The response, as far as it is stored.
    var response: HTTPResponse {
        var headers = Headers()
        for place in stride(from: 0, to: fields.count - 1, by: 2) {
            headers.append(name: fields[place], value: fields[place + 1])
        }
        return HTTPResponse(status: HTTPStatus(status), headers: headers)
    }

    var isSuccess: Bool { 200..<300 ~= status }
}
