extension FileEngine {
    /// Makes what an owner needs and empties what another version has filled; throws where a guest finds no store.
    func prepare() throws {
        switch role {
        case .owner(let version):
            try files.makeFolder(folder.entries)
            try adopt(version)
        case .guest:
            guard try files.list(folder.entries) == nil else { return }
            throw CacheError(.invalid, "There is no store in \(folder.path): it has no folder entries.")
        }
    }

    /// Empties a folder that another version of the application has filled.
    ///
    /// Any number of processes may do this at once. What is removed was listed before the version was found to be
    /// another, so nothing that is stored after one of them has noted the new version is among it.
    private func adopt(_ version: Int64) throws {
        let file = VersionFile(folder: folder)
        if try file.read().isOf(version) { return }
        let found = try folder.scan()
        let former = try file.read()
        if former.isOf(version) { return }
        for entry in found { try room.remove(entry.place, ifStill: entry.status) }
        // Only now, so that who opens the store after a kill goes on.
        try file.write(version)
        if former == .none, found.isEmpty { return }
        report(.outdated(reason: "\(former) of the application wrote it, this is version \(version)"))
    }
}

extension Role {
    /// The version of the application that fills a store; a guest fills none.
    var version: Int64 {
        if case .owner(let version) = self { version } else { 0 }
    }
}
