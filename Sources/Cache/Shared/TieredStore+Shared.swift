extension CacheStore where Self == TieredStore {
    /// The store of this application: memory in front of a folder in the user's cache folder. The name of the folder
    /// comes from the identity of the application.
    ///
    /// The folder is opened at the first use. If it cannot be used, ``CacheEvents/onEvent`` is called, and entries stay
    /// in memory until it can. Meanwhile, removing throws if the folder may contain entries, because they would
    /// reappear.
    public static var shared: TieredStore { TieredStore.application }
}

extension TieredStore {
    fileprivate static let application = TieredStore(
        over: LazyStore(mayHoldEntries: { (try? ApplicationFolder.current)?.mayHoldEntries ?? false }) {
            try DiskStore(directory: try ApplicationFolder.current.make())
        })
}
