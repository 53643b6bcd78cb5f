/// The parts of servers for which a client knows how to send its password, with their nonces and counters: a value.
///
/// It has at most ``limit`` spaces. The one that was not used for the longest time is removed first.
struct ProtectionSpaces {
    /// The place of a space: all paths of an origin that begin with a text.
    struct Place: Hashable {
        let origin: Origin
        let path: ExactString

        func contains(_ origin: Origin, _ path: String) -> Bool {
            self.origin == origin && path.utf8.starts(with: self.path.text.utf8)
        }
    }

    enum Scheme: Equatable {
        case basic
        case digest(DigestChallenge)
    }

    /// The values for one request.
    struct Turn: Equatable {
        let scheme: Scheme
        var count: UInt32 = 0
        var clientNonce = ""
    }

    private struct Space {
        let origin: Origin
        let realm: ExactString
        var places: Set<Place>
        var scheme: Scheme
        /// The number of requests with the current nonce.
        var count: UInt32 = 0
        /// The first client nonce for the current nonce, which is part of the key of a session.
        var sessionNonce: String?
        /// The counters of earlier nonces, which a server may send again.
        var earlier: [(nonce: ExactString, count: UInt32)] = []
        var lastUse = 0
    }

    static let limit = 64
    private static let earlierNonces = 16

    private var spaces: [Space] = []
    private var uses = 0

    var count: Int { spaces.count }

    /// Returns the values for a request; nil if its URL is in no space.
    mutating func turn(for url: URL, clientNonce: String) -> Turn? {
        index(for: url).map { next(in: $0, clientNonce: clientNonce) }
    }

    /// Returns the scheme of a request; nil if its URL is in no space.
    func scheme(for url: URL) -> Scheme? {
        index(for: url).map { spaces[$0].scheme }
    }

    private func index(for url: URL) -> Int? {
        guard !spaces.isEmpty, let origin = Origin(url) else { return nil }
        let path = url.requestTarget
        var best: (space: Int, length: Int)?
        for (index, space) in spaces.enumerated() {
            for place in space.places where place.contains(origin, path) {
                let length = place.path.text.utf8.count
                if length > best?.length ?? -1 { best = (index, length) }
            }
        }
        return best?.space
    }

    /// Adds or renews a space, and returns the values for the request that was challenged.
    mutating func challenged(_ scheme: Scheme, realm: String, for url: URL, clientNonce: String) -> Turn {
        guard let origin = Origin(url) else { return Turn(scheme: scheme, count: 1, clientNonce: clientNonce) }
        let realm = ExactString(realm)
        let places = Self.places(of: scheme, url, origin)
        guard let index = index(of: origin, realm) else {
            if spaces.count >= Self.limit,
                let oldest = spaces.indices.min(by: { spaces[$0].lastUse < spaces[$1].lastUse })
            {
                spaces.remove(at: oldest)
            }
            spaces.append(Space(origin: origin, realm: realm, places: places, scheme: scheme))
            return next(in: spaces.count - 1, clientNonce: clientNonce)
        }
        if case .digest = scheme {
            spaces[index].places = places
        } else {
            spaces[index].places.formUnion(places)
            // A space of Basic has a place for each folder. Too many of them only cost a rejection.
            if spaces[index].places.count > Self.limit { spaces[index].places = places }
        }
        renew(index, scheme)
        return next(in: index, clientNonce: clientNonce)
    }

    /// Replaces the nonce of a space by the one that the server has sent for the next request.
    mutating func renew(nonce: String, realm: String, for url: URL) {
        guard let origin = Origin(url), let index = index(of: origin, ExactString(realm)),
            case .digest(var challenge) = spaces[index].scheme
        else { return }
        challenge.nonce = ExactString(nonce)
        renew(index, .digest(challenge))
    }

    mutating func remove(for url: URL) {
        if let index = index(for: url) { spaces.remove(at: index) }
    }

    private func index(of origin: Origin, _ realm: ExactString) -> Int? {
        spaces.firstIndex { $0.origin == origin && $0.realm == realm }
    }

    private mutating func renew(_ index: Int, _ scheme: Scheme) {
        guard case .digest(let old) = spaces[index].scheme, case .digest(let new) = scheme else {
            spaces[index].scheme = scheme
            spaces[index].count = 0
            return
        }
        spaces[index].scheme = scheme
        guard old.nonce != new.nonce else { return }
        spaces[index].earlier.append((old.nonce, spaces[index].count))
        spaces[index].count = spaces[index].earlier.last { $0.nonce == new.nonce }?.count ?? 0
        spaces[index].earlier.removeAll { $0.nonce == new.nonce }
        if spaces[index].earlier.count > Self.earlierNonces { spaces[index].earlier.removeFirst() }
        spaces[index].sessionNonce = nil
    }

    private mutating func next(in index: Int, clientNonce: String) -> Turn {
        uses += 1
        spaces[index].lastUse = uses
        let scheme = spaces[index].scheme
        guard case .digest(let challenge) = scheme else { return Turn(scheme: scheme) }
        spaces[index].count &+= 1
        var clientNonce = clientNonce
        if challenge.isSession {
            clientNonce = spaces[index].sessionNonce ?? clientNonce
            spaces[index].sessionNonce = clientNonce
        }
        return Turn(scheme: scheme, count: spaces[index].count, clientNonce: clientNonce)
    }

    /// The places that a challenge for a URL is about.
    ///
    /// `Basic` is for the folder of the path and those below (RFC 7617, 2.2). `Digest` is for the whole origin, unless it
    /// names others (RFC 7616, 3.3).
    private static func places(of scheme: Scheme, _ url: URL, _ origin: Origin) -> Set<Place> {
        switch scheme {
        case .basic:
            let path = URLParts(url.absoluteString[...]).path
            let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
            return [Place(origin: origin, path: ExactString(end.map { String(path[..<$0]) } ?? "/"))]
        case .digest(let challenge):
            let places = challenge.domain.compactMap { text -> Place? in
                if text.utf8.first == UInt8(ascii: "/"), !text.utf8.starts(with: "//".utf8) {
                    return Place(origin: origin, path: ExactString(text))
                }
                guard let url = URL(string: text), let other = Origin(url) else { return nil }
                return Place(origin: other, path: ExactString(url.requestTarget))
            }
            return places.isEmpty ? [Place(origin: origin, path: ExactString("/"))] : Set(places.prefix(limit))
        }
    }
}
