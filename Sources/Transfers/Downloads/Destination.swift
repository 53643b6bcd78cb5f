/// The place of a downloaded file.
///
/// Until it is complete, the file has another name in the same folder, which begins with `.tango-`. The folder has to
/// exist.
public struct Destination: Hashable, Sendable {
    enum Place: Hashable, Sendable {
        case file(URL)
        case folder(URL)
        case undeclared
    }

    let place: Place
    /// The permissions of the file, such as `0o600`; nil for those that the process gives to its files.
    public var permissions: UInt16?

    /// A file with a name. If it exists, it is replaced in one step once the download is complete.
    public static func file(_ url: URL, permissions: UInt16? = nil) -> Destination {
        Destination(place: .file(url), permissions: permissions)
    }

    /// A file in a folder. Its name is that of the `Content-Disposition` of the response, or else of the URL.
    ///
    /// The name is made safe: it has no separators, no control characters, and no dots at its ends. If a file has it
    /// already, a number is added, as in `film 2.mp4`.
    public static func folder(_ url: URL, permissions: UInt16? = nil) -> Destination {
        Destination(place: .folder(url), permissions: permissions)
    }

    static let undeclared = Destination(place: .undeclared, permissions: nil)
}
