import Foundation
import Harness
import TangoRequest

/// Small requests over TLS, and over HTTP/2, if nginx and openssl are installed. The server is nginx.
func secured(_ count: Int) -> [Group] {
    guard Nginx.isThere else { return [] }
    let nginx = Kept { try Nginx() }
    return [
        secured("TLS", count: count, nginx) { $0.url(http2: false) },
        secured("HTTP/2", count: count, nginx) { $0.url(http2: true) },
    ]
}

private func secured(
    _ name: String, count: Int, _ nginx: Kept<Nginx>, url: @escaping @Sendable (Nginx) -> URL
) -> Group {
    let plain = Kept { try PlainCurl(inFlight: 64, authority: try await nginx.value.authority) }
    let transport = CurlTransport()
    return Group(
        "HTTP, small GET over \(name), 64 in flight (one operation: a request)",
        against: Reference(
            "64 in flight over \(name)",
            .timed("ref: libcurl driven by C over \(name)") {
                let (plain, url) = (try await plain.value, url(try await nginx.value))
                return try nanoseconds(for: count) { try plain.get(url, count: count) }
            }),
        [
            .timed("GET over \(name), 64 in flight", must: 1.33, aim: 1.05) {
                let nginx = try await nginx.value
                let options = TransportOptions(trust: .authorities([.file(nginx.authority)]))
                return try await nanoseconds(for: count) {
                    try await get(url(nginx), transport, options, count: count, inFlight: 64)
                }
            }
        ])
}

/// An nginx for the duration of the run. It ends when the pipe to this process is closed.
final class Nginx: @unchecked Sendable {
    private let process = Process()
    private let life = Pipe()
    private let ports: (tls: Int, http2: Int)
    private let folder = Scratch.newFolder()

    private static let program = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    static var isThere: Bool {
        program != nil && FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")
    }

    var authority: String { "\(folder)/certificate.pem" }

    func url(http2: Bool) -> URL {
        URL(string: "https://localhost:\(http2 ? ports.http2 : ports.tls)/small") ?? URL(fileURLWithPath: "/")
    }

    init() throws {
        let sockets = try [SharedPort(), SharedPort()]
        ports = (sockets[0].number, sockets[1].number)
        let configuration = """
            daemon off; master_process off; pid \(folder)/pid; error_log stderr notice;
            events { worker_connections 1024; }
            http {
                access_log off; keepalive_requests 100000000; keepalive_timeout 1h; ssl_protocols TLSv1.3;
                client_body_temp_path \(folder)/body; proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi; uwsgi_temp_path \(folder)/uwsgi; scgi_temp_path \(folder)/scgi;
                ssl_certificate \(folder)/certificate.pem; ssl_certificate_key \(folder)/key.pem;
                server { listen 127.0.0.1:\(ports.tls) ssl reuseport; location / { return 200 "a small body"; } }
                server { listen 127.0.0.1:\(ports.http2) ssl http2 reuseport; location / { return 200 "a small body"; } }
            }
            """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: "\(folder)/nginx.conf"))
        let script = """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1/key.pem" -days 30 \\
                -subj /CN=localhost -addext subjectAltName=DNS:localhost -out "$1/certificate.pem" 2>/dev/null
            exec 3<&0
            "$0" -p "$1" -c nginx.conf 3<&- &
            child=$!
            { cat <&3 >/dev/null; kill -9 $child; } 2>/dev/null &
            wait $child
            """
        let said = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script, Self.program ?? "nginx", folder]
        process.standardInput = life
        process.standardError = said
        try process.run()
        var text = ""
        while !text.contains("getrlimit") {
            let more = said.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failure("nginx: \(text)") }
            text += String(decoding: more, as: UTF8.self)
        }
        // nginx listens by now.
        withExtendedLifetime(sockets) {}
    }

    deinit {
        try? life.fileHandleForWriting.close()
    }
}

/// A free port, reserved by a socket that allows sharing.
private final class SharedPort {
    let number: Int
    private let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

    init() throws {
        var on: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else { throw Failure("there is no free port") }
        number = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(socket) }
}
