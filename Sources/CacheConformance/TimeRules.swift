/// Times are exact to the millisecond. The time of writing is that of the entry, or else that of the `set`.
extension Rule {
    static let times: [Self] =
        expiries.map { name, expires in
            Self("An expiry \(name) is exact to the millisecond.") { trial in
                let entry = CacheEntry(body: Sample.bytes(100, of: 1), expires: expires())
                try await trial.roundTrip(entry, at: "a")
            }
        } + [
            Self("An entry that has a time of writing keeps it, to the millisecond.") { trial in
                for seconds in [86_400.123_456, 1_234_567_890.987_654] {
                    try await trial.roundTrip(Sample.entry(1, written: Date(timeIntervalSince1970: seconds)), at: "a")
                }
            },
            Self("An entry without a time of writing gets that of the `set`.") { trial in
                try await trial.store.set(Sample.entry(1), for: "a")
                let now = Date()
                guard let written = try await trial.store.get("a")?.written else {
                    throw Mismatch(expected: "a time of writing", got: "none")
                }
                // A server may have a clock of its own.
                guard abs(now.timeIntervalSince(written)) < 600 else {
                    throw Mismatch(expected: "a time of writing near \(now)", got: "\(written)")
                }
            },
            Self("An entry with a date that is not a number is rejected, and changes nothing.") { trial in
                let noDate = Date(timeIntervalSinceReferenceDate: .nan)
                try await trial.store.set(Sample.entry(1), for: "a")
                for entry in [
                    CacheEntry(body: Sample.bytes(100, of: 2), written: noDate),
                    CacheEntry(body: Sample.bytes(100, of: 2), expires: noDate),
                ] {
                    try await trial.expectError("`set`") { try await trial.store.set(entry, for: "a") }
                    try await trial.expectError("`setMany`") {
                        try await trial.store.setMany([(key: "a", entry: entry)])
                    }
                    try await trial.expectError("`writer` or its `commit`") {
                        try await trial.store.writer(for: "a", entry: entry).commit()
                    }
                    try await trial.expect(Sample.entry(1), at: "a")
                    try await trial.expectListed(["a"])
                }
            },
            Self("The time of writing does not change when an entry is read.") { trial in
                try await trial.store.set(Sample.entry(1), for: "a")
                let first = try await trial.store.get("a")?.written
                for _ in 0..<3 {
                    try trial.expect("the time of writing", first, got: try await trial.store.get("a")?.written)
                }
                let listed = try await trial.items()["a"]?.written
                try trial.expectTime("the time of writing in the list", first, got: listed)
            },
        ]

    private static let expiries: [(name: String, expires: @Sendable () -> Date?)] = [
        ("in an hour", { Date(timeIntervalSinceNow: 3_600.123) }),
        ("in a thousand years", { Date(timeIntervalSinceNow: 31_556_952_000.789) }),
        ("in the distant future", { Date.distantFuture }),
    ]
}

/// An expired entry is not returned, even before it is removed.
extension Rule {
    static let expiry: [Self] = [
        Self("`get` does not return an entry that has expired.") { trial in
            try await trial.store.set(expired(1), for: "a")
            try await trial.store.set(fresh(2), for: "b")
            try await trial.expect(nil, at: "a")
            try trial.expect("the body of the fresh entry", fresh(2).body, got: try await trial.store.get("b")?.body)
        },
        Self("`getMany` does not return an entry that has expired.") { trial in
            try await trial.store.setMany([(key: "a", entry: expired(1)), (key: "b", entry: Sample.entry(2))])
            let found = try await trial.store.getMany(["a", "b"])
            try trial.expect("the found entries", [false, true], got: found.map { $0 != nil })
        },
        Self("`reader` does not return an entry that has expired.") { trial in
            try await trial.store.set(expired(1), for: "a")
            try trial.expect("whether there is a reader", false, got: try await trial.store.reader(for: "a") != nil)
        },
        Self("An entry that expired in the distant past is not returned.") { trial in
            try await trial.store.set(CacheEntry(body: Sample.bytes(100, of: 1), expires: .distantPast), for: "a")
            try await trial.expect(nil, at: "a")
        },
        Self("An entry that has expired still replaces the old one.") { trial in
            try await trial.store.set(Sample.entry(1), for: "a")
            try await trial.store.set(expired(2), for: "a")
            try await trial.expect(nil, at: "a")
        },
        Self("An entry that has expired can be replaced.") { trial in
            try await trial.store.set(expired(1), for: "a")
            try await trial.expect(nil, at: "a")
            try await trial.roundTrip(Sample.entry(2), at: "a")
            try await trial.expectListed(["a"])
        },
    ]

    private static func expired(_ number: Int) -> CacheEntry {
        CacheEntry(body: Sample.bytes(100, of: number), expires: Date(timeIntervalSinceNow: -3_600))
    }

    private static func fresh(_ number: Int) -> CacheEntry {
        CacheEntry(body: Sample.bytes(100, of: number), expires: Date(timeIntervalSinceNow: 3_600))
    }
}
