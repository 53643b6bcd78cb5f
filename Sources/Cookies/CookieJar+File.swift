extension CookieJar {
    /// Creates a jar whose cookies are stored in a file that only this user can read. The file and its folder are created
    /// if there are none.
    ///
    /// Changes are written in the background, soon after they were made, and the file is replaced as a whole: a process
    /// that is killed loses at most its last changes. ``save()`` returns once all of them are in the file.
    ///
    /// Several jars and processes may use one file. Each write first reads the changes of the others. If two of them set
    /// the same cookie, the later write wins. If one of them calls ``removeAll()``, the others lose the cookies of that
    /// user with their next write.
    ///
    /// A damaged file is renamed to the same name with `.damaged` at its end, and the jar starts empty: see ``problem``.
    ///
    /// - Parameters:
    ///   - file: The URL of the file.
    ///   - publicSuffixes: The domains that cookies cannot be for.
    ///   - keepsSessionCookies: A Boolean value that indicates whether session cookies are stored as well. By default,
    ///     they end with the jar.
    /// - Throws: A ``CookieJarError`` if the file cannot be read or created, or is something else than a file of cookies.
    public convenience init(
        file: URL, publicSuffixes: PublicSuffixes = .system, keepsSessionCookies: Bool = false
    ) throws(CookieJarError) {
        guard file.isFileURL else {
            throw CookieJarError(
                message: "\(RequestURL.shown(file.absoluteString)) is not the URL of a file: create it with "
                    + "URL(fileURLWithPath:)")
        }
        let writer = CookieFileWriter(CookieFile(path: file.path), keepsSessionCookies: keepsSessionCookies)
        self.init(suffixes: publicSuffixes, limits: CookieTable.Limits(), writer: writer)
        try writer.load(self)
    }

    /// Returns once the file has all changes, and the jar has those of other processes. A jar in memory does nothing.
    ///
    /// - Throws: A ``CookieJarError`` if the file cannot be written. The changes are written with the next ones.
    public func save() async throws {
        try await writer?.save(self)
    }

    /// The problem with the file: the last write failed, or the file was damaged and set aside. Nil if there is none.
    public var problem: CookieJarError? { state.withLock { $0.file?.failure ?? $0.file?.damage } }
}
