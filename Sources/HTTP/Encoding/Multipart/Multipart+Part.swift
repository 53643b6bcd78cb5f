extension Multipart {
    /// A part of a form: text, data or a file.
    public struct Part: Sendable {
        enum Content: Sendable {
            case data(Data)
            case file(URL)
        }

        /// The name of the field.
        public var name: String

        /// The name of the file, as sent to the server. A server treats a part with a file name as a file.
        public var fileName: String?

        /// The type of the part, as sent to the server.
        public var type: MIMEType?

        /// Additional headers. Names must be tokens, and values must not contain line breaks. Otherwise, sending
        /// throws.
        public var headers: [(name: String, value: String)]

        let content: Content

        /// Creates a text part. By default it has no type, which means UTF-8 to all servers. Some servers treat a part
        /// with a type as a file.
        public static func text(
            _ text: String, named name: String, type: MIMEType? = nil, headers: [(name: String, value: String)] = []
        ) -> Part {
            Part(name: name, type: type, headers: headers, content: .data(Data(text.utf8)))
        }

        /// Creates a data part. If it has a file name and no type is given, the type is derived from the name.
        public static func data(
            _ data: Data, named name: String, fileName: String? = nil, type: MIMEType? = nil,
            headers: [(name: String, value: String)] = []
        ) -> Part {
            let known = fileName.map { MIMEType(fileName: $0) ?? .octetStream }
            return Part(name: name, fileName: fileName, type: type ?? known, headers: headers, content: .data(data))
        }

        /// Creates a part with a file, which is read when the form is sent.
        ///
        /// By default, the file name is that of the URL, and the type is derived from the file name. If the type is
        /// unknown, it is `application/octet-stream`.
        public static func file(
            _ file: URL, named name: String, fileName: String? = nil, type: MIMEType? = nil,
            headers: [(name: String, value: String)] = []
        ) -> Part {
            let fileName = fileName ?? file.lastPathComponent
            let known = MIMEType(fileName: fileName) ?? MIMEType(fileExtension: file.pathExtension) ?? .octetStream
            return Part(name: name, fileName: fileName, type: type ?? known, headers: headers, content: .file(file))
        }
    }
}

extension Multipart.Part {
    /// Returns the headers in the form in which they are sent, with the empty line at the end.
    ///
    /// - Throws: An error for an invalid name or value, such as one with a line break.
    func head() throws -> String {
        var head = "Content-Disposition: form-data; name=\"\(Self.escaped(name))\""
        if let fileName { head += "; filename=\"\(Self.escaped(fileName))\"" }
        head += "\r\n"
        if let type {
            guard type.isValid else {
                throw malformed("the invalid type \(type.description.debugDescription): write it as in text/plain")
            }
            head += "Content-Type: \(type)\r\n"
        }
        for header in headers {
            guard !header.name.isEmpty, header.name.utf8.allSatisfy(\.isTokenCharacter) else {
                throw malformed(
                    "the invalid header name \(header.name.debugDescription): use letters, digits and hyphens")
            }
            guard !["content-disposition", "content-type"].contains(header.name.lowercased()) else {
                throw malformed("a header \(header.name) of its own: set fileName and type instead")
            }
            guard header.value.utf8.allSatisfy(\.isQuotable) else {
                throw malformed("a control character in the value of the header \(header.name): remove it")
            }
            head += "\(header.name): \(header.value)\r\n"
        }
        return head + "\r\n"
    }

    /// Returns a name for use between quotation marks, escaped as the HTML standard requires: `%22`, `%0D`, `%0A`, and
    /// other control characters alike. All other characters, including `%`, are sent unchanged, in UTF-8.
    private static func escaped(_ name: String) -> String {
        let isSpecial = { (byte: UInt8) in byte < 0x20 || byte == 0x7f || byte == UInt8(ascii: "\"") }
        guard name.utf8.contains(where: isSpecial) else { return name }
        let bytes = name.utf8.flatMap { byte in
            isSpecial(byte) ? [UInt8(ascii: "%"), (byte >> 4).hexadecimalDigit, (byte & 15).hexadecimalDigit] : [byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func malformed(_ what: String) -> RequestEncodingError {
        RequestEncodingError(.badHeader, "the part named \(name.debugDescription) has \(what)")
    }
}
