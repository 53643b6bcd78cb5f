import Foundation

/// A second process of this program with another task. It ends with this process.
struct Child {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// - Parameter arguments: The arguments of ``httpProcess(_:)``.
    init(_ arguments: [String]) throws {
        guard let program = Bundle.main.executableURL else { throw Failure("this program does not know its own path") }
        process.executableURL = program
        process.arguments = [httpProcessOption] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Returns the next numbers that the process prints.
    func numbers() throws -> [Double] {
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let byte = output.fileHandleForReading.readData(ofLength: 1)
            guard !byte.isEmpty else { throw Failure("a process of the suite ended early") }
            line += byte
        }
        return String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    }

    func wait() {
        process.waitUntilExit()
    }
}

/// A `LoopbackServer` in a process of its own.
struct Server: Sendable {
    private let child: Kept
    let port: Int

    private struct Kept: @unchecked Sendable {
        let child: Child
    }

    init() throws {
        let child = try Child(["serve"])
        guard let port = try child.numbers().first else { throw Failure("the server has no port") }
        self.child = Kept(child: child)
        self.port = Int(port)
    }

    func url(_ path: String) -> URL {
        // A path of this suite is always part of a URL.
        URL(string: "http://127.0.0.1:\(port)\(path)") ?? URL(fileURLWithPath: path)
    }

    var small: URL { url("/small") }
    var late: URL { url("/late") }
    var sink: URL { url("/sink") }
    func bytes(_ count: Int) -> URL { url("/bytes/\(count)") }
    /// A file of which each connection gets 10 MB a second.
    func limited(_ count: Int) -> URL { url("/limited/\(count)") }
}
