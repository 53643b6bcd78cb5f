import Foundation

/// Type-checks the libraries for each of Apple's platforms that Package.swift names.
@main
struct AppleCheck {
    private let manifest: Manifest
    private let shapes: Shapes
    private let scratch = FileManager.default.currentDirectoryPath + "/.build/apple"

    /// The compiled modules, by name and by input: most modules have the same text on every platform.
    private var compiled: [String: [String: Data]] = [:]

    static func main() async {
        do {
            var check = try AppleCheck()
            try await check.run()
        } catch {
            print(error)
            exit(1)
        }
    }

    private init() throws {
        manifest = try Manifest.read()
        shapes = try Shapes()
    }

    private mutating func run() async throws {
        let platforms = Conditions.apple.filter { manifest.platforms.contains($0.lowercased()) }
        for platform in platforms { try await check(platform) }
        guard let platform = platforms.first else { throw Failure("Package.swift names none of Apple's platforms") }
        try Mistakes(conditions: conditions(for: platform), shapes: shapes, scratch: scratch).check()
    }

    private func conditions(for platform: String) -> Conditions {
        let own = (modules(on: platform) + headers(on: platform)).map(\.name)
        let declared = shapes.declared(on: platform)
        return Conditions(
            platform: platform,
            present: declared.compactMapValues { $0 }.merging(own.map { ($0, $0) }) { shape, _ in shape },
            absent: manifest.targetNames.subtracting(own).union(declared.filter { $0.value == nil }.keys),
            traits: manifest.traits)
    }

    /// The modules in Swift.
    private func modules(on platform: String) -> [Manifest.Target] {
        manifest.librariesWithDependencies(on: platform).filter { !$0.sources.isEmpty }
    }

    /// The targets in C that Apple's platforms use too.
    private func headers(on platform: String) -> [Manifest.Target] {
        manifest.librariesWithDependencies(on: platform).filter(\.sources.isEmpty)
    }

    // MARK: A platform

    private mutating func check(_ platform: String) async throws {
        let conditions = conditions(for: platform)
        let flags = try shapes.write(conditions, headers: headers(on: platform).map(\.path), to: scratch)
        let declarations = try Files.all(".swiftinterface", below: "\(scratch)/shapes").map(Files.text).joined()
        var waiting = modules(on: platform)
        var same: [String] = []
        while !waiting.isEmpty {
            let names = Set(waiting.map(\.name))
            let ready = waiting.filter { target in
                !target.dependencies.contains { $0.holds(on: platform) && names.contains($0.value) }
            }
            waiting.removeAll { target in ready.contains { $0.name == target.name } }
            var jobs: [Job] = []
            for target in ready {
                let job = try Job(target, conditions, flags, declarations, of: self)
                if let module = compiled[target.name]?[job.key] {
                    try module.write(to: URL(fileURLWithPath: job.product))
                    same.append(target.name)
                } else {
                    jobs.append(job)
                }
            }
            for (job, diagnostics) in try await Self.run(jobs) {
                guard !diagnostics.contains(where: \.isError) else {
                    throw Failure(
                        diagnostics.map(\.text).joined(separator: "\n")
                            + "\n\(job.compilation.module) does not compile on \(platform)")
                }
                let module = try Data(contentsOf: URL(fileURLWithPath: job.product))
                compiled[job.compilation.module, default: [:]][job.key] = module
                print("\(platform): \(job.compilation.module): no errors")
            }
        }
        if !same.isEmpty {
            print("\(platform): \(same.joined(separator: ", ")): checked already, the text is the same")
        }
    }

    /// Runs compilations that do not depend on each other, as many at a time as there are cores.
    private static func run(_ jobs: [Job]) async throws -> [(Job, [Diagnostic])] {
        try await withThrowingTaskGroup(of: (Int, [Diagnostic]).self) { group in
            for (index, job) in jobs.enumerated() {
                group.addTask { (index, try job.compilation.diagnostics()) }
            }
            var results: [(Int, [Diagnostic])] = []
            for try await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map { (jobs[$0.0], $0.1) }
        }
    }

    /// A module on a platform.
    private struct Job {
        let compilation: Compilation
        /// The whole input of the compiler.
        let key: String
        let product: String

        init(
            _ target: Manifest.Target, _ conditions: Conditions, _ flags: [Shapes.Mode: [String]],
            _ declarations: String, of check: AppleCheck
        ) throws {
            let scratch = check.scratch
            let sources = try Sources(target.sources, conditions, check.shapes)
            try sources.write(to: "\(scratch)/sources")
            compilation = Compilation(
                module: target.name, package: check.manifest.name.lowercased(), sources: sources,
                folder: "\(scratch)/sources", flags: try target.flags(on: conditions.platform), shapes: flags,
                modules: "\(scratch)/modules")
            product = "\(scratch)/modules/\(target.name).swiftmodule"
            let names = Set(check.modules(on: conditions.platform).map(\.name))
            let dependencies = try target.dependencies.map(\.value).filter(names.contains).map {
                try Data(contentsOf: URL(fileURLWithPath: "\(scratch)/modules/\($0).swiftmodule")).base64EncodedString()
            }
            key = ([declarations] + compilation.flags + sources.texts + dependencies).joined(separator: "\0")
        }
    }
}

extension Conditions {
    static let apple = ["macOS", "iOS", "tvOS", "watchOS", "visionOS"]
}

extension Manifest.Target {
    /// The settings of the target, as flags for the compiler.
    fileprivate func flags(on platform: String) throws -> [String] {
        try settings.filter { $0.holds(on: platform) }.flatMap { setting in
            let (kind, value) = setting.value
            switch kind {
            case "enableUpcomingFeature": return ["-enable-upcoming-feature", value]
            case "enableExperimentalFeature": return ["-enable-experimental-feature", value]
            case "defaultIsolation": return ["-default-isolation", value]
            case "define": return ["-D", value]
            case "swiftLanguageMode": return ["-swift-version", value]
            case "strictMemorySafety": return ["-strict-memory-safety"]
            case "treatAllWarnings", "treatWarning": return []
            default: throw Failure("Package.swift: .ci/apple does not know the setting \(kind) of \(name)")
            }
        }
    }
}
