/// How urgently the system wants memory back.
public enum MemoryPressure: Hashable, Sendable {
    /// Memory is short: what is not needed soon should go.
    case warning

    /// Memory is so short that the system ends processes next.
    case critical
}

extension MemoryStore {
    /// Gives memory back: half of what the store holds on a warning, all of it if it is critical. Pinned entries stay.
    ///
    /// On Apple platforms the store does this itself when the system asks for it. Elsewhere nobody asks: call it from
    /// whatever watches over the memory of your process.
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
