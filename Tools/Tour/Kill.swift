import Foundation
import Tango

/// A demonstration that a store survives a kill: the tour starts a second process that writes to a store, and kills it.
enum Kill {
    private static let argument = "--write-until-killed"

    /// The number of stored entries after which the writer is killed.
    private static let enough = 200

    /// The folder to write to if this process is the writer; nil otherwise.
    static var folderOfWriter: URL? {
        let arguments = CommandLine.arguments
        return arguments.count == 3 && arguments[1] == argument ? URL(fileURLWithPath: arguments[2]) : nil
    }

    /// Returns the body of an entry. Its size depends on the number, so that it becomes a database row or a file.
    static func body(_ number: Int) -> Data {
        Data(repeating: UInt8(number % 251), count: [100, 2_000, 40_000][number % 3])
    }

    // MARK: In the process that is killed

    /// Stores entry after entry, and prints the number of each stored entry.
    static func write(in folder: URL) async throws {
        let store = try DiskStore(directory: folder)
        let film = try await store.writer(for: "film")
        try await film.write(Data(count: 100_000))  // never committed
        for number in 1...1_000_000 {
            try await store.set(CacheEntry(body: body(number)), for: CacheKey("\(number)"))
            FileHandle.standardOutput.write(Data("\(number)\n".utf8))
        }
        try await film.commit()
    }

    // MARK: In the process that kills it

    /// Starts the writer and kills it while it writes. Returns the last number that it printed.
    static func writer(in folder: URL) throws -> Int {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [argument, folder.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()

        var said = Data()
        var isKilled = false
        while case let more = pipe.fileHandleForReading.availableData, !more.isEmpty {
            said += more
            guard !isKilled, acknowledged(said) >= enough else { continue }
            kill(process.processIdentifier, SIGKILL)
            isKilled = true
        }
        process.waitUntilExit()
        return acknowledged(said)
    }

    /// Returns the last number that was printed completely.
    private static func acknowledged(_ said: Data) -> Int {
        let lines = String(decoding: said, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().last.flatMap { Int($0) } ?? 0
    }
}

/// Shows the state of a store whose process was killed while it wrote.
func surviving(in folder: URL) async throws {
    section("A store survives a kill: another process writes, and is killed with SIGKILL (the numbers vary)")
    let acknowledged = try Kill.writer(in: folder)
    show("the process had stored \(acknowledged) entries, and was killed while it wrote more")

    let events = Record()
    let store = try DiskStore(directory: folder, onEvent: { event in events.note("\(event)") })
    var missing = 0
    for number in 1...max(acknowledged, 1) where try await store.get(CacheKey("\(number)")) == nil { missing += 1 }
    show("of those, \(missing) are missing")

    var count = 0
    var torn = 0
    for try await item in store.entries() {
        count += 1
        let number = item.key.text.flatMap { Int($0) } ?? 0
        if try await store.get(item.key)?.body != Kill.body(number) { torn += 1 }
    }
    show("of all \(count) entries found, \(torn) are damaged")

    let film = try await store.get("film")
    show("the film, which was written but not committed, is \(film == nil ? "not there" : "there")")
    try await store.maintain()
    show("swept: \(events.story)")
    await store.close()
}
