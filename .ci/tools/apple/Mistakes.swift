/// Files with typical mistakes, each of which the check must refuse: `// error: …` at the end of a line is the error expected
/// there, and no other is allowed.
struct Mistakes {
    let conditions: Conditions
    let shapes: Shapes
    let scratch: String

    func check() throws {
        let files = Files.all(".swift", below: "\(Shapes.folder)/Mistakes")
        let flags = try shapes.write(conditions, to: scratch)
        for file in files { try check(file, flags) }
        print("\(conditions.platform): all \(files.count) files of \(Shapes.folder)/Mistakes are refused")
    }

    private func check(_ file: String, _ flags: [Shapes.Mode: [String]]) throws {
        let sources = try Sources([file], conditions, shapes)
        try sources.write(to: "\(scratch)/sources")
        let errors = try Compilation(
            module: "Mistake", package: "mistakes", sources: sources, folder: "\(scratch)/sources", flags: [],
            shapes: flags, modules: "\(scratch)/modules"
        ).diagnostics().filter(\.isError)
        var missing: [String] = []
        var isExpected = errors.map { _ in false }
        for (index, line) in try Files.text(file).split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        {
            guard let words = line.firstRange(of: "// error: ").map({ line[$0.upperBound...] }) else { continue }
            let found = errors.indices.filter {
                errors[$0].text.hasPrefix("\(file):\(index + 1):") && errors[$0].text.contains(": error: \(words)")
            }
            for place in found { isExpected[place] = true }
            if found.isEmpty { missing.append("\(file):\(index + 1): error: missing error: \(words)") }
        }
        let others = zip(errors, isExpected).filter { !$0.1 }.map(\.0.text)
        guard missing.isEmpty, others.isEmpty, !errors.isEmpty else {
            throw Failure(
                (missing + others + ["\(file) does not fail with the errors that it expects"]).joined(separator: "\n"))
        }
    }
}
