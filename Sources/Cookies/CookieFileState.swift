/// The changes of a jar that its file does not have yet.
struct CookieFileState {
    /// A number that rises with each change.
    private(set) var version: UInt64 = 0
    /// The changed cookies, with the number of the change.
    private(set) var changes: [Cookie.Key: UInt64] = [:]
    /// The number of the change that removed all cookies.
    private(set) var cleared: UInt64?
    /// The identity that the file had before that change; nil if it was not known.
    private var clearedIdentity: String?
    private(set) var isScheduled = false
    /// A Boolean value that indicates whether the file has the identity of the jar.
    var isKnown = false
    /// The error of the last write, if it failed.
    var failure: CookieJarError?
    /// The report of a damaged file.
    var damage: CookieJarError?

    /// Records changed cookies. Returns true if the file has to be written, and no write waits.
    mutating func changed(_ keys: [Cookie.Key]) -> Bool {
        version += 1
        for key in keys { changes[key] = version }
        guard !isScheduled, !keys.isEmpty || cleared == version else { return false }
        isScheduled = true
        return true
    }

    /// Records that all cookies are being removed.
    mutating func clear(_ identity: String) {
        if cleared == nil { clearedIdentity = isKnown ? identity : nil }
        changes = [:]
        cleared = version + 1
    }

    /// Returns whether the file belongs to a user who has signed in after the one whose cookies were removed here. Nothing is
    /// written in place of the cookies of that user, unless another one has signed in here.
    func leaves(_ content: CookieFileContent) -> Bool {
        guard cleared != nil, changes.isEmpty, let clearedIdentity else { return false }
        return !content.identity.hasSameBytes(as: clearedIdentity)
    }

    /// Forgets that all cookies were removed.
    mutating func adopt() { cleared = nil }

    mutating func begin() { isScheduled = false }

    /// Forgets the changes up to one, because the file has them.
    mutating func written(_ version: UInt64) {
        changes = changes.filter { $0.value > version }
        if let cleared, cleared <= version { self.cleared = nil }
        isKnown = true
        failure = nil
    }

    /// Forgets all changes, because another process has removed all cookies.
    mutating func drop() { changes = [:] }
}

extension CookieJar.State {
    /// Takes over the contents of the file, with the changes that it does not have yet.
    ///
    /// - Parameter content: The contents of the file; nil if it was not changed since it was written.
    mutating func merge(_ content: CookieFileContent?, keepsSessionCookies: Bool, at now: Date) {
        guard let content, var file else { return }
        defer { self.file = file }
        if file.leaves(content) { file.adopt() }
        if file.cleared == nil, file.isKnown, !content.identity.hasSameBytes(as: identity) {
            // Another process has signed the user out. No cookie of that user may be stored again.
            file.drop()
            table.removeAll { _ in true }
        }
        let own = table.entries
        var merged: [CookieTable.Entry] = []
        if file.cleared == nil {
            identity = content.identity
            merged = content.cookies.map { item in
                CookieTable.Entry(
                    cookie: item.cookie, order: 0, lastUsed: Date(timeIntervalSinceReferenceDate: item.used))
            }.filter { file.changes[$0.cookie.key] == nil }
        }
        file.isKnown = true
        merged += own.filter { entry in
            file.changes[entry.cookie.key] != nil || entry.cookie.expires == nil && !keepsSessionCookies
        }
        merged = merged.enumerated().sorted {
            ($0.element.cookie.created, $0.offset) < ($1.element.cookie.created, $1.offset)
        }.map(\.element)
        table = table.emptied
        for entry in merged { table.set(entry.cookie, at: now, lastUsed: entry.lastUsed) }
        ready.invalidate()
    }

    /// Returns the contents to write.
    func content(keepsSessionCookies: Bool) -> CookieFileContent {
        CookieFileContent(
            identity: identity,
            cookies: table.entries.filter { keepsSessionCookies || $0.cookie.expires != nil }.map(
                CookieFileContent.Item.init))
    }
}
