import Foundation
import Testing

/// The privacy manifests of the modules for Apple platforms: each names what the code of its module uses.
@Suite(.timeLimit(.minutes(20)))
struct PrivacyManifestTests {
    /// A privacy manifest, as Apple's documentation describes it.
    private struct Manifest: Codable, Equatable {
        struct Access: Codable, Equatable {
            let NSPrivacyAccessedAPIType: String
            let NSPrivacyAccessedAPITypeReasons: [String]
        }

        let NSPrivacyTracking: Bool
        let NSPrivacyTrackingDomains: [String]
        let NSPrivacyCollectedDataTypes: [String]
        let NSPrivacyAccessedAPITypes: [Access]
    }

    /// The functions that need a reason, by their category. The reasons are those that are true for Tango: it reads files of the
    /// application, and files that the user has chosen for an upload.
    private static let categories: [(name: String, reasons: [String], uses: String)] = [
        (
            "FileTimestamp", ["C617.1", "3B52.1"],
            #"\b[fl]?stat\([^)]|\bfstatat\(|\b[f]?getattrlist|attributesOfItem|creationDate\b|odificationDate\b"#
        ),
        ("DiskSpace", [], #"\bf?statv?fs\b|volumeAvailableCapacity|volumeTotalCapacity|systemFreeSize|systemSize\b"#),
        ("SystemBootTime", [], #"systemUptime|mach_absolute_time"#),
        ("ActiveKeyboards", [], #"activeInputModes"#),
        ("UserDefaults", [], #"\b(NS)?UserDefaults\b|AppStorage\b"#),
    ]

    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources")

    /// The modules that apps do not link, or not on Apple platforms.
    private static let others: Set = ["Curl", "LoopbackServer", "CacheConformance"]

    private static func modules() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { !others.contains($0) }.sorted()
    }

    /// Returns the code of a module for Apple platforms, without comments.
    private static func code(of module: String) throws -> String {
        let folder = sources.appending(path: module)
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return try files.filter { $0.hasSuffix(".swift") && !$0.contains("Linux") }.sorted().map { file in
            try String(contentsOf: folder.appending(path: file), encoding: .utf8)
                .split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private static func manifest(of module: String) throws -> Manifest? {
        let file = sources.appending(path: "\(module)/PrivacyInfo.xcprivacy")
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try PropertyListDecoder().decode(Manifest.self, from: Data(contentsOf: file))
    }

    @Test func eachModuleDeclaresWhatItUses() throws {
        let modules = try Self.modules()
        #expect(modules.count > 10)
        for module in modules {
            let code = try Self.code(of: module)
            let uses = Self.categories.filter { code.range(of: $0.uses, options: .regularExpression) != nil }
            let expected = uses.map {
                Manifest.Access(
                    NSPrivacyAccessedAPIType: "NSPrivacyAccessedAPICategory\($0.name)",
                    NSPrivacyAccessedAPITypeReasons: $0.reasons)
            }
            let declared = try Self.manifest(of: module)
            #expect(declared?.NSPrivacyAccessedAPITypes ?? [] == expected, "\(module)")
            #expect(uses.allSatisfy { !$0.reasons.isEmpty }, "\(module) uses a function without a known reason")
        }
    }

    @Test func nothingIsTrackedOrCollected() throws {
        let manifests = try Self.modules().compactMap(Self.manifest)
        #expect(manifests.count == 2)
        for manifest in manifests {
            #expect(!manifest.NSPrivacyTracking)
            #expect(manifest.NSPrivacyTrackingDomains.isEmpty)
            #expect(manifest.NSPrivacyCollectedDataTypes.isEmpty)
        }
    }

    /// SwiftPM copies the manifests of the targets that name them as resources.
    @Test func packageCopiesEachManifest() throws {
        let package = try String(
            contentsOf: Self.sources.deletingLastPathComponent().appending(path: "Package.swift"), encoding: .utf8)
        for module in try Self.modules() {
            let target = try Regex(#"path: "Sources/\#(module)"[^)]*resources: privacy"#)
            let isCopied = try target.firstMatch(in: package) != nil
            #expect(isCopied == (try Self.manifest(of: module) != nil), "\(module)")
        }
    }
}
