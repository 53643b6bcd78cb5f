import Foundation

/// The real server that tests of TLS and HTTP/2 talk to: one nginx for the whole run, on ports of the loopback interface,
/// with certificates that are made for the occasion.
enum Nginx {
    /// Why there is none; nil where there is.
    static let missing: String? = {
        guard ProcessInfo.processInfo.environment["TANGO_NGINX"] == "1" else {
            return "it needs nginx with its stream module, and openssl: install them, and set TANGO_NGINX=1"
        }
        var lost = ["nginx", "openssl"].filter { program($0) == nil }
        if tunnelModule == nil { lost.append("stream module of nginx") }
        return lost.isEmpty ? nil : "TANGO_NGINX is set, but there is no \(lost.joined(separator: " and no "))"
    }()

    static let isThere = missing == nil
    static let comment = "\(missing ?? "")"

    /// Whether tests that run in clear, over TLS and over HTTP/2 are to run behind it only: where those in clear have run by
    /// themselves.
    static let isAlone = isThere && ProcessInfo.processInfo.environment["TANGO_NGINX_ALONE"] == "1"

    private static let started = Task { try await NginxServer.start() }

    static var server: NginxServer {
        get async throws { try await started.value }
    }

    /// The module that passes bytes on as they are: installed apart from the rest.
    static let tunnelModule = ["/usr/lib/nginx/modules", "/usr/lib64/nginx/modules", "/usr/local/libexec/nginx"]
        .map { "\($0)/ngx_stream_module.so" }.first { FileManager.default.fileExists(atPath: $0) }

    static func program(_ name: String) -> URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"])
            .map { URL(fileURLWithPath: $0).appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}

/// What a program has said, and that it failed.
struct ProgramFailed: Error, CustomStringConvertible {
    let description: String
}
