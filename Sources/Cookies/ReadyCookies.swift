/// The cookies of the hosts that requests were last sent to, sorted, so that most requests find their field complete.
struct ReadyCookies {
    private struct Ready {
        var entries: [CookieTable.Entry]
        /// The field for all paths, if no cookie is for a part of them.
        var header: String?
        var nextExpiry: Date
        /// The time at which the cookies were last marked as sent, if the field is complete.
        var lastUsed = Date.distantPast
    }

    /// The time for which cookies are not marked as sent again: the order of eviction needs no more.
    private static let precision: TimeInterval = 1

    private static let limit = 64

    private var hosts: [CookieHost: Ready] = [:]

    /// Forgets all fields, because the cookies have changed.
    mutating func invalidate() {
        hosts.removeAll(keepingCapacity: true)
    }

    /// Returns the field for a request; nil if no cookie is sent.
    ///
    /// - Parameter path: The path of the request, which is needed only if a cookie is for a part of them.
    mutating func header(
        for host: CookieHost, path: @autoclosure () -> Substring, at now: Date, of table: inout CookieTable
    ) -> String? {
        if let ready = hosts[host], now < ready.nextExpiry {
            return ready.entries.isEmpty ? nil : field(of: ready, host, path(), now, &table)
        }
        if table.entries(for: host).contains(where: { $0.cookie.isExpired(at: now) }) {
            table.removeAll { $0.isExpired(at: now) }
            invalidate()
        }
        if hosts.count >= Self.limit { invalidate() }
        let ready = Self.ready(table.entries(for: host))
        hosts[host] = ready
        return ready.entries.isEmpty ? nil : field(of: ready, host, path(), now, &table)
    }

    private mutating func field(
        of ready: Ready, _ host: CookieHost, _ path: @autoclosure () -> Substring, _ now: Date,
        _ table: inout CookieTable
    ) -> String? {
        if let header = ready.header {
            if now.timeIntervalSince(ready.lastUsed) >= Self.precision {
                table.touch(ready.entries.map(\.cookie.key), at: now)
                hosts[host]?.lastUsed = now
            }
            return header
        }
        let path = path()
        let places = ready.entries.indices.filter { CookiePath.matches(path, ready.entries[$0].cookie.path) }
        guard !places.isEmpty else { return nil }
        for place in places where now.timeIntervalSince(ready.entries[place].lastUsed) >= Self.precision {
            table.touch([ready.entries[place].cookie.key], at: now)
            hosts[host]?.entries[place].lastUsed = now
        }
        return places.map { ready.entries[$0].cookie.pair }.joined(separator: "; ")
    }

    private static func ready(_ entries: [CookieTable.Entry]) -> Ready {
        let isForAllPaths = entries.allSatisfy { $0.cookie.path.utf8.count == 1 }
        return Ready(
            entries: entries,
            header: isForAllPaths ? entries.map(\.cookie.pair).joined(separator: "; ") : nil,
            nextExpiry: entries.compactMap(\.cookie.expires).min() ?? .distantFuture)
    }
}
