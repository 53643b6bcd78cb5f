import Foundation
import LoopbackServer
import TangoRequest
import TangoTransfers

/// A download whose declaration can be set from outside.
final class GetFile: Download {
    let owner: Client
    var place: Endpoint
    var target: Destination
    var digest: Checksum?
    var key: String?
    var limit: Int?
    var rules: Validation?
    var connections = DownloadParts.one

    init(_ path: String = "/film.mp4", of owner: Client, to target: Destination) {
        place = .get(path)
        self.owner = owner
        self.target = target
    }

    override var client: Client { owner }
    override var endpoint: Endpoint { place }
    override var destination: Destination { target }
    override var checksum: Checksum? { digest }
    override var resumeKey: String? { key }
    override var responseLimit: Int? { limit }
    override var parts: DownloadParts { connections }
    override var validation: Validation { rules ?? super.validation }
}

/// A server with one file, and a folder for downloads of it.
final class FileSite: Sendable {
    static let size = 300_000

    let site: Site
    let files = ScratchFiles()
    let entity: Entity
    let client: Client

    init(_ entity: Entity = Entity(bytes: FileSite.size), _ change: (inout Client.Configuration) -> Void = { _ in })
        throws
    {
        site = try Site()
        self.entity = entity
        let url = site.server.url
        client = Client(baseURL: url) {
            $0.timeouts = .patient
            $0.retryPolicy = .never
            change(&$0)
        }
        site.server.answer("/film.mp4", with: entity)
    }

    var server: LoopbackServer { site.server }
    var target: URL { files.url.appendingPathComponent("film.mp4") }

    /// A download to one file.
    func get() -> GetFile { GetFile(of: client, to: .file(target)) }
    /// A download to the folder.
    func getIntoFolder() -> GetFile { GetFile(of: client, to: .folder(files.url)) }

    /// A download to one file in parts of at least 64 KB.
    func get(parts: Int) -> GetFile {
        let request = get()
        request.connections = .upTo(parts, minimumSize: 1 << 16)
        return request
    }

    /// Lets the next response break off in the middle of its body.
    func breakOff(_ effect: Fault.Effect = .reset, at moment: Fault.Moment = .responseBody) {
        server.enqueue(
            Response(
                headers: ["ETag": entity.etag ?? "W/\"\"", "X-Broken": "yes"], body: .generated(bytes: entity.bytes)
            )
            .failing(effect, at: moment))
    }

    /// The names of all files in the folder.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: files.url.path)) ?? []).sorted()
    }

    /// The `Range` of each request.
    var ranges: [String?] { server.requests.map { $0.headers["Range"] } }
}
