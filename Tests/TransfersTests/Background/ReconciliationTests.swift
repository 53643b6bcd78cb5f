import Foundation
import Testing

@testable import TangoRequest
@testable import TangoTransfers
@testable import TestSupport

/// The steps after a launch.
struct ReconciliationTests {
    private static let now = 1_000_000.0
    private static let head = TransferRecord.Head(status: 200, fields: [], name: "a", total: 3)
    private static let facts = FileFacts(count: 3, number: 7)
    private static let other = FileFacts(count: 3, number: 8)
    private static let content = TransferRecord.Content(head: head, facts: facts)
    private static let path = StoredPath("/a")

    struct Row: CustomStringConvertible, Sendable {
        let description: String
        let step: TransferRecord.Step
        var age = 0.0
        var held: FileFacts?
        var placed: FileFacts?
        var tasks: [SystemTransfer] = []
        let expected: [Reconciliation.Step]
        /// A Boolean value that indicates whether the file in the session's folder stays.
        var keepsFile = false
    }

    private static let week = 9 * 86_400.0
    private static let running = SystemTransfer(task: 4, id: "A")

    static let rows: [Row] = [
        Row(
            description: "started, runs", step: .started, tasks: [running],
            expected: [.adopt(task: 4, id: "A", resumes: false)]),
        Row(
            description: "started, suspended", step: .started,
            tasks: [SystemTransfer(task: 4, id: "A", isSuspended: true)],
            expected: [.adopt(task: 4, id: "A", resumes: true)]),
        Row(
            description: "started, twice", step: .started, tasks: [SystemTransfer(task: 9, id: "A"), running],
            expected: [.adopt(task: 4, id: "A", resumes: false), .cancel(task: 9)]),
        Row(
            description: "started, is ending", step: .started,
            tasks: [SystemTransfer(task: 4, id: "A", isEnding: true)], expected: []),
        Row(description: "started, unknown to the system", step: .started, expected: []),
        Row(
            description: "started, old and runs", step: .started, age: week, tasks: [running],
            expected: [.adopt(task: 4, id: "A", resumes: false)]),
        Row(description: "started, old", step: .started, age: week, expected: [.forget(id: "A")]),
        Row(description: "started, from the future", step: .started, age: -week, expected: [.forget(id: "A")]),
        Row(
            description: "arriving, moved", step: .arriving(head), held: facts, expected: [.finish(id: "A")],
            keepsFile: true),
        Row(description: "arriving, not moved", step: .arriving(head), expected: []),
        Row(
            description: "arriving, not moved, runs", step: .arriving(head), tasks: [running],
            expected: [.adopt(task: 4, id: "A", resumes: false)]),
        Row(
            description: "arrived", step: .arrived(content), held: facts, expected: [.finish(id: "A")],
            keepsFile: true),
        Row(
            description: "arrived, still runs", step: .arrived(content), held: facts, tasks: [running],
            expected: [.finish(id: "A"), .cancel(task: 4)], keepsFile: true),
        Row(description: "arrived, another file", step: .arrived(content), held: other, expected: []),
        Row(description: "arrived, gone", step: .arrived(content), expected: []),
        Row(
            description: "placing, not placed", step: .placing(content, path: path), held: facts,
            expected: [.finish(id: "A")], keepsFile: true),
        Row(
            description: "placing, placed", step: .placing(content, path: path), placed: facts,
            expected: [.noteFinished(id: "A")], keepsFile: true),
        Row(
            description: "placing, the old file is there", step: .placing(content, path: path), held: facts,
            placed: other, expected: [.finish(id: "A")], keepsFile: true),
        Row(description: "placing, gone", step: .placing(content, path: path), placed: other, expected: []),
        Row(
            description: "finished", step: .finished(content, path: path, date: now), placed: facts, expected: [],
            keepsFile: true),
        Row(
            description: "finished, gone", step: .finished(content, path: path, date: now),
            expected: [.forget(id: "A")]),
        Row(
            description: "finished, replaced", step: .finished(content, path: path, date: now), placed: other,
            expected: [.forget(id: "A")]),
        Row(
            description: "finished, days ago", step: .finished(content, path: path, date: now - 2 * 86_400),
            placed: facts, expected: [.forget(id: "A")]),
        Row(
            description: "upload finished", step: .finished(content, path: nil, date: now), held: facts, expected: [],
            keepsFile: true),
        Row(
            description: "upload finished, gone", step: .finished(content, path: nil, date: now),
            expected: [.forget(id: "A")]),
        Row(
            description: "unknown task", step: .started, tasks: [SystemTransfer(task: 5, id: "B"), running],
            expected: [.adopt(task: 4, id: "A", resumes: false), .cancel(task: 5)]),
        Row(
            description: "unknown task that ends", step: .started,
            tasks: [SystemTransfer(task: 5, id: "", isEnding: true)], expected: []),
    ]

