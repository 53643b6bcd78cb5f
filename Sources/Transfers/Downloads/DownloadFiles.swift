import TangoPlatform

/// The files of downloads.
enum DownloadFiles {
    /// Makes calls fail. Tests set it.
    @TaskLocal static var fault: FileSystem.Fault?

    /// The failures are a `FileFailure`.
    static var system: FileSystem { FileSystem(error: { $0 }, fault: fault) }
}

extension RequestError {
    /// Creates the error for the caller of a download.
    init(_ failure: FileFailure) {
        let (code, advice): (RequestError.Code, String) =
            switch failure.number {
            case ENOSPC, EDQUOT:
                (.diskFull, "make room, then start the download again, which continues if the server allows it")
            case EFBIG:
                (
                    .cannotWriteFile,
                    "the file would be larger than its file system or a limit of the process allows: choose "
                        + "another folder or raise the limit, then start the download again"
                )
            case EMFILE, ENFILE, ENOMEM: (.outOfResources, "limit the number of calls in flight")
            default: (.cannotWriteFile, "check the folder and its permissions")
            }
        let (action, phase): (String, Phase) =
            switch failure.call {
            // The file is opened before anything is sent.
            case .open, .create: ("opening", .prepare)
            case .read, .status, .list: ("reading", .receive)
            case .write, .synchronize, .makeFolder, .lock: ("writing", .receive)
            case .rename: ("renaming a file to", .receive)
            case .remove: ("removing", .receive)
            case .protect: ("setting the permissions of", .receive)
            }
        self.init(
            code, phase: phase,
            detail: "\(action) \(failure.path.debugDescription) failed (\(failure.error.text)): \(advice)")
    }
}

extension File {
    /// Returns the SHA-256 of the bytes on the disk, in hexadecimal digits.
    ///
    /// - Parameter check: Called before each portion.
    func digest(check: () throws -> Void = {}) throws -> String {
        var hash = SHA256()
        var offset = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            try check()
            let count = try buffer.withUnsafeMutableBytes { try read(into: $0, at: offset) }
            guard count > 0 else { return hash.finish().hexadecimal }
            buffer.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            offset += count
        }
    }
}
