import Foundation

/// The part of Package.swift that the tools need.
struct Manifest {
    struct Target {
        let name: String
        let path: String
        let excluded: [String]
        let dependencies: [Conditional<String>]
        let settings: [Conditional<(name: String, value: String)>]

        /// The Swift files; none for a target in C.
        var sources: [String] {
            Files.all(".swift", below: path).filter { file in
                !excluded.contains { file.hasPrefix("\(path)/\($0)") }
            }
        }
    }

    /// A value with a condition: the platforms where it holds, in lower case, or nil for all of them.
    struct Conditional<Value> {
        let value: Value
        let platforms: [String]?

        func holds(on platform: String) -> Bool {
            platforms?.contains(platform.lowercased()) ?? true
        }
    }

    let name: String
    /// The platforms of the manifest, in lower case.
    let platforms: [String]
    let traits: Set<String>
    private let targets: [String: Target]
    private let libraries: [String]

    static func read() throws -> Manifest {
        let (status, output) = try Command(arguments: ["swift", "package", "dump-package"]).run()
        // Warnings may precede the JSON.
        guard status == 0, let start = output.firstIndex(of: "{"),
            let json = try JSONSerialization.jsonObject(with: Data(output[start...].utf8)) as? [String: Any]
        else { throw Failure("swift package dump-package failed:\n\(output)") }
        return Manifest(json)
    }

    private init(_ json: [String: Any]) {
        name = json["name"] as? String ?? ""
        platforms = Self.list(json["platforms"]).compactMap { $0["platformName"] as? String }
        traits = Set(Self.list(json["traits"]).compactMap { $0["name"] as? String })
        libraries = Self.list(json["products"])
            .filter { ($0["type"] as? [String: Any])?["library"] != nil }
            .flatMap { $0["targets"] as? [String] ?? [] }
        var targets: [String: Target] = [:]
        for target in Self.list(json["targets"]) {
            let name = target["name"] as? String ?? ""
            targets[name] = Target(
                name: name, path: target["path"] as? String ?? "Sources/\(name)",
                excluded: target["exclude"] as? [String] ?? [],
                dependencies: Self.list(target["dependencies"]).flatMap(Self.dependencies),
                settings: Self.list(target["settings"]).flatMap(Self.settings))
        }
        self.targets = targets
    }

    private static func list(_ value: Any?) -> [[String: Any]] {
        value as? [[String: Any]] ?? []
    }

    /// `{ "target": ["Name", { "platformNames": ["linux"] }] }`, or the same with `byName`.
    private static func dependencies(_ json: [String: Any]) -> [Conditional<String>] {
        [json["target"], json["byName"]].compactMap { value in
            guard let value = value as? [Any], let name = value.first as? String else { return nil }
            return Conditional(value: name, platforms: platforms(value.last))
        }
    }

    /// `{ "tool": "swift", "kind": { "define": { "_0": "NAME" } }, "condition": … }`
    private static func settings(_ json: [String: Any]) -> [Conditional<(name: String, value: String)>] {
        guard json["tool"] as? String == "swift", let kind = json["kind"] as? [String: Any] else { return [] }
        return kind.map { name, value in
            let value = (value as? [String: Any])?["_0"].map { "\($0)" } ?? ""
            return Conditional(value: (name, value), platforms: platforms(json["condition"]))
        }
    }

    /// The platforms of a condition. No names mean all; a condition on a trait or on release builds holds nowhere, as the
    /// tools look at debug builds without traits.
    private static func platforms(_ condition: Any?) -> [String]? {
        guard let condition = condition as? [String: Any] else { return nil }
        if condition["traits"] is [Any] || condition["config"] as? String == "release" { return [] }
        let names = condition["platformNames"] as? [String] ?? []
        return names.isEmpty ? nil : names
    }

    /// Returns the targets of the library products with their dependencies, dependencies first.
    func librariesWithDependencies(on platform: String) -> [Target] {
        var found: [Target] = []
        func add(_ name: String) {
            guard let target = targets[name], !found.contains(where: { $0.name == name }) else { return }
            for dependency in target.dependencies where dependency.holds(on: platform) { add(dependency.value) }
            found.append(target)
        }
        libraries.forEach(add)
        return found
    }

    var targetNames: Set<String> { Set(targets.keys) }
}
