/// The conditions and imports of source files as one of Apple's platforms evaluates them.
///
/// `os(…)` and `canImport(…)` become `true` or `false`, because the compiler would evaluate them for Linux. The rest of a
/// condition, all other lines, and their numbers stay.
struct Conditions {
    /// The platform, as `os(…)` names it.
    let platform: String
    /// The modules of the platform, each with the name of the module that declares it here.
    let present: [String: String]
    /// The modules that the platform lacks: of Apple's, and of the package.
    let absent: Set<String>
    /// The traits of the package, which are conditions too. None is enabled, so the compiler takes them for false.
    var traits: Set<String> = []

    static let systems: Set = [
        "macOS", "iOS", "tvOS", "watchOS", "visionOS", "Linux", "Windows", "Android", "FreeBSD", "OpenBSD", "WASI",
    ]

    /// The words of conditions besides `os(…)` and `canImport(…)`.
    static let words: Set = ["if", "elseif", "true", "false", "DEBUG"]

    /// The modules of the toolchain that are the same on all platforms.
    static let common: Set = ["Swift", "Synchronization", "Observation", "RegexBuilder", "_Concurrency"]

    /// The modules that only other platforms have.
    static let foreign: Set = [
        "Glibc", "Musl", "Android", "Bionic", "WinSDK", "CRT", "ucrt", "WASILibc", "FoundationEssentials",
        "FoundationInternationalization", "FoundationNetworking", "FoundationXML",
    ]

    /// Returns a text with its conditions evaluated, and with its imports redirected unless it declares Apple's modules itself.
    func rewrite(_ text: String, of file: String, imports: Bool = true) throws -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for index in lines.indices {
            let line = lines[index].drop { $0 == " " || $0 == "\t" }
            if line.hasPrefix("#if") || line.hasPrefix("#elseif") {
                lines[index] = Substring(try condition(lines[index], at: "\(file):\(index + 1)"))
            } else if imports, line.contains("import ") {
                lines[index] = Substring(imported(lines[index]))
            }
        }
        return lines.joined(separator: "\n")
    }

    private func condition(_ line: Substring, at place: String) throws -> String {
        var result = ""
        var rest = line
        while let match = rest.firstMatch(of: /\b(os|canImport)\(\s*(\w+)[^)]*\)/) {
            result += rest[..<match.range.lowerBound]
            let name = String(match.2)
            result += String(match.1 == "os" ? try isCurrent(name, place) : try canImport(name, place))
            rest = rest[match.range.upperBound...]
        }
        result += rest
        // The compiler takes an unknown name for false, so a misspelled trait would remove code without a word.
        for match in result.matches(of: /[A-Za-z_]\w*/) {
            let name = String(match.0)
            if Self.words.contains(name) || traits.contains(name) { continue }
            throw Failure("\(place): error: \(name) is no trait of Package.swift. Correct it, or add it there.")
        }
        return result
    }

    private func isCurrent(_ system: String, _ place: String) throws -> Bool {
        guard Self.systems.contains(system) else {
            throw Failure("\(place): error: .ci/apple does not know os(\(system)): add it to Conditions.swift")
        }
        return system == platform
    }

    private func canImport(_ module: String, _ place: String) throws -> Bool {
        if present[module] != nil || Self.common.contains(module) { return true }
        if absent.contains(module) || Self.foreign.contains(module) { return false }
        throw Failure(
            """
            \(place): error: .ci/apple does not know whether \(platform) has \(module): declare what is used of it in \
            Tests/AppleShapes/\(module), or name it in Conditions.swift
            """)
    }

    /// Redirects an import to the module that declares one of Apple's, or to none if only other platforms have it.
    private func imported(_ line: Substring) -> String {
        let pattern =
            /^(\s*(?:@\w+(?:\(\w+\))? +|(?:public|package|internal|fileprivate|private) +)*import +(?:(?:typealias|struct|class|enum|protocol|let|var|func) +)?)(\w+)(.*)$/
        guard let match = line.firstMatch(of: pattern) else { return String(line) }
        let module = String(match.2)
        if let other = present[module] { return match.1 + other + match.3 }
        guard Self.foreign.contains(module) else { return String(line) }
        return "\(match.1)\(module)_is_not_on_Apple_platforms\(match.3)"
    }
}
