import Foundation
import LoopbackServer
import Observation
import Testing

@testable import TangoMeasuring
@testable import TangoRequest
@testable import TestSupport

/// Throughput, lines and bars.
struct ProgressBoardTests {
    private func progress(_ received: Int, of total: Int? = 1000) -> CallProgress {
        CallProgress(received: received, receivedTotal: total)
    }

    // MARK: Throughput

    @Test func throughputIsThatSinceTheBeginning() {
        var rate = TransferRate()
        rate.add(progress(600), at: .seconds(7))
        #expect(rate.bytesPerSecond == nil)
        #expect(rate.timeLeft == nil)
        rate.add(progress(800), at: .seconds(8))
        #expect(rate.bytesPerSecond == 200)
        #expect(rate.timeLeft == .seconds(1))
    }

    @Test func throughputIsSmoothed() throws {
        var rate = TransferRate()
        for second in 0...10 { rate.add(progress(second * 100, of: 10_000), at: .seconds(second)) }
        let steady = try #require(rate.bytesPerSecond)
        #expect(abs(steady - 100) < 0.001)
        rate.add(progress(1000, of: 10_000), at: .seconds(11))
        let paused = try #require(rate.bytesPerSecond)
        #expect(paused > 60 && paused < 80)
        for second in 12...60 { rate.add(progress(1000, of: 10_000), at: .seconds(second)) }
        #expect(try #require(rate.bytesPerSecond) < 1)
    }

    @Test func timeLeftNeedsATotalAndAThroughput() {
        var rate = TransferRate()
        rate.add(progress(100, of: nil), at: .zero)
        rate.add(progress(200, of: nil), at: .seconds(1))
        #expect(rate.bytesPerSecond == 100)
        #expect(rate.timeLeft == nil)
        var stalled = TransferRate()
        stalled.add(progress(0), at: .zero)
        stalled.add(progress(0), at: .seconds(1))
        #expect(stalled.bytesPerSecond == 0)
        #expect(stalled.timeLeft == nil)
        stalled.add(progress(1000), at: .seconds(2))
        #expect(stalled.timeLeft == .zero)
    }

    @Test func responseIsMeasuredApartFromTheRequest() {
        var rate = TransferRate()
        rate.add(CallProgress(sent: 0, sentTotal: 5000), at: .zero)
        rate.add(CallProgress(sent: 5000, sentTotal: 5000), at: .seconds(1))
        #expect(rate.bytesPerSecond == 5000)
        rate.add(CallProgress(sent: 5000, sentTotal: 5000, received: 10, receivedTotal: 1010), at: .seconds(2))
        rate.add(CallProgress(sent: 5000, sentTotal: 5000, received: 110, receivedTotal: 1010), at: .seconds(3))
        #expect((rate.bytesPerSecond ?? 0) < 5000)
        #expect(rate.timeLeft != nil)
    }

    /// The call has begun with nothing, and the response with 200 MB that were on the disk.
    @Test func resumedBytesDoNotCount() {
        var rate = TransferRate()
        rate.add(CallProgress(), at: .zero)
        rate.add(progress(200_000_000, of: 280_000_000), at: .seconds(1))
        #expect(rate.bytesPerSecond == nil)
        rate.add(progress(208_000_000, of: 280_000_000), at: .seconds(2))
        #expect(rate.bytesPerSecond == 8_000_000)
        #expect(rate.timeLeft == .seconds(9))
    }

    /// A version of the file replaces the resumed one, and another attempt resumes this version.
    @Test func fewerBytesAreANewBeginning() {
        var rate = TransferRate()
        for (bytes, second) in [(0, 0), (800, 1), (100, 2), (900, 3)] {
            rate.add(progress(bytes), at: .seconds(second))
        }
        #expect(rate.bytesPerSecond == 800)
        rate.add(CallProgress(), at: .seconds(4))
        rate.add(progress(900), at: .seconds(5))
        #expect(rate.bytesPerSecond == 800)
        rate.add(progress(1000), at: .seconds(6))
        #expect((rate.bytesPerSecond ?? 0) < 800)
    }

