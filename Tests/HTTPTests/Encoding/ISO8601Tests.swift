import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest

@Suite struct ISO8601Tests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.5Z", 0.5), ("1969-12-31T23:59:59.999Z", -0.001),
            ("2025-01-31T12:00:00Z", 1_738_324_800), ("2025-01-31T12:00:00.123456Z", 1_738_324_800.123456),
            ("2025-01-31t12:00:00z", 1_738_324_800), ("2025-01-31 12:00:00Z", 1_738_324_800),
            ("2025-01-31T13:30:00+01:30", 1_738_324_800), ("2025-01-31T04:00:00-0800", 1_738_324_800),
            ("2025-01-31T12:00:00+00", 1_738_324_800), ("2025-01-31T12:00:00,25Z", 1_738_324_800.25),
            ("2000-02-29T00:00:00Z", 951_782_400), ("2016-12-31T23:59:60Z", 1_483_228_800),
            ("1600-03-01T00:00:00Z", -11_670_912_000), ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799), ("0000-01-01T00:00:00Z", -62_167_219_200),
        ] as [(String, Double)])
    func textIsParsedAsADate(_ text: String, _ seconds: Double) throws {
        #expect(abs(try #require(ISO8601.date(text)).timeIntervalSince1970 - seconds) < 1e-6)
    }

    @Test(arguments: [
        "", "2025", "2025-01-31", "2025-01-31T12:00:00", "2025-01-31T12:00Z", "2025-13-01T00:00:00Z",
        "2025-00-01T00:00:00Z", "2025-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2025-01-32T00:00:00Z",
        "2025-01-00T00:00:00Z", "2025-01-01T24:00:00Z", "2025-01-01T00:60:00Z", "2025-01-01T00:00:61Z",
        "2025-01-01T00:00:00.Z", "2025-01-01T00:00:00+", "2025-01-01T00:00:00+1", "2025-01-01T00:00:00+24:00",
        "2025-01-01T00:00:00+01:60", "2025-01-01T00:00:00ZZ", " 2025-01-01T00:00:00Z", "2025-1-1T00:00:00Z",
        "２025-01-01T00:00:00Z", "-2025-01-01T00:00:00Z", "1738324800",
    ])
    func otherTextIsNoDate(_ text: String) {
        #expect(ISO8601.date(text) == nil)
    }

    @Test func writtenDatesAreParsedBack() throws {
        // Every 97th day from the year 1 to 9999, each at a different time.
        for day in stride(from: -719_162, through: 2_932_896, by: 97) {
            let milliseconds = Int64(day) * 86_400_000 + Int64(abs(day) % 86_400_000)
            let date = try #require(ISO8601.date(ISO8601.text(milliseconds: milliseconds)))
            #expect(ISO8601.milliseconds(of: date) == milliseconds)
        }
    }
}
