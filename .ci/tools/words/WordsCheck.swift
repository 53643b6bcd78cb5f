import Foundation

/// Checks the words of files and folders: `words GLOSSARY EXCEPTIONS PATH…`. Prints each finding with its file and line.
@main struct WordsCheck {
    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            guard arguments.count > 2 else { throw Failure("Usage: words GLOSSARY EXCEPTIONS PATH…") }
            let rules = try Rules(glossary: arguments[0])
            var exceptions = try Exceptions(path: arguments[1])
            var findings: [Finding] = []
            for path in try arguments.dropFirst(2).flatMap(files) where path != arguments[0] {
                exceptions.begin(path)
                let text = try Files.text(path)
                let lines = text.components(separatedBy: "\n")
                let found = path.hasSuffix(".md") ? rules.check(markdown: lines) : rules.check(swift: lines)
                for (line, message) in found.sorted(by: { $0.line < $1.line }) {
                    let finding = Finding(path: path, line: line, message: message)
                    if !exceptions.allow(finding, in: lines[line - 1]) { findings.append(finding) }
                }
            }
            findings.forEach { print($0.description) }
            let unused = exceptions.unused
            unused.forEach { print("error: the exception \"\($0)\" matches nothing. Remove it.") }
            if !findings.isEmpty || !unused.isEmpty { exit(1) }
        } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    /// Returns the Swift and Markdown files at or below a path.
    private static func files(_ path: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Failure("There is no file or folder \(path).")
        }
        guard isFolder.boolValue else { return [path] }
        let all = Files.all(".swift", below: path) + Files.all(".md", below: path)
        return all.filter { !$0.contains("/AsWritten/") }
    }
}

/// A violation of a rule, with its place.
struct Finding {
    let path: String
    let line: Int
    let message: String

    var description: String { "\(path):\(line): error: \(message)" }
}

/// The list of allowed exceptions. Each has a path, a part of the reported line, and a reason.
struct Exceptions {
    private var entries: [(path: String, part: String, isUsed: Bool)] = []
    private var paths: Set<String> = []

    init(path: String) throws {
        for line in try Files.text(path).split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.components(separatedBy: " | ")
            guard fields.count == 3 else { throw Failure("Write \"\(line)\" as: path | a part of the line | reason") }
            entries.append((fields[0], fields[1], false))
        }
        guard entries.count < 20 else { throw Failure("There are \(entries.count) exceptions. Keep fewer than 20.") }
    }

    /// Records that a file is checked.
    mutating func begin(_ path: String) {
        paths.insert(path)
    }

    /// Returns whether an exception covers the finding.
    mutating func allow(_ finding: Finding, in line: String) -> Bool {
        guard let index = entries.firstIndex(where: { $0.path == finding.path && line.contains($0.part) }) else {
            return false
        }
        entries[index].isUsed = true
        return true
    }

    /// The exceptions of the checked files that covered no finding.
    var unused: [String] {
        entries.filter { !$0.isUsed && paths.contains($0.path) }.map { "\($0.path) | \($0.part)" }
    }
}
