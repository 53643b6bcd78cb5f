import Foundation

/// The declarations of Apple's modules in Tests/AppleShapes.
///
/// Each folder is a module. Files `*.swiftinterface` declare it in Swift without bodies, as Apple's documentation does; a
/// folder `include` declares it in C. The folder `AppleX` extends the module X, which Linux has too. A file `platforms`
/// names the platforms of a module that not all of them have.
struct Shapes {
    /// A way of compiling the declarations.
    ///
    /// Protocols of Objective-C need the compiler's interoperability with it, which does not compile conversions to pointers
    /// on Linux. So everything is compiled without, where optional methods have default implementations, and the files that
    /// Objective-C sees are type-checked with it.
    enum Mode: String, CaseIterable {
        case swift, objectiveC
    }

    static let folder = "Tests/AppleShapes"
    let modules: [String]

    init() throws {
        modules = Set(
            (Files.all(".swiftinterface", below: Self.folder) + Files.all(".modulemap", below: Self.folder)).map {
                String($0.dropFirst(Self.folder.count + 1).prefix { $0 != "/" })
            }
        ).sorted()
    }

    /// The modules of Apple's, each with the name of the module that declares it here, or nil if the platform lacks it.
    func declared(on platform: String) -> [String: String?] {
        var names: [String: String?] = [:]
        for module in modules {
            let name = module.hasPrefix("Apple") ? String(module.dropFirst("Apple".count)) : module
            let platforms = try? Files.text("\(Self.folder)/\(module)/platforms").split(whereSeparator: \.isWhitespace)
            names.updateValue(platforms?.contains(Substring(platform)) == false ? nil : module, forKey: name)
        }
        return names
    }

    /// Writes the declarations for a platform. Returns the compiler's flags for each mode.
    ///
    /// - Parameter headers: The folders of targets in C.
    func write(_ conditions: Conditions, headers folders: [String] = [], to scratch: String) throws -> [Mode: [String]]
    {
        let root = FileManager.default.currentDirectoryPath
        var flags: [Mode: [String]] = [:]
        for mode in Mode.allCases {
            let folder = "\(scratch)/shapes/\(mode)"
            for module in modules {
                let files = Files.all(".swiftinterface", below: "\(Self.folder)/\(module)")
                guard !files.isEmpty else { continue }
                let texts = try files.map { try conditions.rewrite(Files.text($0), of: $0, imports: false) }
                try Files.write(
                    Self.header(module, mode)
                        + (mode == .swift ? Self.withoutObjectiveC(texts.joined()) : texts.joined()),
                    to: "\(folder)/\(module).swiftinterface")
            }
            let headers = Files.all(".modulemap", below: Self.folder).map { $0.dropLast("/module.modulemap".count) }
            flags[mode] =
                ["-I", folder]
                + (headers.map { "\(root)/\($0)" } + folders.map { "\(root)/\($0)/include" }).flatMap { ["-I", $0] }
        }
        return flags
    }

    private static func header(_ module: String, _ mode: Mode) -> String {
        """
        // swift-interface-format-version: 1.0
        // swift-module-flags: -module-name \(module) -enable-library-evolution -swift-version 6\
        \(mode == .objectiveC ? " -enable-objc-interop" : "")
        import Swift
        import _Concurrency

        """
    }

    /// The names of the protocols of Objective-C, and the full names of their methods.
    func protocols() throws -> (names: [String], methods: Set<String>) {
        var names: [String] = []
        var methods: Set<String> = []
        for file in Files.all(".swiftinterface", below: Self.folder) {
            let text = try Files.text(file)
            for match in text.matches(of: #/(?m)^@objc public protocol (\w+)[^{]*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}/#) {
                names.append(String(match.1))
                methods.formUnion(Methods(in: match.2).all.map(\.name))
            }
        }
        return (names, methods)
    }

    /// Replaces protocols of Objective-C by protocols of Swift with default implementations.
    private static func withoutObjectiveC(_ text: String) -> String {
        var result: [String] = []
        var defaults: [String]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if let match = line.firstMatch(of: /^@objc (public protocol (\w+).*)$/) {
                result.append(String(match.1))
                if !line.hasSuffix("}") { defaults = ["extension \(match.2) {"] }
            } else if let started = defaults {
                let line = line.replacing(/@objc\([^)]*\) ?/, with: "")
                result.append(line.replacing("optional func", with: "func"))
                defaults = started + [line.replacing("optional func", with: "public func")]
                if line == "}" {
                    result += defaults ?? []
                    defaults = nil
                }
            } else {
                result.append(line.replacing(#/^@objc /#, with: ""))
            }
        }
        return result.joined(separator: "\n")
    }
}
