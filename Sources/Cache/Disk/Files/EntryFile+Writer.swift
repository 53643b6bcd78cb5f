import Synchronization

extension EntryFile {
    /// Writes the file of an entry in portions.
    ///
    /// The header is written last, so an unfinished file is never valid. A writer that is released before the end
    /// removes its file.
    final class Writer: Sendable {
        fileprivate struct State: ~Copyable {
            /// Nil once the file is finished or abandoned, or has failed.
            var file: File?
            var head: Head
            /// The digests of the blocks written so far.
            var sums: [UInt64] = []
            /// The bytes that do not fill a block yet.
            var rest: [UInt8] = []
            /// The number of bytes of all portions.
            var count = 0
            var isFinished = false
        }

        let path: String

        private let files: FileSystem
        private let state: Mutex<State>

        /// Creates a file. Returns nil if the folder is missing. The body of the entry is the first portion.
        init?(_ entry: CacheEntry, for key: CacheKey, to path: String, on files: FileSystem) throws {
            let head = try Head(key: key, entry: entry)
            guard let file = try files.create(path) else { return nil }
            self.path = path
            self.files = files
            state = Mutex(State(file: file, head: head))
            try state.withLock { state in
                try head.withBytes { head in try state.file?.write(head) }
            }
            try append(entry.body)
        }

        deinit {
            abandon()
        }

        func append(_ portion: Data) throws {
            try change { state in
                try portion.withUnsafeBytes { bytes in try state.append(bytes) }
            }
        }

        /// Completes the file. The caller then renames or removes it.
        func finish() throws {
            try change { state in
                try state.finish()
                state.isFinished = true
                state.file = nil
            }
        }

        /// Removes the file if it is not finished.
        func abandon() {
            let isLeft = state.withLock { state in
                defer { state.file = nil }
                return !state.isFinished
            }
            if isLeft { _ = try? files.remove(path) }
        }

        private func change(_ work: (inout State) throws -> Void) throws {
            try state.withLock { state in
                guard state.file != nil else {
                    throw CacheError(.closed, "The writer was committed or abandoned, or has failed. Create a new one.")
                }
                do {
                    try work(&state)
                } catch {
                    state.file = nil
                    throw error
                }
            }
        }
    }
}

extension EntryFile.Writer.State {
    fileprivate mutating func append(_ portion: UnsafeRawBufferPointer) throws {
        count += portion.count
        var portion = portion
        while !portion.isEmpty {
            let taken: Int
            if rest.isEmpty, portion.count >= EntryFile.block {
                taken = portion.count / EntryFile.block * EntryFile.block
                try write(UnsafeRawBufferPointer(rebasing: portion[..<taken]))
            } else {
                taken = min(EntryFile.block - rest.count, portion.count)
                rest.append(contentsOf: portion[..<taken])
                if rest.count == EntryFile.block { try writeRest() }
            }
            portion = UnsafeRawBufferPointer(rebasing: portion[taken...])
        }
    }

    fileprivate mutating func finish() throws {
        try writeRest()
        let count = count
        try sums.withUnsafeBytes { table in
            head.seal(body: count, table: table)
            try file?.write(table)
            try head.withBytes { head in
                try file?.write(UnsafeRawBufferPointer(rebasing: head[..<EntryFile.Header.size]), at: 0)
            }
        }
    }

    private mutating func writeRest() throws {
        let part = rest
        guard !part.isEmpty else { return }
        try part.withUnsafeBytes { try write($0) }
        rest.removeAll(keepingCapacity: true)
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
        try file?.write(bytes)
        sums += EntryFile.sums(bytes)
    }
}
