/// A degree of memory shortage.
public enum MemoryPressure: Hashable, Sendable {
    /// Memory is short. Release objects that are not needed soon.
    case warning

    /// Memory is so short that the system is about to end processes.
    case critical
}

extension MemoryStore {
    /// Evicts half of the entries on a warning, and all entries if the pressure is critical. Pinned entries stay.
    ///
    /// On Apple platforms the system notifies the store. On other platforms, call this method from the code that
    /// monitors the memory of your process.
    ///
    /// ```swift
    /// store.relieve(.warning)
    /// ```
    public func relieve(_ pressure: MemoryPressure) {
        switch pressure {
        case .warning: trim(to: 0.5)
        case .critical: trim(to: 0)
        }
    }
}
