/// A validator that names the exact bytes of a resource, so that the rest of them can be requested later.
struct ResumeValidator: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable {
        case entityTag
        case lastModified
    }

    let kind: Kind
    /// The text as the server sent it, for `If-Range`.
    let text: ExactString

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = ExactString(text)
    }

    /// Creates the validator of a response; nil if the response has none that is strong, or is encoded.
    ///
    /// ```text
    /// ETag "a"                                      the tag
    /// ETag W/"a", or none, with Last-Modified       the date, if it is at least 60 s older than Date
    /// Accept-Ranges: none                           nil
    /// Content-Encoding other than identity          nil: the bytes on the disk are not those of the server
    /// ```
    init?(_ headers: Headers, now: Double) {
        guard !headers.all("Accept-Ranges").contains(where: { Substring($0).withoutBlanks.lowercasedToken == "none" })
        else { return nil }
        guard headers.contentEncodings.isEmpty else { return nil }
        if let tag = headers["ETag"].flatMap({ EntityTag($0) }), tag.isQuoted, !tag.isWeak {
            self.init(.entityTag, tag.text)
            return
        }
        guard let text = headers["Last-Modified"], let modified = HTTPDate.parse(text, now: now),
            let date = headers["Date"].flatMap({ HTTPDate.parse($0, now: now) }), date - modified >= 60
        else { return nil }
        self.init(.lastModified, String(Substring(text).withoutBlanks))
    }

    /// Returns whether a response names another version of the resource. A response without validators does not.
    func isContradicted(by headers: Headers) -> Bool {
        switch kind {
        case .entityTag:
            guard let tag = headers["ETag"].flatMap({ EntityTag($0) }) else { return false }
            return !tag.text.hasSameBytes(as: text.text)
        case .lastModified:
            guard let date = headers["Last-Modified"] else { return false }
            return !Substring(date).withoutBlanks.utf8.elementsEqual(text.text.utf8)
        }
    }
}

extension EntityTag {
    /// A Boolean value that indicates whether the tag has its quotes, as `If-Range` requires.
    fileprivate var isQuoted: Bool {
        text.utf8.count >= 2 && text.utf8.first == UInt8(ascii: "\"") && text.utf8.last == UInt8(ascii: "\"")
    }
}
