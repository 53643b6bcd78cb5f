import CacheTool
import RedisStore
import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The argument of the tool that names a store on a server, such as `redis://user@host:6379/0?prefix=app`.
///
/// Secrets are not part of it, because other processes see the arguments of a process. No error repeats the argument.
struct RedisPlace {
    /// The environment variables and the files that secrets come from.
    struct Sources: Sendable {
        var variable: @Sendable (String) -> String?
        var file: @Sendable (String) throws -> Data
    }

    /// The environment variable of the password.
    static let password = "TANGO_REDIS_PASSWORD"
    /// The environment variable of `RedisConfiguration.keySecret`.
    static let keySecret = "TANGO_REDIS_KEY_SECRET"

    private static let names = ["prefix", "version", "password-file", "key-secret-file"]

    let configuration: RedisConfiguration

    /// Returns whether a text is an address and not a folder.
    static func isAddress(_ text: String) -> Bool {
        ["redis:", "rediss:", "unix:"].contains { text.lowercased().hasPrefix($0 + "//") }
    }

    init(_ text: String, _ sources: Sources) throws {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let address = String(parts[0])
        // Before anything else, so that a password that breaks the address is in no error.
        if let userInfo = Self.userInfo(of: address), userInfo.contains(":") {
            throw UsageError(
                "the address contains a password, which other processes can see: write redis://user@host, and put the "
                    + "password into the variable \(Self.password) or a file that ?password-file=PATH names.")
        }
        guard URLComponents(string: address) != nil else {
            throw UsageError("the address is not a URL: write redis://user@host:6379/0?prefix=app.")
        }
        var configuration = try Self.usage { try RedisConfiguration(address) }
        var files: [String: String] = [:]
        for (name, value) in try Self.query(parts.dropFirst().first) {
            switch name {
            case "prefix": configuration.prefix = value
            case "version":
                guard let version = Int(value) else { throw UsageError("version takes a number: ?version=3.") }
                configuration.version = version
            case _ where Self.names.contains(name): files[name] = value
            default:
                throw UsageError(
                    "the address has an unknown parameter: it takes \(Self.names.joined(separator: ", ")).")
            }
        }
        configuration.password = try Self.secret(files["password-file"], Self.password, sources)
        configuration.keySecret = try Self.secret(files["key-secret-file"], Self.keySecret, sources)
        // A person waits longer than a request.
        configuration.budget = .seconds(10)
        try Self.usage { try configuration.check() }
        self.configuration = configuration
    }

    /// Turns an invalid setting into an invalid call of the tool.
    private static func usage<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as CacheError where error.code == .invalid {
            throw UsageError(error.message)
        }
    }

    /// Returns the part before the `@` of an address.
    private static func userInfo(of address: String) -> Substring? {
        guard let start = address.firstRange(of: "//")?.upperBound else { return nil }
        // A password may have a slash that should be escaped, so the last `@` counts.
        guard let end = address[start...].lastIndex(of: "@") else { return nil }
        return address[start..<end]
    }

    private static func query(_ text: Substring?) throws -> [(name: String, value: String)] {
        guard let text, !text.isEmpty else { return [] }
        guard let items = URLComponents(string: "redis://host?" + text)?.queryItems else {
            throw UsageError("the parameters of the address are not those of a URL: write ?prefix=app&version=3.")
        }
        return try items.map { item in
            guard let value = item.value, !value.isEmpty else {
                throw UsageError("a parameter of the address has no value: write ?prefix=app.")
            }
            return (item.name, value)
        }
    }

    /// Returns a secret from a file or from the environment, or nil. The line break at the end of a file is not part of it.
    private static func secret(_ file: String?, _ variable: String, _ sources: Sources) throws -> String? {
        guard let file else { return sources.variable(variable).flatMap { $0.isEmpty ? nil : $0 } }
        let data: Data
        do {
            data = try sources.file(file)
        } catch {
            throw UsageError("the file \(file) cannot be read: check its path and its mode.")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw UsageError("the file \(file) is not text in UTF-8.")
        }
        let end = text.hasSuffix("\r\n") || text.hasSuffix("\n") ? text.index(before: text.endIndex) : text.endIndex
        return end == text.startIndex ? nil : String(text[..<end])
    }
}
