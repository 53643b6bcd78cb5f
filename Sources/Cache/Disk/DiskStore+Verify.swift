extension DiskStore {
    /// Reads everything that the store holds, and finds what is not as it was written.
    ///
    /// ```swift
    /// let verification = try await store.verify(repair: true)
    /// if !verification.isSound { print(verification.damaged, verification.structure) }
    /// ```
    ///
    /// The store finds damaged entries by itself when somebody asks for them, so this is for diagnosis: it takes as long
    /// as reading the whole folder does. The store can be used meanwhile, here and by other processes. What is written
    /// after the verification began may or may not be part of it.
    ///
    /// - Parameters:
    ///   - repair: Whether to remove the damaged entries and what killed processes have left. A database whose structure
    ///     is damaged is set aside, and the store begins anew.
    ///   - progress: Hears, on any thread, how many entries have been checked, and how many there are about.
    public nonisolated(nonsending) func verify(
        repair: Bool = false,
        progress: @escaping @Sendable (_ checked: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> CacheVerification {
        try await disk.verify(repair: repair, progress: progress)
    }
}