    private static func entry(_ row: Row) -> Reconciliation.Entry {
        let record = TransferRecord(
            id: "A", place: "p", resource: "r", owner: nil, created: now - row.age, goal: nil, step: row.step)
        return Reconciliation.Entry(record: record, held: row.held, placed: row.placed)
    }

    @Test(arguments: rows) func launchHasItsSteps(_ row: Row) {
        let steps = Reconciliation(entries: [Self.entry(row)], tasks: row.tasks, now: Self.now).steps
        #expect(steps == row.expected)
    }

    @Test(arguments: rows) func filesWithoutARecordAreRemoved(_ row: Row) {
        let files = ["A.record", "A.file", "A.file.copy", "B.file", "B.record", "x"]
        let surplus = Reconciliation.surplus(of: files, entries: [Self.entry(row)], now: Self.now)
        #expect(surplus == (row.keepsFile ? [] : ["A.file"]) + ["A.file.copy", "B.file", "B.record", "x"])
    }

    /// The calls of this process that have started a transfer.
    enum Owner { case none, waits, hasEnded }

    private static let starts: [(TransferState?, Bool, Owner, Bool, TransferStart)] = [
        (nil, false, .none, false, .begin),
        (.running, true, .waits, false, .refuse), (.finished, true, .waits, true, .refuse),
        (.running, false, .waits, false, .refuse),
        (.running, true, .none, true, .wait), (.complete, false, .none, true, .wait),
        (.running, true, .hasEnded, true, .wait),
        (.running, true, .none, false, .attach), (.running, false, .none, false, .replace),
        (.running, true, .hasEnded, false, .replace), (.running, false, .hasEnded, false, .replace),
        (.complete, true, .none, false, .finish), (.complete, false, .none, false, .replace),
        (.placed, true, .none, false, .finish),
        (.finished, true, .none, false, .take), (.finished, false, .none, false, .replace),
        (.lost, true, .none, false, .replace), (.expired, true, .none, false, .replace),
    ]

    @Test(arguments: starts) func callBeginsAsItsPlaceAllows(
        state: TransferState?, isSame: Bool, owner: Owner, isBusy: Bool, expected: TransferStart
    ) {
        let start = TransferStart.of(
            state, isSame: isSame, isAttended: owner == .waits, isLeft: owner == .hasEnded, isBusy: isBusy)
        #expect(start == expected)
    }

    @Test(arguments: [
        ("/home/a/Documents/film", "/home/a", "~/Documents/film"),
        ("/home/a/Documents/film", "/home/a/", "~/Documents/film"),
        ("/home/ab/film", "/home/a", "/home/ab/film"), ("/media/film", "/home/a", "/media/film"),
        ("/film", "/", "/film"), ("/home/ä/film", "/home/ä", "~/film"),
    ])
    func pathFollowsTheHomeFolder(path: String, home: String, text: String) {
        let stored = StoredPath(path, home: home)
        #expect(stored.text == text)
        #expect(stored.path(home: home) == path)
        #expect(stored.path(home: "/new") == (text.hasPrefix("~/") ? "/new/" + text.dropFirst(2) : path))
    }

    @Test(arguments: [
        (Body.none, true, false, BackgroundPlan.Kind?.some(.download)), (.none, false, true, nil),
        (.file(URL(fileURLWithPath: "/a")), false, true, .upload(URL(fileURLWithPath: "/a"))),
        (.file(URL(fileURLWithPath: "/a")), false, false, nil), (.file(URL(fileURLWithPath: "/a")), true, false, nil),
        (.string("a"), false, true, nil), (.string("a"), true, false, nil),
        (Body.file(URL(fileURLWithPath: "/a")).compressed(as: "gzip") { $0 }, false, true, nil),
    ])
    func systemTransfersFilesOnly(
        body: Body, isDownload: Bool, isWhole: Bool, expected: BackgroundPlan.Kind?
    ) {
        #expect(BackgroundPlan.kind(of: body, isDownload: isDownload, isWhole: isWhole) == expected)
    }
}
