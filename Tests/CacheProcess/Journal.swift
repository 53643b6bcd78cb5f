import Foundation

/// The output of a process about its changes: a line before each change, and a line after it.
///
/// The lines are `> set KEY VERSION` and `< set KEY VERSION`, and the same with `remove`. A line that begins with `!`
/// is a failure.
enum Journal {
    /// Writes a line in one call, so that it is complete or missing.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            done += count
        }
    }

    /// Makes a change to keys, and writes a line before and after it.
    static func change(
        _ kind: String, _ keys: [(name: String, version: Int)], _ work: () async throws -> Void
    ) async throws {
        for key in keys { say("> \(kind) \(key.name) \(key.version)") }
        try await work()
        for key in keys { say("< \(kind) \(key.name) \(key.version)") }
    }
}
