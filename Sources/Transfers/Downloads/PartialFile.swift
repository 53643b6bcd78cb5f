import Synchronization

/// The file that a download writes until it is complete, and its ``ResumeRecord``.
///
/// It is locked while it is open, for all objects of all processes. The methods block.
final class PartialFile: Sendable {
    private struct State: ~Copyable {
        /// Nil once the file is complete, removed or left.
        var file: File?
        var count: Int
        /// Nil for a file without gaps.
        var parts: Parts?

        mutating func add(_ range: Range<Int>) {
            parts?.present.insert(range)
            parts?.unsaved += range.count
            count = parts?.present.count ?? count
        }
    }

    /// The record of a file in parts, which may be behind the file, but never ahead of it.
    private struct Parts {
        var record: ResumeRecord
        var present: FileRanges
        /// The bytes that were written after the last record.
        var unsaved = 0

        func content(of resource: String, at location: String?) -> PartialContent? {
            var record = record
            record.setParts(present)
            return record.partial(present.ranges.last?.upperBound ?? 0, of: resource, at: location)
        }
    }

    /// The number of bytes after which the record of a file in parts is written. A killed process loses at most these.
    static let recordInterval = 4 << 20

    private static let prefix = ".tango-"
    private static let digits = 32
    private static let recordSuffix = ".resume"
    private static let newRecordSuffix = ".new"

    /// The name of the file with a digest. Background transfers have other names with the same beginning.
    static func name(_ digest: String) -> String { prefix + digest.prefix(digits) }

    /// Returns the name of the partial file to which a file of a folder belongs; nil if it is another file.
    static func name(of name: String) -> String? {
        guard name.hasPrefix(prefix) else { return nil }
        var digest = name.dropFirst(prefix.count)
        for suffix in [recordSuffix, newRecordSuffix] where digest.hasSuffix(suffix) { digest.removeLast(suffix.count) }
        guard digest.utf8.count == digits, digest.utf8.allSatisfy({ $0.hexadecimalValue != nil }) else { return nil }
        return prefix + digest
    }

    /// The paths of the file, and of all that stands beside it.
    static func paths(_ path: String) -> [String] { [path, path + recordSuffix, path + newRecordSuffix] }

    static func record(_ path: String) -> ResumeRecord? { ResumeRecord(path: path + recordSuffix) }

    let path: String
    /// The permissions of the complete file; nil for those that the process gives to its files.
    private let permissions: UInt16?
    private var recordPath: String { path + Self.recordSuffix }
    /// The record while it is written. A killed process may leave it.
    private var newRecordPath: String { path + Self.newRecordSuffix }
    private let files: FileSystem
    private let state: Mutex<State>

    /// Opens and locks the file. Returns nil if another download has locked it.
    init?(_ path: String, permissions: UInt16?) throws {
        let files = DownloadFiles.system
        // The owner may open it again, to resume the download or to remove its bytes.
        let permissionsUntilComplete = permissions.map { $0 | 0o600 }
        while true {
            let file = try files.require(path, for: .changing(permissions: permissionsUntilComplete ?? 0o666))
            // On a file system without locks, nothing else is locked.
            guard (try? file.lock()) ?? true else { return nil }
            // The download that had the lock may have renamed the file.
            guard file.isStill(at: path) else { continue }
            let status = try file.status()
            if status.hasOtherName {
                // A process was killed after it had given the complete file its name, and before it removed this one.
                try Self.remove(path, on: files)
                continue
            }
            guard status.isRegular else { throw FileFailure.notAFile(path) }
            if let permissionsUntilComplete { try file.setPermissions(permissionsUntilComplete) }
            self.path = path
            self.permissions = permissions
            self.files = files
            state = Mutex(State(file: file, count: status.size))
            return
        }
    }

    deinit { close() }

    /// A Boolean value that indicates whether the file is neither complete, nor removed, nor left by its call.
    var isOpen: Bool { state.withLock { $0.file != nil } }

    /// Removes the bytes of another user, who may sign out while this download is in flight.
    func claim(for owner: String?) throws {
        guard let record = Self.record(path), !record.owner.hasSameBytes(as: owner) else { return }
        try begin(nil)
    }

    /// The number of bytes on the disk, without gaps.
    var count: Int { state.withLock { $0.count } }

    /// Returns what an earlier download of a resource has left, that a request for a location can use.
    func partial(of resource: String, at location: String?) -> PartialContent? {
        // In memory are also the parts that could not be recorded.
        if let parts = state.withLock({ $0.parts }) { return parts.content(of: resource, at: location) }
        return Self.record(path)?.partial(count, of: resource, at: location)
    }

    /// Begins anew: removes all bytes, then replaces the record. So no bytes ever stand beside the record of others.
    func begin(_ record: ResumeRecord?) throws {
        try access { state in
            try state.file?.truncate()
            state.count = 0
            state.parts = nil
        }
        guard let record else { return removeRecord() }
        try save(record)
    }

    func save(_ record: ResumeRecord) throws {
        try access { _ in
            // Without a record, a later download begins anew.
            if !replaceRecord(record) { removeRecord() }
        }
    }

