import Foundation
import Tango

/// The server in Python, as a process that ends with this object.
final class BookServer: Sendable {
    struct Received: Decodable, Sendable {
        let method: String, path: String, headers: [String: String]
    }

    let url: URL
    private let process: Process
    private let input = Pipe()
    private let control: Client

    /// A Boolean value that indicates whether the server can run here. Otherwise, the tests are disabled.
    static let hasPython: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "--version"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    init() throws {
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-m", "bookserver"]
        let package = URL(filePath: #filePath).appending(path: "../../../..").standardized
        process.currentDirectoryURL = package.appending(path: "Server")
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let url = URL(string: line.trimmingCharacters(in: .whitespacesAndNewlines)), url.port != nil else {
            throw Failure(description: "the server has not printed its URL, but: \(line)")
        }
        self.url = url
        control = Client(baseURL: url)
    }

    deinit { stop() }

    /// Ends the server, and returns when its port is closed.
    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The requests so far, without those of the tests.
    func received() async throws -> [Received] {
        try await control.get("/control/requests").value
    }

    /// Makes all access tokens invalid.
    func expireTokens() async throws {
        try await control.post("/control/expire", as: Void.self).value
    }

    /// Closes the connection of the next text after some bytes.
    func cutNextText(after bytes: Int) async throws {
        try await control.post("/control/cut?bytes=\(bytes)", as: Void.self).value
    }

    /// Sends no more of the next text after some bytes, until its client has gone.
    func holdNextText(after bytes: Int) async throws {
        try await control.post("/control/hold?bytes=\(bytes)", as: Void.self).value
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
}
