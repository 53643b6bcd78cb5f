/// The folder of a session: a record for each transfer, and the files that have no other place yet. Its methods block.
struct TransferFolder: Sendable {
    let path: String
    /// Called after each change on the disk, for tests.
    var onChange: (@Sendable () -> Void)?

    private var files: FileSystem { DownloadFiles.system }

    static func recordName(_ id: String) -> String { id + ".record" }
    static func fileName(_ id: String) -> String { id + ".file" }

    func filePath(_ id: String) -> String { path + "/" + Self.fileName(id) }
    private func recordPath(_ id: String) -> String { path + "/" + Self.recordName(id) }

    func create() throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    /// The records that can be read.
    var records: [TransferRecord] {
        names.sorted().compactMap { name in
            guard name.hasSuffix(".record"),
                let data = try? Data(contentsOf: URL(fileURLWithPath: path + "/" + name)),
                let record = try? JSONDecoder().decode(TransferRecord.self, from: data),
                record.version == TransferRecord.version, Self.recordName(record.id).hasSameBytes(as: name)
            else { return nil }
            return record
        }
    }

    func save(_ record: TransferRecord) throws {
        do {
            try JSONEncoder().encode(record).write(to: URL(fileURLWithPath: recordPath(record.id)), options: .atomic)
        } catch {
            throw RequestError(
                .cannotWriteFile, phase: .prepare,
                detail: "the record of a background transfer could not be written: check the room on the disk",
                underlying: error)
        }
        onChange?()
    }

    /// Moves a file of the system into the folder. It returns once the whole file is there.
    func take(_ file: URL, of id: String) throws {
        do {
            try files.move(file.path, to: filePath(id))
        } catch let failure as FileFailure where failure.isOnOtherDisk {
            // A copy that is not complete has another name.
            let copy = filePath(id) + ".copy"
            _ = try? files.remove(copy)
            try FileManager.default.copyItem(atPath: file.path, toPath: copy)
            try files.move(copy, to: filePath(id))
        }
        onChange?()
    }

    func save(_ body: Data, of id: String) throws {
        try body.write(to: URL(fileURLWithPath: filePath(id)), options: .atomic)
        onChange?()
    }

    func forget(_ id: String) {
        // A record without its file is lost, and a file without its record is removed.
        remove(Self.recordName(id))
        remove(Self.fileName(id))
        onChange?()
    }

    func remove(_ name: String) {
        _ = try? files.remove(path + "/" + name)
    }

    /// Returns nil if there is no regular file.
    static func facts(_ path: String) -> FileFacts? {
        guard let status = FileStatus(of: path, following: false), status.isRegular else { return nil }
        return FileFacts(count: status.size, number: status.identity.number)
    }

    /// Returns a record with the files that it names.
    func entry(_ record: TransferRecord) -> Reconciliation.Entry {
        var entry = Reconciliation.Entry(record: record, held: Self.facts(filePath(record.id)))
        switch record.step {
        case .placing(_, let path), .finished(_, let path?, _): entry.placed = Self.facts(path.path())
        case .started, .arriving, .arrived, .finished: break
        }
        return entry
    }
}
