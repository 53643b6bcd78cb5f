import Synchronization

extension SQLiteEngine {
    /// Returns the entry under a key with its body in portions, or nil.
    func reader(for key: CacheKey) throws -> CacheReader? {
        try settle(key) { path in
            try EntryFile.Reader.open(path, on: files)
        } row: { entry in
            CacheReader(key: key, entry: entry)
        } file: { file, number in
            guard file.item.key == key else { return nil }
            return CacheReader(item: file.item) {
                try await IO.run { [self] in
                    do {
                        return try file.next()
                    } catch let error as CacheError where error.code == .damaged {
                        discard(key, number, error.message)
                        throw error
                    }
                }
            }
        }
    }

    /// Returns the target of a writer for an entry in portions.
    func writer(for key: CacheKey, entry: CacheEntry) throws -> any CacheWriter.Target {
        try Stream(self, key, entry)
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

        private let engine: SQLiteEngine
        private let key: CacheKey
        /// Nil while it is in use, and after the writer is abandoned.
        private let state: Mutex<State?>

        init(_ engine: SQLiteEngine, _ key: CacheKey, _ entry: CacheEntry) throws {
            self.engine = engine
            self.key = key
            state = Mutex(State(entry: entry, length: entry.body.count))
        }

        func write(_ portion: Data) async throws {
            try await IO.run { [self] in
                guard var state = takeState() else { throw CacheError.closed }
                defer { self.state.withLock { $0 = state } }
                state.length += portion.count
                try engine.limits.admit(state.length, for: key)
                if let file = state.file { return try file.writer.append(portion) }
                state.entry.body.append(portion)
                if state.length > SQLiteEngine.threshold { try spill(&state) }
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
            let number = try engine.bodies.next()
            state.file = (number, try engine.bodies.writer(number, for: key, state.entry))
            state.entry.body = Data()
        }

        func commit() async throws {
            guard let (entry, length, file) = state.withLock({ state in state.map { ($0.entry, $0.length, $0.file) } })
            else { throw CacheError.closed }
            guard let file else { return try await engine.set([(key, entry)]) }
            _ = try await IO.result { finish in
                IO.submit { [engine, key] in
                    do {
                        try file.writer.finish()
                        try engine.bodies.publish(file.number)
                        let record = Record(key: key, entry: entry, file: file.number, length: length)
                        engine.publish([record], [file.number]) { result in
                            finish(engine.told(result))
                        }
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
