/// Opens the engine of a store.
struct EngineOpening {
    /// How often the choice is made anew while another process opens the folder with another engine.
    private static let attempts = 5

    let place: Place
    let limits: CacheLimits
    let role: Role
    let clock: WallClock
    let report: @Sendable (CacheEvent) -> Void
    var files = FileSystem()

    /// The reason why SQLite cannot be used; nil if it can.
    var problem: @Sendable () -> String? = { Database.problem }

    /// The engine that is asked for, or the one that takes its place.
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
        let choice = try EngineChoice.choose(
            asked, for: place.folder, problem: problem(for: asked), found: try place.enginesFound(files))
        try place.discard(choice.discarded, files)
        if asked != .files, choice.engine == .files { try claimForFiles() }
        let engine = try engine(choice.engine)
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

    /// The reason why SQLite cannot be used, if it is asked for.
    ///
    /// A library cannot be loaded while too many files are open. That says nothing about the library, so it is an error of
    /// its own; and where a file could be opened since, the library is tried once more.
    private func problem(for asked: DiskStore.Engine) throws -> String? {
        guard asked != .files, problem() != nil else { return nil }
        _ = try files.open("/dev/null")
        return problem()
    }

    /// Makes the folder of the plain files where the choice was automatic: under the lock that opening a database takes,
    /// so that of two processes that open a new folder at once only one has its way.
    private func claimForFiles() throws {
        guard try files.status(place.entries) == nil else { return }
        try files.makeFolder(place.folder)
        try FolderLock.holding(place.lock) {
            if try files.status(place.database) != nil { throw OtherEngine() }
            try files.makeFolder(place.entries)
        }
    }
}

/// Another engine than the one that was chosen is used in the folder.
struct OtherEngine: Error {}

extension CacheError {
    init(_ error: OtherEngine, at folder: String) {
        self.init(
            .invalid,
            "Stores with different engines use the folder \(folder) at once: give all of them the same engine.",
            underlying: error)
    }
}
