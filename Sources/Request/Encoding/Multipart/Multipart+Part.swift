#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Multipart {
    /// A text, some data or a file in a form.
    public struct Part: Sendable {
        enum Content: Sendable {
            case data(Data)
            case file(URL)
        }

        /// The name of the field.
        public var name: String

        /// The name of the file that the server is told. With one, a server takes the part for a file.
        public var fileName: String?

        /// The type that the server is told, if any.
        public var type: MIMEType?

        /// Further headers. Their names are tokens, and no value has a line break: else, sending throws.
        public var headers: [(name: String, value: String)]

        let content: Content

        /// A text. It has no type, which means UTF-8 to all servers; some mistake a part that has one for a file.
        public static func text(
            _ text: String, named name: String, type: MIMEType? = nil, headers: [(name: String, value: String)] = []
        ) -> Part {
            Part(name: name, type: type, headers: headers, content: .data(Data(text.utf8)))
        }

        /// Data. With a name of a file, it has the type of this name unless another is given.
        public static func data(
            _ data: Data, named name: String, fileName: String? = nil, type: MIMEType? = nil,
            headers: [(name: String, value: String)] = []
        ) -> Part {
            let known = fileName.map { MIMEType(fileName: $0) ?? .octetStream }
            return Part(name: name, fileName: fileName, type: type ?? known, headers: headers, content: .data(data))
        }

        /// A file, which is read when the form is sent. Its own name, and the type that this name has, unless others
        /// are given; `application/octet-stream` for one that says nothing.
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
    /// The headers as they are sent, with the empty line that ends them.
    ///
    /// - Throws: A ``RequestEncodingError`` for a name or a value that would not stay one header.
    func head() throws -> String {
        var head = "Content-Disposition: form-data; name=\"\(Self.escaped(name))\""
        if let fileName { head += "; filename=\"\(Self.escaped(fileName))\"" }
        head += "\r\n"
        if let type {
            guard type.isValid else { throw malformed("the type \(type.description.debugDescription)") }
            head += "Content-Type: \(type)\r\n"
        }
        for header in headers {
            guard !header.name.isEmpty, header.name.utf8.allSatisfy(\.isTokenCharacter) else {
                throw malformed("the header name \(header.name.debugDescription)")
            }
            guard !["content-disposition", "content-type"].contains(header.name.lowercased()) else {
                throw malformed("a header \(header.name) of its own, which fileName and type are for")
            }
            guard header.value.utf8.allSatisfy(\.isQuotable) else {
                throw malformed("a control character in the value of the header \(header.name)")
            }
            head += "\(header.name): \(header.value)\r\n"
        }
        return head + "\r\n"
    }

    /// A name between quotation marks, as the HTML standard escapes it: `%22`, `%0D`, `%0A`, and other control
    /// characters alike. All else, `%` included, is sent as it is, in UTF-8.
    private static func escaped(_ name: String) -> String {
        let isSpecial = { (byte: UInt8) in byte < 0x20 || byte == 0x7f || byte == UInt8(ascii: "\"") }
        guard name.utf8.contains(where: isSpecial) else { return name }
        let bytes = name.utf8.flatMap { byte in
            isSpecial(byte) ? [UInt8(ascii: "%"), (byte >> 4).hexadecimalDigit, (byte & 15).hexadecimalDigit] : [byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func malformed(_ what: String) -> RequestEncodingError {
        RequestEncodingError(.badHeader, "The part named \(name.debugDescription) has \(what).")
    }
}
