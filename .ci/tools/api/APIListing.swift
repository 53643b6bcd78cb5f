import Foundation

/// Writes the listings of all modules of the libraries: `api MODULES FOLDER`, where MODULES has the built modules.
@main
struct APIListing {
    private let manifest: Manifest
    private let modules: String
    private let target: String

    static func main() {
        do {
            let arguments = CommandLine.arguments
            guard arguments.count == 3 else { throw Failure("usage: api MODULES FOLDER") }
            try APIListing(modules: arguments[1], target: arguments[2]).write()
        } catch {
            print(error)
            exit(1)
        }
    }

    private init(modules: String, target: String) throws {
        manifest = try Manifest.read()
        self.modules = modules
        self.target = target
    }

    private func write() throws {
        let targets = manifest.librariesWithDependencies(on: Self.platform)
        let graphs = NSTemporaryDirectory() + "graphs-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: graphs) }
        let headers = targets.filter(\.sources.isEmpty).flatMap { target in
            ["-Xcc", "-fmodule-map-file=\(target.path)/include/module.modulemap", "-Xcc", "-I\(target.path)/include"]
        }
        for module in targets.filter({ !$0.sources.isEmpty }).map(\.name) {
            try FileManager.default.createDirectory(atPath: graphs, withIntermediateDirectories: true)
            try run(
                [
                    "swift", "symbolgraph-extract", "-module-name", module, "-I", modules, "-target", try triple(),
                    "-minimum-access-level", "public", "-skip-synthesized-members", "-emit-extension-block-symbols",
                    "-output-dir", graphs,
                ] + headers)
            let listing = Listing(try Graph(of: module, in: graphs))
            if listing.isEmpty { continue }
            try Files.write(
                "// The public API of \(module), as .ci/api --update writes it.\n\n\(listing.text)",
                to: "\(target)/\(module).txt")
        }
    }

    private static var platform: String {
        #if os(Linux)
            "linux"
        #else
            "macos"
        #endif
    }

    private func triple() throws -> String {
        let info = try run(["swiftc", "-print-target-info"])
        guard let json = try JSONSerialization.jsonObject(with: Data(info.utf8)) as? [String: Any],
            let target = json["target"] as? [String: Any], let triple = target["triple"] as? String
        else { throw Failure("swiftc -print-target-info names no target:\n\(info)") }
        return triple
    }

    @discardableResult
    private func run(_ arguments: [String]) throws -> String {
        let (status, output) = try Command(arguments: arguments).run()
        guard status == 0 else { throw Failure("\(arguments.joined(separator: " ")) failed:\n\(output)") }
        return output
    }
}
