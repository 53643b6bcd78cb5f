extension HTTPRequest {
    /// The `curl` command that sends the request, for a shell. Secrets are replaced by an ellipsis.
    public var curlCommand: String { curlCommand(showingSecrets: false) }

    /// Returns the `curl` command that sends the request, for a shell.
    ///
    /// ```text
    /// curl --compressed \
    ///   --header 'Content-Type: application/json' \
    ///   --data-raw '{"title":"Hello"}' \
    ///   'https://api.example.com/posts'
    /// ```
    ///
    /// A binary body, and a text of more than 100,000 bytes, is passed through standard input by `printf`, because the length of
    /// an argument is limited. A file is read by curl. A body that is a stream is not part of the command, which then reads it
    /// from standard input.
    ///
    /// - Parameter showingSecrets: A Boolean value that indicates whether the command contains credentials. Do not write
    ///   such a command to a log.
    public func curlCommand(showingSecrets: Bool) -> String {
        let redaction = redaction.knowing(self)
        var prefix = ""
        var options = ["curl --compressed"]
        // Such a method has no empty body: see ``Body/data(_:contentType:)``.
        let isUpload = !body.isNone && !(body.isNoBytes && [.get, .head, .trace].contains(method))
        if method == .head {
            options.append("--head")
        } else if method != (isUpload ? .post : .get) {
            options.append("--request \(Self.quoted(method.rawValue))")
        }
        // The command has the bytes before they were compressed, because a text can be read and redacted.
        let omitsCoding = body.coding != nil && body.isLegible
        for (name, value) in headers where !(omitsCoding && name.isSameField(as: "Content-Encoding")) {
            let value = showingSecrets ? value : redaction.redact(value, ofHeader: name)
            // A name with a semicolon is sent with an empty value. Without a value, curl omits the header.
            options.append("--header \(Self.quoted(value.isEmpty ? "\(name);" : "\(name): \(value)"))")
        }
        if !isUpload, method == .post || method == .put || method == .patch, headers["Content-Length"] == nil {
            // As transports send it. Without data, curl leaves it out.
            options.append("--header 'Content-Length: 0'")
        }
        if url.path(percentEncoded: true).hasDots { options.append("--path-as-is") }
        if isUpload, headers["Content-Type"] == nil {
            options.append("--header \(Self.quoted("Content-Type:\(body.contentType.map { " \($0)" } ?? "")"))")
        }
        switch body.legible {
        case _ where !isUpload, .none: break
        case .data(let data):
            let type = headers["Content-Type"] ?? body.contentType
            if let text = BodyText.of(data, nil), Data(text.utf8) == data {
                let shown = showingSecrets ? text : redaction.text(of: data, contentType: type) ?? Redaction.ellipsis
                if shown.utf8.count <= Self.longestArgument {
                    options.append("--data-raw \(Self.quoted(shown))")
                } else {
                    prefix = "printf '%s' \(Self.quoted(shown)) | "
                    options.append("--data-binary @-")
                }
            } else if showingSecrets || redaction.text(of: data, contentType: type) == nil {
                prefix = "printf '\(Self.octal(data))' | "
                options.append("--data-binary @-")
            }
        case .file(let url): options.append("--data-binary \(Self.quoted("@\(url.path)"))")
        case .stream: options.append("--data-binary @-")
        }
        options.append(Self.quoted(showingSecrets ? url.absoluteString : redaction.redact(url)))
        return prefix + options.joined(separator: " \\\n  ")
    }

    /// The highest number of bytes of a body in an argument. Linux allows 128 KiB.
    private static let longestArgument = 100_000

    /// Returns a text as one word of a shell.
    private static func quoted(_ text: String) -> String {
        "'\(text.escaping(["'": "'\\''"]))'"
    }

    /// Returns bytes as the format of `printf`.
    private static func octal(_ data: Data) -> String {
        data.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }.joined()
    }
}

extension String {
    /// A Boolean value that indicates whether a path has a segment `.` or `..`, which curl would resolve.
    fileprivate var hasDots: Bool {
        lowercased().split(separator: "/").contains { segment in
            let dots = segment.split(separator: "%2e", omittingEmptySubsequences: false).joined(separator: ".")
            return dots == "." || dots == ".."
        }
    }
}
