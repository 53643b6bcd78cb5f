extension CacheStore where Self == TieredStore {
    /// The store of this application: memory in front of a folder in the user's cache folder, found by the identity of
    /// the application.
    ///
    /// The folder is opened at the first use. If it cannot be used, ``CacheEvents/onEvent`` is notified, and entries are kept
    /// in memory until it can be. Removing then throws if entries may be in the folder: they would come back.
    public static var shared: TieredStore { TieredStore.application }
}

extension TieredStore {
    fileprivate static let application = TieredStore(
        over: LazyStore(mayHoldEntries: { (try? ApplicationFolder.current)?.mayHoldEntries ?? false }) {
            try DiskStore(directory: try ApplicationFolder.current.make())
        })
}
