import Foundation

/// The documentation of the package, and the tests that hold its snippets, as they are on disk.
enum Documents {
    /// The README, the articles, and the source files with their doc comments.
    static let all: [(file: String, fences: Fences)] = {
        let files = ["README.md", "CONTRIBUTING.md"] + Documents.files(in: "Sources", endingWith: [".swift", ".md"])
        return files.map { file in (file, Fences(in: text(of: file), of: file)) }
    }()

    static let snippets: [Snippet] = all.flatMap(\.fences.snippets)

    /// The lines of each file of snippets that is compiled, without white space around them and without empty ones.
    static let compiled: [[String]] = {
        files(in: "Tests", endingWith: ["Snippets.swift"]).map { file in
            text(of: file).components(separatedBy: "\n")
                .map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty }
        }
    }()

    private static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    static func path(of file: String) -> String {
        root.appendingPathComponent(file).path
    }

    private static func text(of file: String) -> String {
        (try? String(contentsOfFile: path(of: file), encoding: .utf8)) ?? ""
    }

    private static func files(in folder: String, endingWith suffixes: [String]) -> [String] {
        let found = FileManager.default.enumerator(atPath: path(of: folder))?.compactMap { $0 as? String } ?? []
        return found.filter { file in suffixes.contains { file.hasSuffix($0) } }.sorted().map { "\(folder)/\($0)" }
    }
}
