/// A language for messages to the user, as a tag such as `en`, `zh-Hans` or `pt-BR`.
public struct UserLanguage: RawRepresentable, Hashable, Sendable {
    /// The tag with hyphens: `zh_CN.UTF-8` is `zh-CN`.
    public let rawValue: String

    public init(rawValue: String) {
        let name = rawValue.prefix { $0 != "." && $0 != "@" }
        self.rawValue = String(name.map { $0 == "_" ? "-" : $0 })
    }

    public static let english = UserLanguage(rawValue: "en")
    public static let simplifiedChinese = UserLanguage(rawValue: "zh-Hans")

    /// The languages that the user prefers, best first. They come from the settings of the system. If there are none,
    /// they come from the environment (`LC_ALL`, `LC_MESSAGES`, `LANG`, preceded by `LANGUAGE`).
    public static var preferred: [UserLanguage] {
        #if canImport(Darwin)
            Locale.preferredLanguages.map(UserLanguage.init(rawValue:))
        #else
            preferred(in: ProcessInfo.processInfo.environment)
        #endif
    }

    static func preferred(in environment: [String: String]) -> [UserLanguage] {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let locale = (value("LC_ALL") ?? value("LC_MESSAGES") ?? value("LANG")).map(UserLanguage.init(rawValue:)),
            locale.rawValue != "C", locale.rawValue != "POSIX"
        else { return [] }
        let list = value("LANGUAGE")?.split(separator: ":").map { UserLanguage(rawValue: String($0)) } ?? []
        return list + [locale]
    }

    /// The tags for looking up a table, the closest first: `de-CH`, `de`.
    var fallbacks: [UserLanguage] {
        let parts = rawValue.split(separator: "-")
        var tags = (1...max(parts.count, 1)).reversed().map { parts.prefix($0).joined(separator: "-") }
        if parts.first?.lowercased() == "zh", !isTraditionalChinese { tags.append("zh-Hans") }
        return tags.map(UserLanguage.init(rawValue:))
    }

    private var isTraditionalChinese: Bool {
        rawValue.split(separator: "-").contains { ["hant", "tw", "hk", "mo"].contains($0.lowercased()) }
    }

    public static func == (one: UserLanguage, other: UserLanguage) -> Bool {
        one.rawValue.isSameField(as: other.rawValue)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte.lowercasedASCII) }
    }
}

extension UserLanguage: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    public var description: String { rawValue }
}
