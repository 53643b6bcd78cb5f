extension DiskStore {
    /// Reads the whole store and finds all damage.
    ///
    /// ```swift
    /// let verification = try await store.verify(repair: true)
    /// if !verification.isSound { print(verification.damaged, verification.structure) }
    /// ```
    ///
    /// The store finds damaged entries by itself when they are read, so this method is for diagnosis. It takes as long
    /// as reading the whole folder. The store can be used meanwhile, by this and other processes. Entries that are
    /// written meanwhile may or may not be verified.
    ///
    /// - Parameters:
    ///   - repair: Removes damaged entries, and files that killed processes have left. A database whose structure is
    ///     damaged is set aside, and the store starts empty.
    ///   - progress: Called on any thread with the number of entries checked, and their approximate total.
    public nonisolated(nonsending) func verify(
        repair: Bool = false,
        progress: @escaping @Sendable (_ checked: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> CacheVerification {
        try await disk.verify(repair: repair, progress: progress)
    }
}
