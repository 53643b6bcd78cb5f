extension FileEngine {
    /// The number of entries between two reports of progress.
    private static let portion = 256

    nonisolated(nonsending) func verify(
        repair: Bool, progress: @escaping @Sendable (_ checked: Int, _ total: Int) -> Void
    ) async throws -> CacheVerification {
        let all = try await IO.run { [folder] in try folder.scan() }
        var verification = CacheVerification()
        for start in stride(from: 0, to: all.count, by: Self.portion) {
            try Task.checkCancellation()
            let part = all[start..<min(start + Self.portion, all.count)]
            let findings = try await IO.run { try self.findings(in: part, repair: repair) }
            for finding in findings { verification.add(finding) }
            progress(verification.checked, max(all.count, verification.checked))
        }
        verification.orphanedFiles = try await IO.run {
            try repair ? self.folder.sweep(where: self.isOrphan) : self.folder.temporaries(where: self.isOrphan).count
        }
        progress(verification.checked, verification.checked)
        return verification
    }

    /// The result of verifying one file.
    fileprivate struct Finding: Sendable {
        /// The size of the body, or zero if it is unknown.
        var bytes = 0
        var damage: CacheVerification.Damage?
        var isRemoved = false
    }

    private func findings(in part: ArraySlice<EntryFolder.Found>, repair: Bool) throws -> [Finding] {
        try part.compactMap { found in
            guard let (seen, status) = try finding(of: found.place) else { return nil }
            var finding = seen
            guard finding.damage != nil else { return finding }
            // A file that was replaced meanwhile is no longer damaged.
            guard let now = try files.status(found.place.path), now.isSameFile(as: status) else { return nil }
            if repair { finding.isRemoved = try room.remove(found.place, ifStill: status) }
            return finding
        }
    }

    /// Reads a file to its end. Returns nil if it is missing or has a later format.
    private func finding(of place: EntryFolder.Place) throws -> (Finding, FileStatus)? {
        switch try EntryFile.Reader.open(place.path, on: files) {
        case .missing: return nil
        case .damaged(let reason, let status):
            if try EntryFile.isNewer(place.path, on: files) { return nil }
            return (Finding(damage: .init(key: nil, reason: reason)), status)
        case .found(let reader, let status):
            let item = reader.item
            return (Finding(bytes: item.size, damage: try damage(in: reader, at: place)), status)
        }
    }

    private func damage(in reader: EntryFile.Reader, at place: EntryFolder.Place) throws -> CacheVerification.Damage? {
        let key = reader.item.key
        guard folder.place(of: key) == place else {
            return .init(key: key, reason: "its file belongs to another entry")
        }
        do {
            while try reader.next() != nil {}
            return nil
        } catch let error as CacheError where error.code == .damaged {
            return .init(key: key, reason: "its body does not match its checksums")
        }
    }
}

extension CacheVerification {
    fileprivate mutating func add(_ finding: FileEngine.Finding) {
        checked += 1
        bytes += finding.bytes
        if let damage = finding.damage { damaged.append(damage) }
        if finding.isRemoved { removed += 1 }
    }
}