    /// Returns false if the record could not be written. The one before it stays then.
    ///
    /// A disk that has no room for another file may have enough for the same one.
    private func replaceRecord(_ record: ResumeRecord) -> Bool {
        guard let data = try? JSONEncoder().encode(record) else { return false }
        return replaceText(data) || overwriteText(data)
    }

    /// Writes a text to a new file, which then gets the name.
    private func replaceText(_ text: Data) -> Bool {
        let files = FileSystem { $0 }
        do {
            let file = try files.require(newRecordPath, for: .replacing(permissions: 0o666))
            try text.withUnsafeBytes { try file.write($0, at: 0) }
            try files.move(newRecordPath, to: recordPath)
            return true
        } catch {
            _ = try? files.remove(newRecordPath)
            return false
        }
    }

    /// Writes a text of at most a page over that of the existing file, in one call. It needs no room on the disk.
    ///
    /// Blanks stand in place of the rest of a longer text.
    private func overwriteText(_ text: Data) -> Bool {
        do {
            let file = try FileSystem { $0 }.require(recordPath, for: .overwriting)
            let size = try file.status().size
            guard max(size, text.count) <= 4096 else { return false }
            let padded = text + Data(repeating: UInt8(ascii: " "), count: max(0, size - text.count))
            try padded.withUnsafeBytes { try file.write($0, at: 0) }
            return true
        } catch {
            return false
        }
    }

    /// Appends bytes. Bytes that were written before a failure stay.
    func append(_ bytes: Data) throws {
        try access { state in
            try bytes.withUnsafeBytes { try state.file?.write($0, upTo: &state.count) }
        }
    }

    // MARK: Parts

    /// Goes on with a file in parts. Its record is replaced before a byte is written after a gap.
    func beginParts(_ record: ResumeRecord, _ present: FileRanges) throws {
        var record = record
        record.setParts(present)
        try save(record)
        try access { state in
            state.parts = Parts(record: record, present: present)
            state.count = present.count
        }
    }

    /// Writes bytes of a part. Bytes that were written before a failure stay.
    func write(_ bytes: Data, at offset: Int) throws {
        try access { state in
            var end = offset
            defer {
                state.add(offset..<end)
                save(&state, after: Self.recordInterval)
            }
            try bytes.withUnsafeBytes { try state.file?.write($0, upTo: &end) }
        }
    }

    /// Writes the record of a file in parts, if it is behind the file.
    func saveParts() throws {
        try access { state in save(&state, after: 1) }
    }

    /// Writes the record if a number of bytes are new. If this fails, the record has fewer bytes than the file.
    private func save(_ state: inout State, after bytes: Int) {
        guard var parts = state.parts, parts.unsaved >= bytes else { return }
        parts.record.setParts(parts.present)
        parts.unsaved = 0
        state.parts = parts
        _ = replaceRecord(parts.record)
    }

    // MARK: The end

    /// Returns the SHA-256 of the bytes on the disk, in hexadecimal digits.
    func digest() throws -> String {
        try access { state in try state.file?.digest(check: Task.checkCancellation) ?? "" }
    }

    /// Forces the complete file to the disk, gives it its name, and closes it. Returns false, and does nothing, if the name is taken and must
    /// not be replaced.
    func move(to target: String, replaces: Bool) throws -> Bool {
        let isMoved = try access { state in
            do { try state.file?.synchronize() } catch {
                // The system forgets what it could not write, and reports it once. No download may build on these bytes.
                state.parts = nil
                try? Self.remove(path, on: files)
                throw error
            }
            if replaces {
                try files.move(path, to: target)
            } else if try !files.moveIfFree(path, to: target) {
                return false
            }
            state.parts = nil
            removeRecord()
            if let permissions, permissions & 0o600 != 0o600 { try state.file?.setPermissions(permissions) }
            return true
        }
        guard isMoved else { return false }
        close()
        return true
    }

    /// Removes the file and its record, and closes it.
    func discard() {
        try? remove()
    }

    /// Removes the file and its record, and closes it, also if this fails.
    func remove() throws {
        defer { close() }
        try access { state in
            state.parts = nil
            try Self.remove(path, on: files)
        }
    }

    /// Removes a file and its record, the record first: bytes without a record are never used.
    private static func remove(_ path: String, on files: FileSystem) throws {
        for path in paths(path).reversed() { try files.remove(path) }
    }

    private func removeRecord() {
        for path in [recordPath, newRecordPath] { _ = try? files.remove(path) }
    }

    /// Closes the file, which stays for a later download. An empty file is removed.
    func close() {
        state.withLock { state in
            guard state.file != nil else { return }
            save(&state, after: 1)
            if state.count == 0, state.file?.isStill(at: path) == true {
                removeRecord()
                _ = try? files.remove(path)
            }
            state.file?.unlock()
            state.file = nil
        }
    }

    /// Uses the open file. Throws `CancellationError` if the end of the call has closed it.
    private func access<Result: Sendable>(_ use: (inout State) throws -> Result) throws -> Result {
        try state.withLock { state in
            guard state.file != nil else { throw CancellationError() }
            return try use(&state)
        }
    }
}
