/// The location of a certificate or a key: a file or memory. It may be PEM, also with text around it, or DER.
///
/// A file is read when a request first needs it, and again after it has changed.
public struct CertificateSource: Hashable, Sendable, DescribedOnly {
    enum Place: Hashable, Sendable {
        /// Paths are compared by their bytes, as file systems on Linux do.
        case file(ExactString)
        case memory(Data)
    }

    let place: Place

    @inline(never)
    public static func == (one: CertificateSource, other: CertificateSource) -> Bool { one.place == other.place }

    /// A file, by its URL.
    public static func file(_ url: URL) -> CertificateSource {
        // Any other URL has no path. Reading it fails.
        file(url.isFileURL ? url.path : url.absoluteString)
    }

    /// A file, by its path.
    public static func file(_ path: String) -> CertificateSource {
        CertificateSource(place: .file(ExactString(path)))
    }

    /// Bytes in memory, which may be PEM or DER.
    public static func data(_ data: Data) -> CertificateSource {
        CertificateSource(place: .memory(data))
    }

    /// PEM text in memory, such as a string literal.
    public static func pem(_ text: String) -> CertificateSource {
        CertificateSource(place: .memory(Data(text.utf8)))
    }

    /// The path, or the number of bytes in memory. Never the contents.
    public var description: String {
        switch place {
        case .file(let path): path.text
        case .memory(let data): "\(data.count) bytes in memory"
        }
    }

    /// Reads the bytes.
    package func read() throws(BadTrust) -> Data {
        switch place {
        case .memory(let data): return data
        case .file(let name):
            let path = name.text
            do {
                return try Data(contentsOf: URL(fileURLWithPath: path))
            } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
                throw BadTrust("there is no file \(path): check the path")
            } catch let error as CocoaError where error.code == .fileReadNoPermission {
                throw BadTrust("the file \(path) may not be read by this process: change its permissions")
            } catch {
                throw BadTrust("the file \(path) cannot be read: check that it is a regular file")
            }
        }
    }
}

/// A rule that cannot be enforced. The text says what is wrong and what to do.
package struct BadTrust: Error {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
