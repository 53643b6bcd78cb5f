import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The server of a ``RedisStore`` and the store's settings.
///
/// ```swift
/// var configuration = try RedisConfiguration("redis://cache.internal:6379/0")
/// configuration.password = password
/// configuration.prefix = "shop"
/// ```
public struct RedisConfiguration: Sendable {
    /// The address of the server.
    enum Address: Hashable, Sendable {
        case host(String, port: Int)
        case socket(path: String)
    }

    let address: Address

    /// The name of an ACL user, or nil for the default user.
    public var username: String?

    /// The password. It appears in no description and no error.
    public var password: String?

    /// The number of the database.
    public var database: Int

    /// The first part of all key names. Stores with the same prefix and version share their entries.
    public var prefix = "tango"

    /// The version of the application's data. Stores of different versions share no entries.
    public var version = 0

    /// A secret of the fleet, or nil. With it, the server sees neither keys nor tags: names are enciphered so that equal
    /// prefixes stay equal, and removals by prefix and by tag still work. Use at least 16 random characters, and the same
    /// in each process. Bodies and metadata are stored as they are.
    public var keySecret: String?

    /// The longest time that an operation may take. A slower server counts as unreachable.
    public var budget = Duration.milliseconds(100)

    /// The number of connections for commands. They are shared by all operations.
    public var connections = 2

    /// The longest time that the server holds an unpinned entry. Every unpinned entry has an expiry on the server, so
    /// that a server with a `volatile-*` policy never evicts pinned ones.
    public var timeToLive = Duration.seconds(30 * 86_400)

    /// The time for which a removed or replaced large body stays readable for readers that have begun.
    public var readerGrace = Duration.seconds(60)

    /// Bodies with more bytes are stored in chunks of this size.
    public var chunkSize = 128 << 10

    /// Creates the configuration of a server, such as `redis://host:6379/0` or `unix:///run/redis.sock`.
    ///
    /// The URL may contain a user and a password. `rediss`, that is TLS, is refused: use a tunnel or a private network.
    public init(_ url: String) throws {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased() else {
            throw CacheError(.invalid, "The address is not a URL. Use redis://host:6379/0 or unix:///run/redis.sock.")
        }
        username = parts.user.flatMap { $0.isEmpty ? nil : $0 }
        password = parts.password
        switch scheme {
        case "redis":
            guard let host = parts.host, !host.isEmpty else {
                throw CacheError(.invalid, "The address has no host. Use redis://host:6379/0.")
            }
            let name = parts.path.drop { $0 == "/" }
            guard let number = name.isEmpty ? 0 : Int(name), number >= 0 else {
                throw CacheError(.invalid, "The path of the address is not a database. Use a number, as in /0.")
            }
            address = .host(host, port: parts.port ?? 6_379)
            database = number
        case "unix":
            guard !parts.path.isEmpty, parts.path.utf8.count < 100 else {
                throw CacheError(.invalid, "The path of the socket is empty or has over 99 bytes. Use a shorter path.")
            }
            address = .socket(path: parts.path)
            database = 0
        case "rediss":
            throw CacheError(
                .invalid, "TLS is not supported. Connect through a tunnel such as stunnel, or on a private network.")
        default:
            throw CacheError(.invalid, "The scheme \(scheme) is unknown. Use redis://host:6379/0.")
        }
    }

    /// Throws if a setting is invalid.
    package func check() throws {
        if prefix.isEmpty || prefix.utf8.contains(0) {
            throw CacheError(.invalid, "The prefix is empty or has a zero. Use a name such as tango.")
        }
        if budget <= .zero { throw CacheError(.invalid, "The budget must be positive. Use at least a millisecond.") }
        if !(1...64).contains(connections) {
            throw CacheError(.invalid, "\(connections) connections are not possible. Use 1 to 64.")
        }
        if timeToLive < .seconds(1) { throw CacheError(.invalid, "timeToLive must be at least a second.") }
        if !(4_096...(16 << 20)).contains(chunkSize) {
            throw CacheError(.invalid, "A chunk must have 4 KB to 16 MB. Change chunkSize.")
        }
        if let keySecret, keySecret.utf8.count < 16 {
            throw CacheError(.invalid, "keySecret has fewer than 16 bytes. Use at least 16 random characters.")
        }
    }
}

extension RedisConfiguration: CustomStringConvertible, CustomReflectable {
    public var description: String {
        let place =
            switch address {
            case .host(let host, let port): "\(host):\(port)/\(database)"
            case .socket(let path): path
            }
        return "RedisConfiguration(\(place), prefix \(prefix), version \(version))"
    }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
