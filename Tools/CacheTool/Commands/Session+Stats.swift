import TangoCache

extension Session {
    /// Prints the sizes of the store.
    func stats(json: Bool) async throws -> ExitCode {
        let found = try await store.toolStatistics()
        if json {
            try print(
                [
                    ("engine", .text(found.kind.name)),
                    ("entries", .number(found.count)),
                    ("bytes", .number(found.bytes)),
                    ("pinnedEntries", .number(found.pinnedCount)),
                    ("pinnedBytes", .number(found.pinnedBytes)),
                    ("expiredEntries", .number(found.expiredCount)),
                    ("oldest", .text(found.oldest.flatMap(Human.date))),
                    ("newest", .text(found.newest.flatMap(Human.date))),
                ] + found.members.map { ($0.name, JSON($0.value)) })
        } else {
            try console.print(Table.facts(facts(found)))
        }
        return .done
    }

    private func facts(_ found: ToolStatistics) -> [(name: String, value: String)] {
        let now = console.now()
        return [
            ("engine", found.kind.title),
            ("entries", "\(found.count), \(found.pinnedCount) of them pinned, \(found.expiredCount) expired"),
            ("counted", "\(Human.size(found.bytes)), \(Human.size(found.pinnedBytes)) of it pinned"),
            ("oldest", found.oldest.map { Human.age($0, at: now) } ?? "none"),
            ("newest", found.newest.map { Human.age($0, at: now) } ?? "none"),
        ] + found.facts
    }
}

extension JSON {
    fileprivate init(_ value: ToolStatistics.Value) {
        self =
            switch value {
            case .text(let text): .text(text)
            case .number(let number): .number(number)
            case .texts(let texts): .list(texts.map { .text($0) })
            }
    }
}
