// A guided tour of Tango: `swift run Tour`. Each chapter is one file; read it beside its output.
import Foundation
import Tango

if let folder = Kill.folderOfWriter {
    try await Kill.write(in: folder)
}

let chapters = [
    Chapter("requests", "chains, many at once, typed errors, cancelling, downloads, broken connections", requests),
    Chapter("responses", "caching as servers allow, cached and then fresh, offline, shared transfers", responses),
    Chapter("promises", "chains, errors, several, cancelling, timeouts, retry, await, schedulers", promises),
    Chapter("caches", "stores in memory and on disk, tiers, streams, surviving a kill", caches),
    Chapter("measuring", "waterfall, HAR recording, statistics", measuring),
]

let usage = """
    swift run Tour                 every chapter
    swift run Tour WORD...         the chapters with a word in their name or contents, such as: Tour retry
    swift run Tour --list          the chapters
    --picture FILE                 the file for the picture of the waterfall, such as docs/waterfall.svg
    """

switch try Chapter.chosen(by: Picture.removed(from: Array(CommandLine.arguments.dropFirst())), from: chapters) {
case .usage:
    print(usage)
case .list:
    for chapter in chapters { print("\(chapter.paddedName)  \(chapter.contents)") }
case .unknown(let word):
    FileHandle.standardError.write(Data("Tour: no chapter is about \"\(word)\".\n\n\(usage)\n".utf8))
    exit(2)
case .chapters(let chosen):
    print("Tango, a tour. The code is in Tools/Tour, one file for each chapter.")
    for chapter in chosen { try await chapter.run() }
    Chapter.summarize(chosen)
}
