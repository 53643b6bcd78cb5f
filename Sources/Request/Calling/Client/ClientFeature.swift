import Synchronization

/// A feature of a client, such as its cookies: a unit that says in one place all that it adds.
///
/// A configuration has features in its bag ``Client/Configuration/features``, one of each type. The module of a feature
/// extends `Client.Configuration` with a property, which reads and sets it there. A client without the feature does not
/// pay for it. By default, a feature does nothing.
package protocol ClientFeature: Sendable {
    /// Returns the stages that requests pass, each with its place. It is called once for each client. The marks of these stages
    /// are part of the key of a shared transfer: see ``Stage/mark(of:for:)``.
    func stages(in client: FeatureContext) -> [PlacedStage]

    /// Makes the object that measures the calls of a client; nil for none. The first feature that has one measures.
    func meter() -> (any CallMeter)?

    /// The user that the feature has something of. It determines the identity of a client without an
    /// identity of its own.
    var user: FeatureUser { get }

    /// Returns the present name of a user who may have had another one, because the feature did not know the user yet.
    func presentName(of name: String) -> String

    /// The secrets that the feature has, and those that it gets later. Descriptions, logs and errors of the client redact them.
    var secrets: Set<KnownSecrets> { get }

    /// Returns users of other clients whose session ends with one of this client's, although their configuration names them.
    func usersElsewhere() -> [ClientUser]

    /// Ends the session of a client's user at its server, before anything of the user is removed.
    func endSession(of client: Client) async throws

    /// Forgets at once what no request of the next user may have. A user is signed out.
    func leave()

    /// Removes everything of a user who has signed out, and returns once it is gone. ``leave()`` was called before.
    func signOut(_ user: ClientUser) async throws

    /// Returns once everything is written. The client is shut down.
    func finish() async

    /// A line for the description of the configuration, such as `cookies: off`, without secrets; nil for none.
    var setting: String? { get }
}

extension ClientFeature {
    package func stages(in client: FeatureContext) -> [PlacedStage] { [] }
    package func meter() -> (any CallMeter)? { nil }
    package var user: FeatureUser { .none }
    package func presentName(of name: String) -> String { name }
    package var secrets: Set<KnownSecrets> { [] }
    package func usersElsewhere() -> [ClientUser] { [] }
    package func endSession(of client: Client) async throws {}
    package func leave() {}
    package func signOut(_ user: ClientUser) async throws {}
    package func finish() async {}
    package var setting: String? { nil }
}

/// The values of a client that its features use.
package struct FeatureContext: Sendable {
    package let baseURL: URL?
    package let originRule: OriginRule
    package let time: WallTime
}

/// The user of a feature.
package enum FeatureUser: Sendable {
    /// The feature has nothing of a user.
    case none
    /// The feature has data of a user, such as cookies. The function returns the name at this moment; nil if there is none.
    case named(@Sendable () -> String?)
    /// The feature has the credentials of the user, which come before data, also without a name.
    case signedIn(@Sendable () -> String?)
}

/// A stage of a feature, with its place in the pipeline.
package struct PlacedStage: Sendable {
    let stage: any Stage
    let place: Place

    package enum Place: Sendable {
        /// Above the HTTP cache: for a stage that changes what is looked up, or that sends a request again as another one.
        case aboveCache
        /// Below the HTTP cache: for a stage that concerns requests which are sent.
        case belowCache
        /// Directly above the transport: for a stage that reads the response of each attempt.
        case aboveTransport
    }

    package init(_ stage: any Stage, _ place: Place) {
        self.stage = stage
        self.place = place
    }
}

/// The features of a client, one of each type, in the order in which they were set.
package struct Features: Sendable {
    package private(set) var all: [any ClientFeature] = []

    package subscript<Feature: ClientFeature>(type: Feature.Type) -> Feature? {
        get {
            for case let feature as Feature in all { return feature }
            return nil
        }
        set {
            all.removeAll { $0 is Feature }
            if let newValue { all.append(newValue) }
        }
    }

    /// The features that requests have brought to all clients, and the digests of the users who have signed out.
    private static let shared = Mutex((brought: [any ClientFeature](), signedOut: Set<String>()))

    /// Notes that a user signs out, and returns the features that requests have brought to all clients.
    static func brought(toTheSignOutOf identity: Identity) -> [any ClientFeature] {
        shared.withLock { shared in
            if let user = identity.digest { shared.signedOut.insert(user) }
            return shared.brought
        }
    }

    /// Lets a feature take part in the sign-outs of all clients, because a request has brought it, such as a download.
    ///
    /// - Returns: The digests of the users who have signed out before; nil if the feature took part already.
    package static func bring<Feature: ClientFeature>(_ feature: Feature) -> Set<String>? {
        shared.withLock { shared in
            if shared.brought.contains(where: { $0 is Feature }) { return nil }
            shared.brought.append(feature)
            return shared.signedOut
        }
    }

    /// Returns the name of the user of the first feature that has one; nil if no feature has any.
    var user: (@Sendable () -> String?)? {
        var found: (@Sendable () -> String?)?
        for feature in all {
            switch feature.user {
            case .none: continue
            case .signedIn(let name): return name
            case .named(let name): found = found ?? name
            }
        }
        return found
    }

    func presentName(of name: String) -> String { all.reduce(name) { $1.presentName(of: $0) } }

    var secrets: Set<KnownSecrets> { all.reduce(into: []) { $0.formUnion($1.secrets) } }

    func meter() -> (any CallMeter)? {
        for feature in all {
            if let meter = feature.meter() { return meter }
        }
        return nil
    }

    /// Returns the stages of all features.
    func stages(in client: FeatureContext) -> [PlacedStage] { all.flatMap { $0.stages(in: client) } }
}
