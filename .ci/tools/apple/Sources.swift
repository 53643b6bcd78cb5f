/// The files of a module as one of Apple's platforms compiles them.
struct Sources {
    let files: [String]
    let texts: [String]
    /// The files that use `@objc` or name a protocol of Objective-C.
    let seenFromObjectiveC: [String]
    /// Errors for methods that only look like those of a delegate.
    let unknownMethods: [Diagnostic]

    init(_ files: [String], _ conditions: Conditions, _ shapes: Shapes) throws {
        self.files = files
        texts = try files.map { try conditions.rewrite(Files.text($0), of: $0) }
        let (protocols, methods) = try shapes.protocols()
        let seen = zip(files, texts).filter { _, text in
            text.contains("@objc") || protocols.contains { text.contains($0) }
        }
        seenFromObjectiveC = seen.map(\.0)
        unknownMethods = seen.flatMap { file, text in Methods(in: text[...]).unknown(to: methods, in: file) }
    }

    /// Writes the files below a folder, for each mode of compiling.
    func write(to folder: String) throws {
        for (file, text) in zip(files, texts) {
            try Files.write(Self.withoutObjectiveC(text), to: "\(folder)/\(Shapes.Mode.swift)/\(file)")
            if !seenFromObjectiveC.isEmpty {
                try Files.write(text, to: "\(folder)/\(Shapes.Mode.objectiveC)/\(file)")
            }
        }
    }

    /// Overwrites the attributes with blanks, so that columns stay.
    private static func withoutObjectiveC(_ text: String) -> String {
        guard text.contains("@objc") else { return text }
        return text.replacing(/@objc(\([\w:]*\))?/) { String(repeating: " ", count: $0.0.count) }
    }
}
