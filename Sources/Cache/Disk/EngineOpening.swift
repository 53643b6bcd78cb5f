/// Opens the database of a store, if SQLite can be used.
struct EngineOpening {
    let place: Place
    let limits: CacheLimits
    let role: Role
    let clock: WallClock
    let report: @Sendable (CacheEvent) -> Void
    var files = FileSystem()

    /// The reason why SQLite cannot be used; nil if it can.
    var problem: @Sendable () -> String? = { Database.problem }

    func open() throws -> SQLiteEngine {
        let owned = OwnedFolder(
            path: place.folder, mayBelongToRoot: true, advice: "Choose a folder of yours.", files: files)
        if role.isOwner { try owned.check() }
        try checkSQLite()
        let engine = try engine()
        // Once more, because another user may have created it meanwhile.
        if role.isOwner { try owned.check() }
        return engine
    }

    private func engine() throws -> SQLiteEngine {
        do {
            return try SQLiteEngine(
                folder: place.folder, limits: limits, role: role, clock: clock, files: files, report: report)
        } catch let failure as SQLiteFailure {
            throw CacheError(failure, at: place.database)
        }
    }

    /// Throws if SQLite cannot be used.
    ///
    /// A library cannot be loaded while too many files are open. That is an error of its own, because it says nothing
    /// about the library. If a file could be opened since, loading is tried once more.
    private func checkSQLite() throws {
        guard problem() != nil else { return }
        _ = try files.open("/dev/null")
        if let problem = problem() { throw CacheError(sqliteProblem: problem) }
    }
}

extension CacheError {
    /// The error of a store whose library is missing or unsuitable.
    init(sqliteProblem problem: String) {
        self.init(
            .system,
            """
            SQLite cannot be used (\(problem)): install SQLite 3.24 or later, which is the package libsqlite3-0 on \
            Debian and Ubuntu, sqlite-libs on Fedora, Red Hat and Amazon Linux.
            """)
    }
}