    // MARK: Text

    @Test(arguments: [
        (0, 1000, "[░░░░]   0 %  0 B of 1.0 kB"), (500, 1000, "[██░░]  50 %  500 B of 1.0 kB"),
        (999, 1000, "[███░]  99 %  999 B of 1.0 kB"), (1000, 1000, "[████] 100 %  1.0 kB of 1.0 kB"),
        (0, 0, "[████] 100 %  0 B of 0 B"), (12_345_678, nil, "12.3 MB"),
    ])
    func lineShowsTheProgress(_ received: Int, _ total: Int?, _ line: String) {
        #expect(ProgressText(width: 4).line(for: progress(received, of: total)) == line)
    }

    @Test func lineShowsThroughputAndTime() {
        var rate = TransferRate()
        rate.add(progress(0), at: .zero)
        rate.add(progress(500), at: .seconds(2))
        #expect(
            ProgressText(width: 2).line(for: progress(500), rate) == "[█░]  50 %  500 B of 1.0 kB  250 B/s  2 s left")
    }

    @Test(arguments: [
        (Duration.milliseconds(1), "1 s"), (.seconds(59), "59 s"), (.seconds(61), "1 min 1 s"),
        (.seconds(7260), "2 h 1 min"),
    ])
    func timeIsShort(_ time: Duration, _ text: String) {
        #expect(ProgressText.time(time) == text)
    }

    // MARK: Styles

    @Test(arguments: [
        (true, [:], ProgressBars.Style.bars()), (false, [:], .lines), (true, ["CI": "true"], .quiet),
        (false, ["CI": "1"], .quiet), (true, ["CI": "false"], .bars()), (true, ["CI": ""], .bars()),
        (true, ["TERM": "dumb"], .lines),
    ])
    func styleFollowsTheOutput(_ isTerminal: Bool, _ environment: [String: String], _ style: ProgressBars.Style) {
        #expect(ProgressBars.Style.of(isTerminal: isTerminal, environment: environment) == style)
    }

    @Test func barsAreDrawnInPlace() {
        var board = ProgressBoard(.bars(width: 2))
        let one = board.add("one")
        let two = board.add("two\u{1B}[2J\n")
        #expect(board.rows[two].name == "two[2J")
        let first = board.update(one, progress(500), at: .zero)
        #expect(first == "\r\u{1B}[2Kone  [█░]  50 %  500 B of 1.0 kB\n\r\u{1B}[2Ktwo[2J  0 B\n")
        #expect(board.update(two, progress(1000), at: .milliseconds(99)) == "")
        let second = board.update(two, progress(1000), at: .milliseconds(100))
        #expect(second.hasPrefix("\u{1B}[2A\r\u{1B}[2Kone"))
        #expect(board.end(two, .success).contains("two[2J  [██] 100 %  1.0 kB of 1.0 kB\n"))
        #expect(board.end(one, .failure).contains("one  failed after 500 B\n"))
    }

    @Test(arguments: [200, 80, 40, 20, 9, 3, 1], ["film.mp4", String(repeating: "long ", count: 30), "映画の長い名前です"])
    func linesFitTheTerminal(_ columns: Int, _ name: String) {
        var board = ProgressBoard(.bars())
        board.size.columns = columns
        let number = board.add(name)
        for text in [
            board.update(number, progress(1), at: .zero),
            board.update(number, progress(123_456_789, of: 987_654_321), at: .seconds(3)), board.end(number, .failure),
        ] {
            let lines = text.split(separator: "\n").compactMap { $0.components(separatedBy: "\u{1B}[2K").last }
            #expect(lines.count == 1)
            #expect(lines.allSatisfy { $0.cells <= max(columns - 1, 1) })
        }
    }

    @Test func endedTransfersStayAboveThoseThatRun() {
        var board = ProgressBoard(.bars(width: 2))
        board.size.lines = 3
        let numbers = ["a", "b", "c", "d"].map { board.add($0) }
        // Two fit above the line of the cursor.
        let first = board.update(numbers[0], progress(1), at: .zero)
        #expect(first.contains("b  0 B") && !first.contains("c  0 B"))
        let second = board.end(numbers[1], .success)
        #expect(second.hasPrefix("\u{1B}[2A\r\u{1B}[2Kb  0 B\n\r\u{1B}[2Ka"))
        #expect(second.hasSuffix("\r\u{1B}[2Kc  0 B\n"))
        #expect(!board.end(numbers[0], .success).contains("b  "))
    }

    @Test func linesAreFew() {
        var board = ProgressBoard(.lines)
        let number = board.add("film")
        var lines = ""
        for received in 0...1000 { lines += board.update(number, progress(received), at: .milliseconds(received)) }
        #expect(lines.split(separator: "\n").count == 10)
        #expect(lines.contains("film  [████████████████] 100 %"))
        #expect(!lines.contains("\u{1B}"))
        #expect(board.end(number, .success) == "")
        let other = board.add("endless")
        #expect(board.update(other, progress(1, of: nil), at: .seconds(1)) == "")
        #expect(board.update(other, progress(2, of: nil), at: .seconds(10)) == "endless  2 B  0 B/s\n")
        #expect(board.end(other, .cancelled) == "endless  cancelled after 2 B\n")
    }

    @Test func quietBoardWritesNothing() {
        var board = ProgressBoard(.quiet)
        let number = board.add("film")
        #expect(board.update(number, progress(1000), at: .seconds(100)) == "")
        #expect(board.end(number, .failure) == "")
    }

    // MARK: Calls

    @Test func barsFollowCallsToTheirEnds() async throws {
        let site = try FileSite()
        let texts = Recorded<String>()
        let bars = ProgressBars(style: .lines) { texts.add($0) }
        let call = site.get().start()
        bars.add(call, name: "film")
        site.server.answer("/none", with: .status(404))
        let other = GetFile("/none", of: site.client, to: .file(site.files.url.appendingPathComponent("none"))).start()
        bars.add(other)
        await bars.finish()
        #expect(call.isFinished && other.isFinished)
        #expect(texts.all.last { $0.hasPrefix("film") }?.contains("100 %") == true)
        #expect(texts.all.contains { $0.contains("GET /none  failed after 0 B") })
    }

    #if canImport(Observation)
        @Test @MainActor func monitorHasTheLastValues() async throws {
            let site = try FileSite()
            let monitor = CallMonitor(site.get().start())
            await monitor.finished()
            #expect(monitor.progress == CallProgress(received: FileSite.size, receivedTotal: FileSite.size))
            #expect(monitor.fraction == 1)
            #expect(monitor.state == .finished(.success))
            #expect(monitor.timeLeft == nil)
        }

        @Test @MainActor func monitorTellsItsObservers() async throws {
            let site = try FileSite()
            let gate = Gate()
            let entity = site.entity
            site.server.answer("/film.mp4") { entity.response(to: $0).held(by: gate) }
            let monitor = CallMonitor(site.get().start())
            let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
            withObservationTracking {
                _ = monitor.progress
            } onChange: {
                continuation.yield()
            }
            gate.open()
            for await _ in changes { break }
            await monitor.finished()
            #expect(monitor.progress.received == FileSite.size)
        }

        @Test @MainActor func releasedMonitorLeavesTheCall() async throws {
            let site = try FileSite()
            let call = site.get().start()
            var monitor: CallMonitor? = CallMonitor(call)
            weak let weak = monitor
            monitor = nil
            #expect(weak == nil)
            #expect(try await call.value.count == FileSite.size)
        }
    #endif
}
