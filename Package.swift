// swift-tools-version: 6.2
import PackageDescription

// In release builds the library is optimised. Most tests are not: that would take the compiler more than ten minutes. Without
// optimisation, their files are compiled on all processors. Each process of the compiler expands the macros of all tests, so
// few processes with many files each are faster.
let manyTests: [SwiftSetting] = [
    .unsafeFlags(["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"], .when(configuration: .release)),
    .unsafeFlags(["-driver-batch-size-limit", "100"]),
]

// Async functions stay with their caller: a call from the main actor changes threads once, not twice.
let requests: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

// The privacy manifests of modules that read the times of files. Apple's tools copy them into an app. On Linux, a resource would add
// code that loads Foundation.
let privacyManifest = "PrivacyInfo.xcprivacy"
#if os(Linux)
    let withoutOnLinux = [privacyManifest]
    let privacy: [Resource] = []
#else
    let withoutOnLinux: [String] = []
    let privacy: [Resource] = [.copy(privacyManifest)]
#endif

/// The tests of a module on top of HTTP, in a folder with their name.
func testsOfRequests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name, dependencies: ["TangoPromise", "TangoRequest", "TestSupport", "LoopbackServer"] + dependencies,
        path: "Tests/\(name)", swiftSettings: manyTests)
}

let package = Package(
    name: "Tango",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Tango", targets: ["Tango"]),
        .library(name: "TangoPromise", targets: ["TangoPromise"]),
        .library(name: "TangoCache", targets: ["TangoCache"]),
        .library(name: "TangoRequest", targets: ["TangoRequest"]),
        .library(name: "TangoHTTP", targets: ["TangoHTTP"]),
        .library(name: "TangoTransport", targets: ["TangoTransport"]),
        .library(name: "TangoAuth", targets: ["TangoAuth"]),
        .library(name: "TangoCookies", targets: ["TangoCookies"]),
        .library(name: "TangoTransfers", targets: ["TangoTransfers"]),
        .library(name: "TangoMeasuring", targets: ["TangoMeasuring"]),
        .library(name: "TangoUI", targets: ["TangoUI"]),
        .library(name: "TangoFoundation", targets: ["TangoFoundation"]),
        .library(name: "TangoCompression", targets: ["TangoCompression"]),
        .library(name: "TangoTesting", targets: ["TangoTesting"]),
        .library(name: "TangoURLSession", targets: ["TangoURLSession"]),
        .library(name: "CacheConformance", targets: ["CacheConformance"]),
        .library(name: "LoopbackServer", targets: ["LoopbackServer"]),
        .executable(name: "tango-cache", targets: ["tango-cache"]),
        // For the tool of Packages/RedisStore, which also opens servers. Not for apps.
        .library(name: "CacheTool", targets: ["CacheTool"]),
    ],
    traits: [
        .trait(
            name: "URLSessionOnLinux",
            description:
                "Adds URLSessionTransport on Linux, and with it FoundationNetworking: for the tests of this package.")
    ],
    targets: [
        .target(name: "TangoPromise", path: "Sources/Promise"),
        // For the other modules: nothing in these two is public.
        .target(name: "TangoPlatform", path: "Sources/Platform"),
        .target(
            name: "TangoFiles",
            dependencies: ["TangoPlatform", .target(name: "TangoCLinux", condition: .when(platforms: [.linux]))],
            path: "Sources/Files", exclude: withoutOnLinux, resources: privacy),
        .target(
            name: "TangoCache",
            dependencies: [
                "TangoFiles", "TangoPlatform", .target(name: "TangoCSQLite", condition: .when(platforms: [.linux])),
            ],
            path: "Sources/Cache"),
        .target(
            name: "TangoHTTP",
            dependencies: [
                "TangoFiles", "TangoPromise", "TangoPlatform",
                .target(name: "TangoCCrypto", condition: .when(platforms: [.linux])),
            ],
            path: "Sources/HTTP", exclude: withoutOnLinux, resources: privacy, swiftSettings: requests),
        .target(
            name: "TangoTransport", dependencies: ["TangoFiles", "TangoHTTP", "TangoPlatform"],
            path: "Sources/Transport",
            swiftSettings: requests),
        .target(
            name: "TangoCurl",
            dependencies: [
                "TangoFiles", "TangoTransport",
                .target(name: "TangoCCurl", condition: .when(platforms: [.linux])),
                .target(name: "TangoCLinux", condition: .when(platforms: [.linux])),
            ],
            path: "Sources/Curl", swiftSettings: requests),
        .target(
            name: "TangoURLSession", dependencies: ["TangoTransport"], path: "Sources/URLSession",
            swiftSettings: requests),
        .target(
            name: "TangoRequest",
            dependencies: [
                "TangoPromise", "TangoCache", "TangoPlatform", "TangoTransport",
                .target(name: "TangoCurl", condition: .when(platforms: [.linux])),
                .target(
                    name: "TangoURLSession", condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
                .target(name: "TangoCLinux", condition: .when(platforms: [.linux])),
            ],
            path: "Sources/Request", swiftSettings: requests),
        .target(
            name: "TangoAuth",
            dependencies: [
                "TangoFiles", "TangoRequest",
                .target(name: "TangoCCrypto", condition: .when(platforms: [.linux])),
            ],
            path: "Sources/Auth", swiftSettings: requests),
        .target(
            name: "TangoCookies",
            dependencies: [
                "TangoFiles", "TangoRequest", .target(name: "TangoCPSL", condition: .when(platforms: [.linux])),
            ],
            path: "Sources/Cookies", swiftSettings: requests),
        .target(
            name: "TangoTransfers", dependencies: ["TangoFiles", "TangoRequest", "TangoPlatform"],
            path: "Sources/Transfers", swiftSettings: requests),
        .target(
            name: "TangoMeasuring", dependencies: ["TangoRequest", "TangoPlatform"], path: "Sources/Measuring",
            swiftSettings: requests),
        .target(name: "TangoUI", dependencies: ["TangoRequest"], path: "Sources/UI", swiftSettings: requests),
        .target(
            name: "TangoFoundation", dependencies: ["TangoRequest", "TangoURLSession"], path: "Sources/Foundation",
            swiftSettings: requests),
        .target(
            name: "TangoCompression", dependencies: ["TangoRequest", "TangoCZlib"], path: "Sources/Compression",
            swiftSettings: requests),
        .target(
            name: "TangoTesting", dependencies: ["TangoFiles", "TangoRequest", "TangoCZlib"], path: "Sources/Testing",
            swiftSettings: requests),
        .target(name: "TangoCSQLite", path: "System/CSQLite"),
        .target(name: "TangoCCurl", path: "System/CCurl"),
        .target(name: "TangoCCrypto", path: "System/CCrypto"),
        .target(name: "TangoCPSL", path: "System/CPSL"),
        .target(name: "TangoCZlib", path: "System/CZlib"),
        .target(name: "TangoCLinux", path: "System/CLinux"),
        .target(name: "Tango", dependencies: ["TangoPromise", "TangoCache", "TangoRequest"], path: "Sources/Tango"),
        .target(name: "CacheConformance", dependencies: ["TangoCache"], path: "Sources/CacheConformance"),
        .target(
            name: "LoopbackServer",
            dependencies: ["TangoPlatform", .target(name: "TangoCLinux", condition: .when(platforms: [.linux]))],
            path: "Sources/LoopbackServer"),
        .executableTarget(
            name: "Tour",
            dependencies: ["Tango", "TangoAuth", "TangoTransfers", "TangoMeasuring", "TangoTesting", "LoopbackServer"],
            path: "Tools/Tour"),
        .target(name: "CacheTool", dependencies: ["TangoCache"], path: "Tools/CacheTool"),
        .executableTarget(name: "tango-cache", dependencies: ["CacheTool"], path: "Tools/tango-cache"),
        .target(name: "PromiseReports", dependencies: ["TangoPromise"], path: "Tests/PromiseReports"),
        .testTarget(
            name: "PromiseTests", dependencies: ["TangoPromise", "PromiseReports"], path: "Tests/PromiseTests"),
        .target(name: "ChildProcesses", path: "Tests/ChildProcesses"),
        .executableTarget(name: "CacheProcess", dependencies: ["TangoCache"], path: "Tests/CacheProcess"),
        .testTarget(
            name: "CacheTests",
            dependencies: [
                "TangoFiles", "TangoCache", "CacheConformance", "CacheTool", "CacheProcess", "ChildProcesses",
            ],
            path: "Tests/CacheTests", exclude: ["Golden"],
            swiftSettings: manyTests),
        .testTarget(
            name: "LoopbackServerTests", dependencies: ["LoopbackServer"], path: "Tests/LoopbackServerTests"),
        .executableTarget(
            name: "RequestProcess",
            dependencies: [
                "TangoRequest", "TangoURLSession", "TangoAuth", "TangoCookies", "TangoTransfers", "TangoMeasuring",
                "TangoCompression", "TangoTesting", "LoopbackServer", "ChildProcesses",
            ],
            path: "Tests/RequestProcess"),
        .target(
            name: "TestSupport",
            dependencies: [
                "TangoFiles", "TangoPromise", "TangoCache", "TangoURLSession", "TangoRequest", "TangoAuth",
                "TangoTransfers", "TangoTesting",
                "LoopbackServer", "ChildProcesses",
            ],
            path: "Tests/TestSupport"),
        testsOfRequests(
            "HTTPTests",
            ["TangoHTTP", "TangoURLSession", "TangoAuth", "TangoCookies", "TangoTransfers", "ChildProcesses"]),
        testsOfRequests(
            "TransportTests",
            [
                "TangoFiles", "TangoTransport", "TangoURLSession", "TangoAuth", "TangoCookies", "ChildProcesses",
                "RequestProcess",
            ]),
        testsOfRequests(
            "RequestTests",
            [
                "TangoCache", "TangoHTTP", "TangoTransport", "TangoAuth", "TangoCookies", "TangoMeasuring",
                "TangoTesting", "ChildProcesses", "PromiseReports", "RequestProcess",
            ]),
        testsOfRequests(
            "AuthTests",
            [
                "TangoCache", "TangoHTTP", "TangoAuth", "TangoCookies", "TangoMeasuring", "TangoTesting",
                "ChildProcesses", "RequestProcess",
            ]),
        testsOfRequests(
            "CookiesTests", ["TangoCache", "TangoCookies", "TangoTesting", "ChildProcesses", "RequestProcess"]),
        testsOfRequests(
            "TransfersTests",
            ["TangoAuth", "TangoCookies", "TangoTransfers", "TangoTesting", "ChildProcesses", "RequestProcess"]),
        testsOfRequests("UITests", ["TangoCache", "TangoUI"]),
        testsOfRequests("FoundationTests", ["TangoCache", "TangoFoundation"]),
        testsOfRequests(
            "CompressionTests",
            ["TangoAuth", "TangoCompression", "TangoTesting", "ChildProcesses", "RequestProcess"]),
        testsOfRequests("MeasuringTests", ["TangoCache", "TangoMeasuring", "TangoTesting"]),
        testsOfRequests(
            "TestingTests",
            [
                "TangoCache", "TangoAuth", "TangoCookies", "TangoTransfers", "TangoTesting", "ChildProcesses",
                "RequestProcess",
            ]),
        testsOfRequests(
            "DocumentationTests",
            [
                "Tango", "TangoFiles", "TangoCache", "TangoHTTP", "TangoTransport", "TangoURLSession", "TangoAuth",
                "TangoCookies", "TangoTransfers", "TangoMeasuring", "TangoUI", "TangoFoundation", "TangoCompression",
                "TangoTesting",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
