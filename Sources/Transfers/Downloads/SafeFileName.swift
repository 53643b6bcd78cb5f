/// The name of a file in a folder, made of a text that a server has sent.
///
/// It names a file directly in the folder, which is not hidden, and has at most 200 bytes.
enum SafeFileName {
    private static let limit = 200

    /// Returns a safe name; nil if nothing is left of the text.
    ///
    /// Only the part after the last separator counts. Control characters, and those that reverse the direction of text,
    /// are left out. So are dots and blanks at both ends.
    static func make(_ text: String) -> String? {
        let last = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? []
        var name = String.UnicodeScalarView()
        for scalar in last where !isUnsafe(scalar) { name.append(scalar) }
        var rest = name[...]
        while let first = rest.first, isEdge(first) { rest.removeFirst() }
        rest = shortened(rest)
        while let last = rest.last, isEdge(last) { rest.removeLast() }
        return rest.isEmpty ? nil : String(rest)
    }

    /// Returns the name of a download: that of the server, or else of the URL, or else `download`.
    static func of(_ headers: Headers, path: String) -> String {
        let fields = headers.all("Content-Disposition")
        let announced = fields.first.flatMap { ContentDisposition($0).name }.flatMap(make)
        return announced ?? make(path) ?? "download"
    }

    /// Returns a name with a number before its extension: `film 2.mp4`.
    static func numbered(_ name: String, _ number: Int) -> String {
        guard number > 1 else { return name }
        let (stem, ending) = split(name.unicodeScalars[...])
        return "\(String(stem)) \(number)\(String(ending))"
    }

    /// The error of a folder in which a name and those with a number are taken.
    static func allTaken(_ name: String) -> RequestError {
        RequestError(
            .badDestination, phase: .receive,
            detail: "10000 files in the folder have the name \(name.debugDescription): remove some of them")
    }

    private static func split(
        _ name: Substring.UnicodeScalarView
    ) -> (stem: Substring.UnicodeScalarView, ending: Substring.UnicodeScalarView) {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex, name[dot...].utf8Count <= 20 else {
            return (name, name[name.endIndex...])
        }
        return (name[..<dot], name[dot...])
    }

    /// Shortens the part before the extension.
    private static func shortened(_ name: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        guard name.utf8Count > limit else { return name }
        var (stem, ending) = split(name)
        let room = limit - ending.utf8Count
        var count = stem.utf8Count
        while count > room, let last = stem.popLast() { count -= UTF8.width(last) }
        return (String(stem) + String(ending)).unicodeScalars[...]
    }

    private static func isEdge(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "." || scalar.properties.isWhitespace
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: scalar == ":"
        }
    }
}

extension Substring.UnicodeScalarView {
    fileprivate var utf8Count: Int { reduce(0) { $0 + UTF8.width($1) } }
}
