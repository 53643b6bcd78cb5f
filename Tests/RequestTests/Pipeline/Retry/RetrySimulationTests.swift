import Foundation
import Testing

@testable import TangoRequest
@testable import TestSupport

/// A comparison of policies by the load that 1,000 clients cause on a server with a fault.
struct RetrySimulationTests {
    enum Fault: String, CaseIterable {
        case half = "The server fails half of its requests for 30 s"
        case outage = "The server fails all requests for 5 s, then it can process 1,500 a second"
        case silence = "The same server sends no response for 5 s, then it fails all requests that wait"

        var server: RetrySimulation.Server {
            switch self {
            case .half: RetrySimulation.Server(fault: 10..<40, failing: 0.5)
            case .outage: RetrySimulation.Server(fault: 0..<5, capacity: 150)
            case .silence: RetrySimulation.Server(fault: 0..<5, isSilent: true, capacity: 150)
            }
        }

        /// The seconds after the fault that have a column of their own.
        var after: Range<Int> { server.fault.upperBound..<server.fault.upperBound + 5 }
    }

    enum Row: String, CaseIterable {
        case never = "`.never`"
        case connectionLoss = "`.connectionLoss`"
        case fixed = "five attempts, no jitter, no budget"
        case jitter = "five attempts, jitter, no budget"
        case budget = "five attempts, jitter, default budget"
        case standard = "`.standard`, jitter, default budget"

        var retries: RetrySimulation.Retries {
            let five = RetryPolicy.exponential(attempts: 5)
            return switch self {
            case .never: RetrySimulation.Retries(policy: .never)
            case .connectionLoss: RetrySimulation.Retries(policy: .connectionLoss)
            case .fixed: RetrySimulation.Retries(policy: five, budget: .unlimited, hasJitter: false)
            case .jitter: RetrySimulation.Retries(policy: five, budget: .unlimited)
            case .budget: RetrySimulation.Retries(policy: five)
            case .standard: RetrySimulation.Retries(policy: .standard)
            }
        }
    }

    private static func simulate(_ fault: Fault, _ row: Row) throws -> RetryLoad {
        try RetrySimulation(retries: row.retries, server: fault.server, seconds: fault == .half ? 60 : 20).run()
    }

    private static let loads = Result {
        try Dictionary(
            uniqueKeysWithValues: Fault.allCases.map { fault in
                let loads = try Row.allCases.map { ($0, try simulate(fault, $0)) }
                return (fault, Dictionary(uniqueKeysWithValues: loads))
            })
    }

    private static func load(_ fault: Fault, _ row: Row) throws -> RetryLoad {
        try #require(loads.get()[fault]?[row])
    }

    // MARK: Reasons for the defaults

    @Test func equalSimulationsHaveEqualResults() throws {
        #expect(try Self.simulate(.outage, .budget) == Self.load(.outage, .budget))
    }

    /// A connection is not lost here, so the default policy sends each request once.
    @Test(arguments: Fault.allCases)
    func defaultPolicyAddsNoLoad(_ fault: Fault) throws {
        #expect(try Self.load(fault, .connectionLoss) == Self.load(fault, .never))
        #expect(try Self.load(fault, .never).amplification(in: fault.server.fault) == 1)
    }

    @Test func retriesRaiseTheShareOfCallsThatSucceed() throws {
        let shares = try [Row.never, .budget, .jitter].map { try Self.load(.half, $0).successShare }
        #expect(shares == shares.sorted())
        // Independent attempts, each of which fails with a probability of one half.
        for (share, attempts) in [(shares[0], 1), (shares[2], 5)] {
            #expect(abs(share - (1 - pow(0.5, Double(attempts)))) < 0.02)
        }
    }

    @Test(arguments: Fault.allCases)
    func fewerAttemptsAddLessLoad(_ fault: Fault) throws {
        for seconds in [fault.server.fault, fault.after] {
            let loads = try [Row.standard, .jitter].map { try Self.load(fault, $0).amplification(in: seconds) }
            #expect(loads[0] <= loads[1])
        }
    }

    /// Retries whose waits are equal arrive as one wave. Random waits spread them over the longest wait.
    @Test func jitterLowersThePeakAfterASilence() throws {
        let fixed = try Self.load(.silence, .fixed).peak
        // The wave has all calls of the silence, in one window.
        let calls = Double(RetrySimulation.clients * Fault.silence.server.fault.count)
        #expect(fixed >= calls / (Double(RetrySimulation.clients * RetrySimulation.window) / 1_000))
        for row in [Row.jitter, .budget, .standard] {
            #expect(try Self.load(.silence, row).peak < 0.6 * fixed)
        }
    }

    /// Returns the highest load since the start of a fault that the default budget allows.
    ///
    /// It is a request for each call, the burst, and the retries that come back with requests and with time.
    private static func bound(for seconds: Int) -> Double {
        let budget = RetryBudget.standard
        let seconds = Double(seconds)
        return 1 + budget.perRequest + budget.perSecond + Double(budget.burst) / seconds
    }

    @Test(arguments: Fault.allCases)
    func budgetBoundsTheLoad(_ fault: Fault) throws {
        let start = fault.server.fault.lowerBound
        for row in [Row.budget, .standard] {
            for end in start + 1...fault.after.upperBound {
                #expect(try Self.load(fault, row).amplification(in: start..<end) <= Self.bound(for: end - start))
            }
        }
    }

    @Test func withoutABudgetTheLoadOfAnOutageExceedsTheBound() throws {
        let fault = Fault.outage.server.fault
        #expect(try Self.load(.outage, .jitter).amplification(in: fault) > Self.bound(for: fault.count))
        let after = try [Row.budget, .jitter].map { try Self.load(.outage, $0).amplification(in: Fault.outage.after) }
        #expect(after[0] < after[1])
    }

    // MARK: The article

    /// The tables of the article. `.never` and `.connectionLoss` share a row, as they are equal here.
    private static func tables() throws -> String {
        try Fault.allCases.map { fault in
            let rows = try Row.allCases.filter { $0 != .connectionLoss }.map { row in
                let load = try load(fault, row)
                let numbers = [
                    load.amplification(in: fault.server.fault), load.amplification(in: fault.after), load.peak,
                ]
                let cells = numbers.map { String(format: "%.2f", $0) }
                let name = row == .never ? "\(row.rawValue), \(Row.connectionLoss.rawValue)" : row.rawValue
                let share = String(format: "%.0f %%", load.successShare * 100)
                return "| \(name) | \(cells.joined(separator: " | ")) | \(share) |"
            }
            return """
                \(fault.rawValue):

                | Retries | Load during the fault | Load in the 5 s after it | Busiest 100 ms | Calls that succeed |
                |---|---|---|---|---|
                \(rows.joined(separator: "\n"))
                """
        }.joined(separator: "\n\n")
    }

    #if os(Linux)
        @Test func articleHasTheTables() throws {
            let tables = try Self.tables()
            if ProcessInfo.processInfo.environment["TANGO_UPDATE_DOCS"] == "1" {
                print(tables)
                return
            }
            let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
            let file = root.appendingPathComponent("Sources/Request/Request.docc/RetrySimulation.md")
            let article = try String(contentsOf: file, encoding: .utf8)
            let heading = "\n## What budget and jitter do\n"
            let text = try #require(article.components(separatedBy: heading).dropFirst().first)
            #expect(
                text.components(separatedBy: "\n## ")[0].contains(tables),
                """
                The tables of RetrySimulation.md are out of date. Print them with \
                `TANGO_UPDATE_DOCS=1 swift test --filter RetrySimulationTests`, and check the text beside them.
                """)
        }
    #endif
}
