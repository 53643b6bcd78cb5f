import Testing

@testable import CacheTool

@Suite struct QuantityTests {
    @Test(arguments: [
        ("0", 0), ("500", 500), ("10k", 10_000), ("10K", 10_000), ("5MB", 5_000_000), ("1.5kb", 1500), ("2KiB", 2048),
        ("1GiB", 1_073_741_824), ("7b", 7), ("1g", 1_000_000_000),
    ])
    func sizesAreRead(_ text: String, _ bytes: Int) throws {
        #expect(try Quantity.size(text, for: "--larger-than") == bytes)
    }

    @Test(arguments: [("90s", 90.0), ("10m", 600), ("2h", 7200), ("7d", 604_800), ("1w", 604_800), ("0.5h", 1800)])
    func timesAreRead(_ text: String, _ seconds: Double) throws {
        #expect(try Quantity.time(text, for: "--older-than") == seconds)
    }

    @Test(arguments: ["", "k", "ten", "5 MB", "-5", "1e3", "5X", "1.2.3", "99999999999999999999T", "0x10", "٣"])
    func otherSizesAreRefused(_ text: String) {
        #expect(throws: UsageError.self) { try Quantity.size(text, for: "--larger-than") }
    }

    @Test(arguments: ["", "5", "s", "5 min", "-1h", "nan", "inf", "999999999999d"])
    func otherTimesAreRefused(_ text: String) {
        #expect(throws: UsageError.self) { try Quantity.time(text, for: "--older-than") }
    }
}
