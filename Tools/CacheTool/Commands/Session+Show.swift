import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Session {
    /// Prints the fields of an entry, its body, or both.
    func show(_ key: CacheKey, _ showing: Showing, json: Bool) async throws -> ExitCode {
        guard let reader = try await store.reader(for: key) else {
            if !reports.hasDamage { console.complain("there is no entry under \(key.shown), or it has expired.") }
            return .nothing
        }
        var members = reader.item.members
        if let output = showing.output {
            try await write(reader, to: output)
            if json { try print(members + [("output", .text(output))]) }
        } else if showing.body, json {
            var body = Data()
            for try await portion in reader { body.append(portion) }
            members.append(("body", .text(body.base64EncodedString())))
            try print(members)
        } else if showing.body {
            for try await portion in reader { try console.write(portion) }
        } else if json {
            try print(members)
        } else {
            try console.print(reader.item.description(at: console.now()))
        }
        return .done
    }

    private func write(_ reader: CacheReader, to path: String) async throws {
        let file = try OutputFile(path)
        do {
            for try await portion in reader { try file.append(portion) }
            try file.finish()
        } catch {
            file.abandon()
            throw error
        }
    }
}
