#if canImport(Darwin)
    import Dispatch

    /// Tells a store when the system is short of memory, as long as the store is there.
    ///
    /// `@unchecked` because the interface of Dispatch does not say on every platform that its sources may be used from
    /// any thread, which they may.
    final class MemoryPressureSource: @unchecked Sendable {
        private let sources: [any DispatchSourceMemoryPressure]

        init(_ store: MemoryStore) {
            let kinds: [(DispatchSource.MemoryPressureEvent, MemoryPressure)] = [
                (.warning, .warning), (.critical, .critical),
            ]
            sources = kinds.map { event, pressure in
                let source = DispatchSource.makeMemoryPressureSource(
                    eventMask: event, queue: .global(qos: .utility))
                source.setEventHandler { [weak store] in store?.relieve(pressure) }
                source.activate()
                return source
            }
        }

        deinit {
            for source in sources { source.cancel() }
        }
    }
#endif
