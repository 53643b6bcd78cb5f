import Synchronization

/// A chapter of the tour.
struct Chapter: Sendable {
    let name: String
    let contents: String
    private let play: @Sendable () async throws -> Void

    init(_ name: String, _ contents: String, _ play: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.contents = contents
        self.play = play
    }

    var paddedName: String { name + String(repeating: " ", count: 10 - name.count) }

    // MARK: Choosing

    enum Choice {
        case chapters([Chapter])
        case list
        case usage
        case unknown(String)
    }

    static func chosen(by words: [String], from all: [Chapter]) throws -> Choice {
        if words.contains("--help") || words.contains("-h") { return .usage }
        if words.contains("--list") { return .list }
        if words.isEmpty { return .chapters(all) }
        var chosen: Set<String> = []
        for word in words {
            let named = all.filter { $0.name == word }
            let found = named.isEmpty ? all.filter { $0.contents.contains(word.lowercased()) } : named
            if found.isEmpty { return .unknown(word) }
            chosen.formUnion(found.map(\.name))
        }
        return .chapters(all.filter { chosen.contains($0.name) })
    }

    // MARK: Running

    private struct Report {
        var sections = 0
        var duration = Duration.zero
        var files: [String] = []
    }

    private static let reports = Mutex<[String: Report]>([:])
    @TaskLocal private static var current = ""

    func run() async throws {
        let start = ContinuousClock.now
        try await Self.$current.withValue(name) { try await play() }
        Self.change(name) { $0.duration = start.duration(to: .now) }
    }

    /// Counts a section of the current chapter.
    static func countSection() { change(current) { $0.sections += 1 } }

    /// Notes a file that the current chapter has written, and that stays.
    static func wrote(_ path: String) { change(current) { $0.files.append(path) } }

    private static func change(_ name: String, _ body: (inout Report) -> Void) {
        reports.withLock { body(&$0[name, default: Report()]) }
    }

    /// Prints what has been shown, in which time, and the files that were written.
    static func summarize(_ chapters: [Chapter]) {
        let reports = reports.withLock(\.self)
        print("\nchapter     sections  time")
        for chapter in chapters {
            guard let report = reports[chapter.name] else { continue }
            let tenths = Int(report.duration / .milliseconds(100))
            let count = "\(report.sections)"
            print(
                "\(chapter.paddedName)  \(count)\(String(repeating: " ", count: 8 - count.count))  \(tenths / 10).\(tenths % 10) s"
            )
        }
        let files = chapters.flatMap { reports[$0.name]?.files ?? [] }
        if !files.isEmpty { print("\nwritten:") }
        for file in files { print("  \(file)") }
    }
}
