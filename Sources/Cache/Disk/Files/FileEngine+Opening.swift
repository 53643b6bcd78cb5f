extension FileEngine {
    /// Creates missing folders, and empties a store that another version has filled. A guest throws if there is no
    /// store.
    func prepare() throws {
        switch role {
        case .owner(let version):
            try files.makeFolder(folder.entries)
            try adopt(version)
        case .guest:
            guard try files.list(folder.entries) == nil else { return }
            throw CacheError(.invalid, "There is no store in \(folder.path): it has no folder entries. Check the path.")
        }
    }

    /// Empties a folder that another version of the application has filled.
    ///
    /// Any number of processes may do this at once. Only entries that were listed before the version was compared are
    /// removed. Entries stored after a process has written the new version are not among them.
    private func adopt(_ version: Int64) throws {
        let file = VersionFile(folder: folder)
        if try file.read().isOf(version) { return }
        let found = try folder.scan()
        let former = try file.read()
        if former.isOf(version) { return }
        try log.forget()
        for entry in found { try room.remove(entry.place, ifStill: entry.status) }
        try inboxes.forget()
        // Written last, so that the next opening continues after a kill.
        try file.write(version)
        if former == .none, found.isEmpty { return }
        report(.outdated(reason: "\(former) of the application wrote it, this is version \(version)"))
    }
}

extension Role {
    /// The version of the application that fills the store. A guest fills none.
    var version: Int64 {
        if case .owner(let version) = self { version } else { 0 }
    }
}
