/// The compilation of one module against the declarations of Apple's modules.
struct Compilation {
    let module: String
    let package: String
    let sources: Sources
    /// The folder with the rewritten sources.
    let folder: String
    let flags: [String]
    let shapes: [Shapes.Mode: [String]]
    /// The folder with the compiled modules.
    let modules: String

    private var common: [String] {
        [
            "-module-name", module, "-package-name", package, "-swift-version", "6", "-parse-as-library",
            "-D", "DEBUG", "-D", "SWIFT_PACKAGE", "-warnings-as-errors", "-diagnostic-style", "llvm",
            "-no-color-diagnostics", "-module-cache-path", "\(modules)/cache", "-I", modules,
        ] + flags
    }

    /// Returns all diagnostics, and writes the module.
    func diagnostics() throws -> [Diagnostic] {
        try sources.unknownMethods + inSwift() + inObjectiveC()
    }

    /// Compiles all files, up to the passes that find data races and missing returns.
    private func inSwift() throws -> [Diagnostic] {
        try run(
            ["swiftc"] + common + (shapes[.swift] ?? []) + [
                "-wmo", "-Onone", "-emit-module", "-emit-module-path", "\(modules)/\(module).swiftmodule",
            ] + sources.files, in: "\(folder)/swift")
    }

    /// Type-checks the files that Objective-C sees, which compares their methods and selectors with those of its protocols.
    private func inObjectiveC() throws -> [Diagnostic] {
        let seen = sources.seenFromObjectiveC
        guard !seen.isEmpty else { return [] }
        let others = sources.files.filter { !seen.contains($0) }
        // The standard library of Linux lacks a pointer type that the compiler requires in this mode.
        let isMissing = ": broken standard library: cannot find intrinsic operations on "
        return try run(
            ["swiftc", "-frontend", "-typecheck", "-enable-objc-interop"] + common + (shapes[.objectiveC] ?? [])
                + seen.flatMap { ["-primary-file", $0] } + others, in: "\(folder)/objectiveC"
        ).filter { !$0.text.contains(isMissing) }
    }

    private func run(_ arguments: [String], in folder: String) throws -> [Diagnostic] {
        let (status, output) = try Command(arguments: arguments, folder: folder).run()
        let found = Diagnostic.all(in: output)
        guard status == 0 || found.contains(where: \.isError) else {
            throw Failure("the compiler failed without an error, on \(module):\n\(output)")
        }
        return found
    }
}

/// An error, a warning or a note, with the lines of source that the compiler shows below it.
struct Diagnostic {
    let text: String

    var isError: Bool { text.contains(": error: ") }

    static func all(in output: String) -> [Diagnostic] {
        var found: [String] = []
        for line in output.split(separator: "\n") {
            if line.contains(#/^\S.*: (error|warning|note): /#) || found.isEmpty {
                found.append(String(line))
            } else {
                found[found.count - 1] += "\n" + line
            }
        }
        return found.map(Diagnostic.init(text:))
    }
}
