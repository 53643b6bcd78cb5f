/// The verification of a complete download, and its way to its destination.
struct TransferPlacing {
    let folder: TransferFolder
    let goal: TransferRecord.Goal
    let head: TransferRecord.Head
    private let files = DownloadFiles.system

    /// Verifies the file of a record. The record has the step ``TransferRecord/Step/arriving(_:)`` or a later one.
    func verify(_ record: TransferRecord) throws -> TransferRecord {
        let path = folder.filePath(record.id)
        guard TransferFolder.facts(path) != nil else { throw Self.missing }
        // An earlier attempt may have given it permissions with which it cannot be opened for writing.
        let file = try files.require(path)
        if let permissions = goal.permissions { try file.setPermissions(permissions) }
        let count = try file.status().size
        if let total = head.total, count != total {
            throw RequestError(
                .truncated, phase: .receive,
                detail: "the response ended after \(count) of \(total) bytes of the file", response: head.response)
        }
        if let limit = goal.limit, count > limit { throw RequestError.tooLarge(limit: limit, response: head.response) }
        if let checksum = goal.checksum {
            let digest = try file.digest()
            guard digest.hasSameBytes(as: checksum) else {
                throw RequestError.checksumMismatch(digest, expected: checksum, nil, head.response)
            }
        }
        guard let facts = TransferFolder.facts(path) else { throw Self.missing }
        var record = record
        record.step = .arrived(TransferRecord.Content(head: head, facts: facts))
        try folder.save(record)
        return record
    }

    /// Moves a verified file to its destination.
    func place(_ record: TransferRecord) throws -> TransferRecord {
        var record = record
        let (source, facts) = try sameDisk(record)
        let target = goal.target.path()
        guard goal.isFolder else {
            try note(&record, facts, at: target)
            try files.move(source, to: target)
            folder.onChange?()
            return record
        }
        for number in 1...10_000 {
            let path = target + "/" + SafeFileName.numbered(head.name, number)
            guard FileStatus(of: path)?.isFolder == nil else { continue }
            try note(&record, facts, at: path)
            if try files.moveIfFree(source, to: path) {
                folder.onChange?()
                return record
            }
        }
        throw SafeFileName.allTaken(head.name)
    }

    private func note(_ record: inout TransferRecord, _ facts: FileFacts, at path: String) throws {
        record.step = .placing(TransferRecord.Content(head: head, facts: facts), path: StoredPath(path))
        try folder.save(record)
    }

    /// Returns the file on the disk of its destination, where it can be renamed.
    private func sameDisk(_ record: TransferRecord) throws -> (path: String, facts: FileFacts) {
        let path = folder.filePath(record.id)
        guard let facts = TransferFolder.facts(path) else { throw Self.missing }
        let parent =
            goal.isFolder
            ? goal.target.path() : URL(fileURLWithPath: goal.target.path()).deletingLastPathComponent().path
        guard Self.disk(of: parent) != Self.disk(of: path) else { return (path, facts) }
        let copy = parent + "/.tango-" + record.id
        _ = try? files.remove(copy)
        do {
            try FileManager.default.copyItem(atPath: path, toPath: copy)
        } catch {
            _ = try? files.remove(copy)
            throw RequestError(
                .cannotWriteFile, phase: .receive,
                detail: "copying the file to the disk of its destination failed: check its room and its permissions",
                underlying: error)
        }
        guard let copied = TransferFolder.facts(copy) else { throw Self.missing }
        return (copy, copied)
    }

    private static func disk(of path: String) -> UInt64? {
        FileStatus(of: path)?.identity.disk
    }

    static let missing = RequestError(
        .transportFailed, phase: .receive,
        detail: "the system has delivered no file for a background transfer: start the download again")
}
