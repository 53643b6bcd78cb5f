import Harness
import Tango

/// Writes of 20 KB while another task reads without a pause.
func underLoad(_ size: Size) -> Group {
    let count = size(1_000)
    let body = BodySize.all[2]
    let plain = Kept { try PlainFiles(body) }
    let store = Kept { try await Filled(body, count: body.entries) }
    return Group(
        "Cache on disk, set 20 KB while another task reads",
        against: Reference(
            "file write, \(body.name)",
            .timed("ref: write a file of \(body.name) aside, rename it") { try await plain.value.timeToWrite(50) }),
        [
            .timed("set 20 KB while others read, median") {
                try await times(count, store.value).share(0.5)
            },
            .timed("set 20 KB while others read, p99") {
                try await times(count, store.value).share(0.99)
            },
            .number("set 20 KB while others read: p99 in medians", must: 4) {
                let times = try await times(count, store.value)
                return times.share(0.99) / times.share(0.5)
            },
            .number("plain file of 20 KB while others read: p99 in medians", isComparison: true) {
                let times = try await plainTimes(count, plain.value)
                return times.share(0.99) / times.share(0.5)
            },
        ])
}

private func plainTimes(_ count: Int, _ plain: PlainFiles) async throws -> [Double] {
    let reader = Task {
        while !Task.isCancelled {
            for path in plain.paths where !Task.isCancelled { keep(try PlainFiles.read(path)) }
        }
    }
    defer { reader.cancel() }
    return try (0..<count).map { _ in try plain.timeToWrite(1) }.sorted()
}

/// The durations of many writes, in nanoseconds, the shortest first.
private func times(_ count: Int, _ filled: Filled) async throws -> [Double] {
    let reader = Task {
        let keys = filled.someKeys(1_000)
        while !Task.isCancelled {
            for key in keys where !Task.isCancelled { keep(try await filled.store.get(key)) }
        }
    }
    defer { reader.cancel() }
    var times: [Double] = []
    for (number, key) in filled.freshKeys(count).enumerated() {
        times.append(
            try await nanoseconds(for: 1) { try await filled.store.set(filled.entry(number), for: key) })
    }
    return times.sorted()
}

extension [Double] {
    /// Returns the duration that this share of the writes does not exceed.
    fileprivate func share(_ share: Double) -> Double {
        isEmpty ? 0 : self[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
