import Foundation

/// The real server for tests of TLS and HTTP/2. One nginx serves the whole run on loopback ports, with certificates that
/// are made for the run.
enum Nginx {
    /// The reason why nginx is missing, or nil if it is available.
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

    /// A Boolean value that indicates whether tests that run in clear, over TLS and over HTTP/2 run behind nginx only.
    /// Another run covers the tests in clear.
    static let isAlone = isThere && ProcessInfo.processInfo.environment["TANGO_NGINX_ALONE"] == "1"

    private static let started = Task { try await NginxServer.start() }

    static var server: NginxServer {
        get async throws { try await started.value }
    }

    /// The module that forwards bytes unchanged. It is installed separately.
    static let tunnelModule = ["/usr/lib/nginx/modules", "/usr/lib64/nginx/modules", "/usr/local/libexec/nginx"]
        .map { "\($0)/ngx_stream_module.so" }.first { FileManager.default.fileExists(atPath: $0) }

    static func program(_ name: String) -> URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"])
            .map { URL(fileURLWithPath: $0).appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}

/// The failure of a program, with its output.
struct ProgramFailed: Error, CustomStringConvertible {
    let description: String
}
