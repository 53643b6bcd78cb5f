import Foundation
import Tango

/// A store survives a kill: the tour starts itself once more, as a process that writes to a store, and kills it.
enum Kill {
    private static let argument = "--write-until-killed"

    /// The number of entries after whose acknowledgement the writer is killed.
    private static let enough = 200

    /// The folder to write to, if this is the process that does.
    static var folderOfWriter: URL? {
        let arguments = CommandLine.arguments
        return arguments.count == 3 && arguments[1] == argument ? URL(fileURLWithPath: arguments[2]) : nil
    }

    /// A body that tells by its number what it has to be: a row of the database, or a file beside it.
    static func body(_ number: Int) -> Data {
        Data(repeating: UInt8(number % 251), count: [100, 2_000, 40_000][number % 3])
    }

    // MARK: In the process that is killed

    /// Stores entry after entry, and says so when the store has acknowledged one.
    static func write(in folder: URL) async throws {
        let store = try DiskStore(directory: folder)
        let film = try await store.writer(for: "film")
        try await film.write(Data(count: 100_000))  // and no commit will follow
        for number in 1...1_000_000 {
            try await store.set(CacheEntry(body: body(number)), for: CacheKey("\(number)"))
            FileHandle.standardOutput.write(Data("\(number)\n".utf8))
        }
        try await film.commit()
    }

    // MARK: In the one that kills it

    /// Starts the writer and kills it in the middle of its work. Returns the last number that it has acknowledged.
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

    /// The last number that was said to its end.
    private static func acknowledged(_ said: Data) -> Int {
        let lines = String(decoding: said, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().last.flatMap { Int($0) } ?? 0
    }
}

/// What is left of a store whose process was killed while it wrote.
func surviving(in folder: URL) async throws {
    section("A store survives a kill: another process writes, and is killed with SIGKILL (the numbers vary)")
    let acknowledged = try Kill.writer(in: folder)
    show("the process had been told that \(acknowledged) entries are stored, and was killed while it wrote more")

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
    show("of all \(count) that are there, \(torn) are torn")

    let film = try await store.get("film")
    show("the film, half of which was written, is \(film == nil ? "not there" : "there")")
    try await store.maintain()
    show("swept: \(events.story)")
    await store.close()
}
