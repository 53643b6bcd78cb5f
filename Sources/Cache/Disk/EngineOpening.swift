/// Opens the engine of a store.
struct EngineOpening {
    /// The number of times to choose again if another process opens the folder with another engine.
    private static let attempts = 5

    let place: Place
    let limits: CacheLimits
    let role: Role
    let clock: WallClock
    let report: @Sendable (CacheEvent) -> Void
    var files = FileSystem()

    /// The reason why SQLite cannot be used; nil if it can.
    var problem: @Sendable () -> String? = { Database.problem }

    /// Opens the requested engine, or the one to fall back to.
    func open(_ asked: DiskStore.Engine) throws -> (DiskStore.Engine, any DiskEngine) {
        guard role.isOwner else {
            _ = try EngineChoice.choose(asked, for: place.folder, problem: problem(for: asked), found: [])
            return (asked, try engine(asked))
        }
        for _ in 0..<Self.attempts {
            do {
                return try openAsOwner(asked)
            } catch is OtherEngine {
                continue
            }
        }
        throw CacheError(OtherEngine(), at: place.folder)
    }

    private func openAsOwner(_ asked: DiskStore.Engine) throws -> (DiskStore.Engine, any DiskEngine) {
        let owned = OwnedFolder(
            path: place.folder, mayBelongToRoot: true, advice: "Choose a folder of yours.", files: files)
        try owned.check()
        let choice = try EngineChoice.choose(
            asked, for: place.folder, problem: problem(for: asked), found: try place.enginesFound(files))
        try place.discard(choice.discarded, files)
        if asked != .files, choice.engine == .files { try claimForFiles() }
        let engine = try engine(choice.engine)
        // Once more, because another user may have created it meanwhile.
        try owned.check()
        if let fallback = choice.fallback { report(.fellBack(reason: fallback)) }
        if !choice.discarded.isEmpty {
            report(.outdated(reason: "another engine has stored entries in \(place.folder); they are discarded"))
        }
        try place.removeDiscarded(files, report)
        return (choice.engine, engine)
    }

    private func engine(_ engine: DiskStore.Engine) throws -> any DiskEngine {
        if engine == .files {
            return try FileEngine(
                folder: place.folder, limits: limits, role: role, clock: clock, files: files, report: report)
        }
        do {
            return try SQLiteEngine(
                folder: place.folder, limits: limits, role: role, clock: clock, files: files, report: report)
        } catch let failure as SQLiteFailure {
            throw CacheError(failure, at: place.database)
        }
    }

    /// Returns the reason why SQLite cannot be used, if it is requested.
    ///
    /// A library cannot be loaded while too many files are open. That is an error of its own, because it says nothing
    /// about the library. If a file could be opened since, loading is tried once more.
    private func problem(for asked: DiskStore.Engine) throws -> String? {
        guard asked != .files, problem() != nil else { return nil }
        _ = try files.open("/dev/null")
        return problem()
    }

    /// Creates the folder of the plain files after an automatic choice. It holds the lock that opening a database
    /// takes, so that two processes that open a new folder at once choose the same engine.
    private func claimForFiles() throws {
        guard try files.status(place.entries) == nil else { return }
        try files.makeFolder(place.folder)
        try FolderLock.holding(place.lock) {
            if try files.status(place.database) != nil { throw OtherEngine() }
            try files.makeFolder(place.entries)
        }
    }
}

/// Another process uses another engine in the folder.
struct OtherEngine: Error {}

extension CacheError {
    init(_ error: OtherEngine, at folder: String) {
        self.init(
            .invalid,
            "Stores with different engines use the folder \(folder) at once. Use the same engine for all of them.",
            underlying: error)
    }
}
