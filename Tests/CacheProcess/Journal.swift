import Foundation

/// What a process tells about its changes, a line each: first what it is about to do, then that it is done.
///
/// `> set KEY VERSION`, `< set KEY VERSION`, and the same with `remove`. A line that begins with `!` is a complaint.
enum Journal {
    /// Writes a line, in one call, so that it is told whole or not at all.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            done += count
        }
    }

    /// Makes a change to keys, and says so before and after.
    static func change(
        _ kind: String, _ keys: [(name: String, version: Int)], _ work: () async throws -> Void
    ) async throws {
        for key in keys { say("> \(kind) \(key.name) \(key.version)") }
        try await work()
        for key in keys { say("< \(kind) \(key.name) \(key.version)") }
    }
}
