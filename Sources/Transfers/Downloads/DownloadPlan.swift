/// The properties of a ``Download`` that its run needs.
struct DownloadPlan: RequestFeature {
    let destination: Destination
    let checksum: Checksum?
    let resumeKey: String?
    let limit: Int?
    var parts = DownloadParts.one

    func part(of identity: Identity) -> any CallPart {
        PartialFiles.takePartInSignOuts()
        return DownloadRun(self, of: identity)
    }

    /// Returns the digest of the resource that a request asks for. It is stored, so it reveals nothing.
    ///
    /// - Parameter owner: The digest of the user, who alone may use the bytes; nil for anyone.
    func resource(of request: HTTPRequest, for owner: String? = nil) -> String {
        let key = resumeKey.map { "key \($0)" } ?? request.url.absoluteString
        let user = owner.map { "\u{0}user \($0)" } ?? ""
        return SHA256.hex("tango download\u{0}\(request.method)\u{0}\(key)\(user)".utf8)
    }

    /// Returns the digest of the URL that a request is sent to, also after a redirect; nil if a key identifies the file.
    func location(of request: HTTPRequest) -> String? {
        resumeKey == nil ? SHA256.hex("tango location\u{0}\(request.url.absoluteString)".utf8) : nil
    }

    /// The folder of the file, and the place of the file until it is complete.
    ///
    /// - Throws: A `RequestError` if the destination cannot be used.
    func partialPath(of resource: String) throws -> String {
        let folder: String
        let name: String
        switch destination.place {
        case .undeclared:
            throw Self.unusable(
                "the download has no destination: override `destination`, as in "
                    + "`override var destination: Destination { .folder(downloads) }`")
        case .file(let url):
            guard url.isFileURL, !url.lastPathComponent.isEmpty else {
                throw Self.unusable("the destination is not the URL of a file: make it with URL(fileURLWithPath:)")
            }
            guard FileStatus(of: url.path)?.isFolder != true else {
                throw Self.unusable(
                    "the destination \(url.path.debugDescription) is a folder: add a name, or use .folder")
            }
            folder = url.deletingLastPathComponent().path
            // Two downloads to one file meet here, whatever they load.
            name = SHA256.hex("file\u{0}\(url.lastPathComponent)".utf8)
        case .folder(let url):
            guard url.isFileURL else {
                throw Self.unusable("the destination is not the URL of a folder: make it with URL(fileURLWithPath:)")
            }
            folder = url.path
            name = SHA256.hex("folder\u{0}\(resource)".utf8)
        }
        guard let isFolder = FileStatus(of: folder)?.isFolder else {
            throw Self.unusable("the folder \(folder.debugDescription) does not exist: create it first")
        }
        guard isFolder else { throw Self.unusable("\(folder.debugDescription) is not a folder: choose another one") }
        return URL(fileURLWithPath: folder).appendingPathComponent(PartialFile.name(name)).path
    }

    private static func unusable(_ detail: String) -> RequestError {
        RequestError(.badDestination, phase: .prepare, detail: detail)
    }

    static func inUse(_ destination: Destination) -> RequestError {
        let place =
            switch destination.place {
            case .file(let url), .folder(let url): url.path
            case .undeclared: ""
            }
        return RequestError(
            .destinationInUse, phase: .prepare,
            detail: "another download writes to \(place.debugDescription): wait for it, or cancel it")
    }
}
