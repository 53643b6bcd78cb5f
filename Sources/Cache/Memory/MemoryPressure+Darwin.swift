#if canImport(Darwin)
    import Dispatch

    /// Notifies a store when the system is short of memory, while the store exists.
    ///
    /// Unchecked: Dispatch sources may be used from any thread, but Dispatch does not declare this on every platform.
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
