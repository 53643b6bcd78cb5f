/// A form of texts and files: `multipart/form-data` (RFC 7578).
///
/// ```swift
/// var form = Multipart()
/// form.append("Ada", named: "name")
/// form.append(Data("{}".utf8), named: "details", type: .json)
/// form.append(file: picture, named: "picture")
///
/// let short: Multipart = [.text("Ada", named: "name"), .file(picture, named: "picture", type: "image/heic")]
/// ```
///
/// Files are read in small portions while they are sent, so memory use does not grow with the size of a file. They are
/// read again for every attempt. If a file is missing, cannot be read, or changes its length during the transfer, the
/// request fails. So a server never takes half a body for a whole one. The length of the body is known before it is
/// sent.
///
/// Names may contain any characters. Quotation marks and line breaks in them are encoded as browsers do.
public struct Multipart: Sendable {
    /// The parts, in order.
    public var parts: [Part]

    /// The text that separates the parts. It is random, so that no part contains it.
    public let boundary: String

    /// Creates a form from parts.
    public init(parts: [Part] = []) {
        self.parts = parts
        let random = String(UInt128.random(in: .min ... .max), radix: 16)
        boundary = "tango-" + String(repeating: "0", count: 32 - random.utf8.count) + random
    }

    /// Creates a form with your own boundary, for tests and for servers that require a certain one.
    ///
    /// - Throws: An error unless the boundary has 1 to 70 letters, digits, `-`, `_`, `.` and others
    ///   of RFC 2046, 5.1.1.
    public init(boundary: String, parts: [Part] = []) throws {
        let isValid = boundary.utf8.allSatisfy { $0.isLetter || $0.isDigit || "'()+_,-./:=? ".utf8.contains($0) }
        guard isValid, 1...70 ~= boundary.utf8.count, boundary.utf8.last != UInt8(ascii: " ") else {
            throw RequestEncodingError(
                .badHeader,
                "\(boundary.debugDescription) is not a boundary: use 1 to 70 letters, digits and hyphens")
        }
        self.parts = parts
        self.boundary = boundary
    }

    /// A Boolean value that indicates whether a part is a file.
    var hasFiles: Bool {
        parts.contains { part in
            if case .file = part.content { true } else { false }
        }
    }

    /// The type of the body, for its Content-Type header.
    public var contentType: MIMEType {
        MIMEType(valid: "multipart", "form-data").with("boundary", boundary)
    }

    /// Adds a text.
    public mutating func append(_ text: String, named name: String) {
        parts.append(.text(text, named: name))
    }

    /// Adds data. If no type is given, it is derived from the file name.
    public mutating func append(
        _ data: Data, named name: String, fileName: String? = nil, type: MIMEType? = nil
    ) {
        parts.append(.data(data, named: name, fileName: fileName, type: type))
    }

    /// Adds a file. By default, the file name is that of the URL, and the type is derived from the file name.
    public mutating func append(
        file: URL, named name: String, fileName: String? = nil, type: MIMEType? = nil
    ) {
        parts.append(.file(file, named: name, fileName: fileName, type: type))
    }

    /// Returns the whole body, for small forms.
    ///
    /// - Throws: An error for a file that cannot be read and for a malformed header.
    public func encoded() throws -> Data {
        var reader = try reader()
        return try reader.next(upTo: .max) ?? Data()
    }

    /// Returns a reader of the body, which starts at its beginning.
    ///
    /// - Throws: An error if a file is missing or not a regular file, or if a header is malformed.
    package func reader() throws -> MultipartReader {
        try MultipartReader(self)
    }
}

extension Multipart: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Part...) {
        self.init(parts: elements)
    }
}

extension Multipart: CustomStringConvertible {
    /// The number of parts, and their names.
    public var description: String {
        "form with \(parts.count) parts: \(parts.map(\.description).joined(separator: ", "))"
    }
}

extension Multipart.Part: CustomStringConvertible {
    /// The name, and those of the file and the type, without the content.
    public var description: String {
        name.debugDescription + (fileName.map { " from \($0.debugDescription)" } ?? "")
            + (type.map { " (\($0))" } ?? "")
    }
}
