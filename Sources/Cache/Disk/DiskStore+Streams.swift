import Synchronization

extension DiskStore {
    public nonisolated(nonsending) func reader(for key: CacheKey) async throws -> CacheReader? {
        let reader = try await IO.run { try self.openReader(for: key) }
        counters.count(hit: reader != nil)
        return reader
    }

    private func openReader(for key: CacheKey) throws -> CacheReader? {
        try checkOpen()
        var file: EntryFile.Reader?
        let found = try locate(key) { path in
            file = try EntryFile.Reader.open(path, on: files)
            return file?.item.key
        }
        switch found {
        case .nothing, .damaged: return nil
        case .entry(let entry): return CacheReader(key: key, entry: entry)
        case .file(let number, _):
            return file.map { file in
                CacheReader(item: file.item) { try await IO.run { try self.next(of: file, number) } }
            }
        }
    }

    private func next(of file: EntryFile.Reader, _ number: Int64) throws -> Data? {
        do {
            return try file.next()
        } catch let error as CacheError where error.code == .damaged {
            discard(file.item.key, number, error.message)
            throw error
        }
    }

    public nonisolated(nonsending) func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter {
        try checkOpen()
        let entry = try stamped(entry, for: key)
        return CacheWriter(Stream(self, key, entry))
    }

    /// The target of a writer: a body in portions, in memory while it is small, then in a file.
    ///
    /// The writer ensures that one method runs at a time. The state is moved out of its lock meanwhile, because a body
    /// may be memory of the user's, whose release runs user code.
    private final class Stream: CacheWriter.Target {
        private struct State {
            var entry: CacheEntry
            var file: (number: Int64, writer: EntryFile.Writer)?
            var length: Int
        }

        private let store: DiskStore
        private let key: CacheKey
        /// Nil while it is in use, and after the writer is abandoned.
        private let state: Mutex<State?>

        init(_ store: DiskStore, _ key: CacheKey, _ entry: CacheEntry) {
            self.store = store
            self.key = key
            state = Mutex(State(entry: entry, length: entry.body.count))
        }

        func write(_ portion: Data) async throws {
            try await IO.run { [self] in
                guard var state = takeState() else { throw CacheError.closed }
                defer { self.state.withLock { $0 = state } }
                state.length += portion.count
                try store.limits.admit(state.length, for: key)
                if let file = state.file { return try file.writer.append(portion) }
                state.entry.body.append(portion)
                if state.length > DiskStore.threshold { try spill(&state) }
            }
        }

        private func takeState() -> State? {
            state.withLock { state in
                defer { state = nil }
                return state
            }
        }

        /// Moves the portions so far to a file.
        private func spill(_ state: inout State) throws {
            state.file = try store.bodies.writer(for: key, state.entry)
            state.entry.body = Data()
        }

        func commit() async throws {
            guard let (entry, length, file) = state.withLock({ state in state.map { ($0.entry, $0.length, $0.file) } })
            else { throw CacheError.closed }
            _ = try await IO.result { [store, key] finish in
                guard let file else { return store.submit([(key, entry)], unlessRemovedSince: nil, finish) }
                IO.submit {
                    do {
                        try file.writer.finish()
                        try store.bodies.publish(file.number)
                        let record = Record(key: key, entry: entry, file: file.number, length: length)
                        store.publish([record], [file.number], finish)
                    } catch {
                        finish(.failure(error))
                    }
                }
            }
        }

        func abandon() {
            takeState()?.file?.writer.abandon()
        }
    }
}
