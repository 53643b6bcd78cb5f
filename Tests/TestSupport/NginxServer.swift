import ChildProcesses
import Foundation
import TangoRequest

/// An nginx that is a child of this process and ends with it.
final class NginxServer: @unchecked Sendable {
    /// A site with a port of its own.
    enum Site: String, CaseIterable {
        /// A valid certificate, TLS 1.2 and 1.3, HTTP/1.1.
        case right
        /// The same with HTTP/2.
        case http2
        case wrongHost, expired, early, selfSigned, otherAuthority, wrongPurpose
        /// Requires a certificate of the client.
        case clientWanted
        case tls1_2
        /// HTTP/2 with few requests on each connection, so that it often sends GOAWAY.
        case leaving
        /// HTTP/2 with few concurrent streams and a small window for their bodies.
        case narrow
        /// No TLS.
        case clear
        /// TLS that forwards the decrypted bytes unchanged.
        case tunnel
    }

    let certificates: TestCertificates
    private let ports: [Site: ReservedPort]
    private let process: ChildProcess
    /// A pipe. The server ends when it is closed.
    private let life: CInt
    private let folder: URL

    static func start() async throws -> NginxServer {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                // A child inherits the signal mask of this thread. A shell with blocked signals would wait forever.
                var none = sigset_t()
                sigemptyset(&none)
                pthread_sigmask(SIG_SETMASK, &none, nil)
                continuation.resume(with: Result { try NginxServer() })
            }
        }
    }

    private init() throws {
        guard let nginx = Nginx.program("nginx"), let module = Nginx.tunnelModule else {
            throw ProgramFailed(description: Nginx.comment)
        }
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tango-nginx-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificates = try TestCertificates(in: folder)
        ports = try Dictionary(uniqueKeysWithValues: Site.allCases.map { ($0, try ReservedPort()) })
        let text = NginxConfiguration(folder: folder, ports: ports.mapValues(\.number), tunnelModule: module).text
        let configuration = folder.appendingPathComponent("nginx.conf")
        try Data(text.utf8).write(to: configuration)
        for (name, count) in [("small", 100), ("large", 5_000_000), ("huge", 200_000_000)] {
            let file = folder.appendingPathComponent("files/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: file)
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: UInt64(count))
            try handle.close()
        }

        // When the pipe to this process closes, for any reason, the shell ends nginx by its process id and removes its files.
        let script = """
            exec 2>&1 3<&0
            "$0" -p "$1" -c nginx.conf 3<&- &
            child=$!
            { cat <&3 >/dev/null; kill $child; } 2>/dev/null &
            wait $child
            rm -rf "$1"
            """
        let ends = try ChildProcess.pipe()
        defer { close(ends.reading) }
        life = ends.writing
        process = try ChildProcess(command: ["/bin/sh", "-c", script, nginx.path, folder.path], input: ends.reading)
        try Self.waitUntilReady(process)
        for (site, port) in ports where !port.answers {
            throw ProgramFailed(description: "nginx does not listen for \(site)")
        }
    }

    deinit { close(life) }

    /// Waits for the last line of output before nginx accepts connections. Its ports are open by then.
    private static func waitUntilReady(_ process: ChildProcess) throws {
        var said: [String] = []
        while said.last?.contains("getrlimit") != true {
            guard let line = process.line() else {
                throw ProgramFailed(description: "nginx: \(said.joined(separator: "\n"))")
            }
            said.append(line)
        }
        Thread.detachNewThread { while process.line() != nil {} }
    }

    func url(_ site: Site, _ path: String = "/facts", host: String = "right.test") -> URL {
        let scheme = site == .clear ? "http" : "https"
        return URL(string: "\(scheme)://\(host):\(ports[site]?.number ?? 0)\(path)") ?? folder
    }

    func port(_ site: Site) -> Int { ports[site]?.number ?? 0 }

    /// A rule that trusts the authority of the certificates.
    var trust: ServerTrust { .authorities([certificates.source("authority.pem")]) }
}
