/// The setting of a client that decides about cookies: `Client.Configuration.cookies`.
///
/// ```swift
/// let api = Client(baseURL: url) { $0.cookies = .jar }
/// ```
public struct Cookies: Sendable {
    enum Storage: Sendable {
        case off
        case jar(CookieJar)
        case custom(any CookieStorage)
    }

    let storage: Storage

    /// Cookies are neither stored nor sent. `Set-Cookie` and `Cookie` are ordinary fields.
    public static let off = Cookies(storage: .off)

    /// A new jar in memory. Clients that are derived by `Client.with(_:)` share it.
    public static var jar: Cookies { .jar(CookieJar()) }

    /// A jar, which clients can share.
    public static func jar(_ jar: CookieJar) -> Cookies { Cookies(storage: .jar(jar)) }

    /// A storage of the application.
    public static func custom(_ storage: any CookieStorage) -> Cookies { Cookies(storage: .custom(storage)) }

    /// The jar; nil if there is none.
    public var jar: CookieJar? {
        if case .jar(let jar) = storage { jar } else { nil }
    }

    /// A text for the user that the cookies belong to: ``CookieJar/identity``, or that of the custom storage.
    public var identity: String? { storage.user }
}

extension Cookies.Storage {
    var user: String? {
        switch self {
        case .off: nil
        case .jar(let jar): jar.identity
        case .custom(let storage): storage.identity
        }
    }
}

extension Client.Configuration {
    /// The cookies that servers set, and that requests are sent with: ``Cookies/off`` by default.
    ///
    /// Cookies go to the hosts that they were set for, and not by `trustedOrigins`.
    public var cookies: Cookies {
        get { features[Cookies.self] ?? .off }
        set {
            if case .off = newValue.storage { features[Cookies.self] = nil } else { features[Cookies.self] = newValue }
        }
    }
}

extension Cookies: ClientFeature {
    /// Cookies are added above the HTTP cache, so that `Vary: Cookie` sees them. They are stored directly above the transport,
    /// so that each attempt sets its own and a cached response sets none.
    package func stages(in client: FeatureContext) -> [PlacedStage] {
        jar?.adopt(client.time)
        let stage = CookieStage(self, baseURL: client.baseURL, time: client.time)
        return [PlacedStage(stage, .aboveCache), PlacedStage(CookieRecorder(stage: stage), .aboveTransport)]
    }

    package var user: FeatureUser { identity == nil ? .none : .named { [storage] in storage.user } }

    package func leave() { jar?.removeAll() }

    /// Returns once the cookies have left their file. Those of a jar have left the memory before.
    package func signOut(_ user: ClientUser) async throws {
        switch storage {
        case .off: break
        case .jar(let jar):
            try await jar.save()
            try jar.writer?.file.removeDamaged()
        case .custom(let storage): try await storage.removeAll()
        }
    }

    package func finish() async { await jar?.writer?.finish() }

    package var setting: String? { "cookies: \(self)" }
}

extension Cookies: CustomStringConvertible {
    public var description: String {
        switch storage {
        case .off: "off"
        case .jar(let jar): "\(jar)"
        case .custom(let storage): "\(type(of: storage))"
        }
    }
}

/// A storage of cookies beside ``CookieJar``, such as that of another library.
///
/// ```swift
/// struct Visitor: CookieStorage {
///     func cookieHeader(for url: URL, at date: Date) -> String? { "visitor=1" }
///     func store(_ fields: [String], from url: URL, at date: Date) {}
/// }
/// ```
///
/// The storage decides which host gets which cookie. Its functions run for any number of requests at once, also on the
/// threads that start requests, so they must not block.
public protocol CookieStorage: Sendable {
    /// Returns the value of the field `Cookie` for a URL; nil if no cookie is sent.
    func cookieHeader(for url: URL, at date: Date) -> String?

    /// Stores the cookies of a response: the values of its fields `Set-Cookie`, in order.
    func store(_ fields: [String], from url: URL, at date: Date)

    /// A text for the user that the cookies belong to, which no other user has; nil if there is none.
    var identity: String? { get }

    /// Removes the cookies of the user, who has signed out. Returns once they are gone. By default, it does nothing.
    func removeAll() async throws
}

extension CookieStorage {
    public var identity: String? { nil }

    public func removeAll() async throws {}
}
