#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
/// Files are named here and read while they are sent, in small portions, so that a film takes no more memory than a
/// word. They are read anew for every attempt; one that is gone, cannot be read, or changes its length meanwhile makes
/// the request fail, rather than half a body look whole. The length of the body is known before it is sent.
///
/// Names may hold anything: quotation marks and line breaks in them are encoded as browsers do.
public struct Multipart: Sendable {
    /// The parts, in order.
    public var parts: [Part]

    /// The text that stands between the parts. It is random, and no part can be expected to hold it.
    public let boundary: String

    /// A form of parts.
    public init(parts: [Part] = []) {
        self.parts = parts
        let random = String(UInt128.random(in: .min ... .max), radix: 16)
        boundary = "tango-" + String(repeating: "0", count: 32 - random.utf8.count) + random
    }

    /// A form with a boundary of your own, for a server that wants a certain one, or a test.
    ///
    /// - Throws: A ``RequestEncodingError`` unless the boundary has 1 to 70 letters, digits, `-`, `_`, `.` and others
    ///   of RFC 2046, 5.1.1.
    public init(boundary: String, parts: [Part] = []) throws {
        let isValid = boundary.utf8.allSatisfy { $0.isLetter || $0.isDigit || "'()+_,-./:=? ".utf8.contains($0) }
        guard isValid, 1...70 ~= boundary.utf8.count, boundary.utf8.last != UInt8(ascii: " ") else {
            throw RequestEncodingError(
                .badHeader,
                "\(boundary.debugDescription) is no boundary: it has 1 to 70 letters, digits and some punctuation.")
        }
        self.parts = parts
        self.boundary = boundary
    }

    /// The type of the body, for its Content-Type header.
    public var contentType: MIMEType {
        MIMEType(valid: "multipart", "form-data").with("boundary", boundary)
    }

    /// Adds a text.
    public mutating func append(_ text: String, named name: String) {
        parts.append(.text(text, named: name))
    }

    /// Adds data, with the type that the name of its file has unless one is given.
    public mutating func append(
        _ data: Data, named name: String, fileName: String? = nil, type: MIMEType? = nil
    ) {
        parts.append(.data(data, named: name, fileName: fileName, type: type))
    }

    /// Adds a file, with its own name, and the type that this name has, unless others are given.
    public mutating func append(
        file: URL, named name: String, fileName: String? = nil, type: MIMEType? = nil
    ) {
        parts.append(.file(file, named: name, fileName: fileName, type: type))
    }

    /// The whole body, in memory, for forms that are small.
    ///
    /// - Throws: A ``RequestEncodingError`` for a file that cannot be read and for a malformed header.
    public func encoded() throws -> Data {
        var reader = try reader()
        return try reader.next(upTo: .max) ?? Data()
    }

    /// Reads the body from its beginning, in portions.
    ///
    /// - Throws: A ``RequestEncodingError`` for a file that is missing or is none, and for a malformed header.
    package func reader() throws -> MultipartReader {
        try MultipartReader(self)
    }
}

extension Multipart: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Part...) {
        self.init(parts: elements)
    }
}
