// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    // Adds URLSessionTransport on Linux, for a comparison. Without it, the library can be that of the tests.
    traits: [.default(enabledTraits: ["URLSessionOnLinux"]), .trait(name: "URLSessionOnLinux")],
    dependencies: [
        .package(
            name: "Tango", path: "..",
            traits: [.trait(name: "URLSessionOnLinux", condition: .when(traits: ["URLSessionOnLinux"]))])
    ],
    targets: [
        .target(name: "CMeasure"),
        .target(
            name: "Harness", dependencies: ["CMeasure"],
            // So that rows which block do so on the main thread, and take none from the tasks they wait for.
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        .target(
            name: "PromiseSuite",
            dependencies: ["Harness", .product(name: "Tango", package: "Tango")]),
        .target(
            name: "CacheSuite",
            dependencies: ["Harness", .product(name: "Tango", package: "Tango")]),
        .target(name: "CurlReference", dependencies: [.product(name: "TangoRequest", package: "Tango")]),
        .target(
            name: "HTTPSuite",
            dependencies: [
                "Harness", "CMeasure", "CurlReference",
                .product(name: "TangoRequest", package: "Tango"), .product(name: "TangoAuth", package: "Tango"),
                .product(name: "TangoCookies", package: "Tango"), .product(name: "TangoTransfers", package: "Tango"),
                .product(name: "TangoMeasuring", package: "Tango"), .product(name: "TangoTesting", package: "Tango"),
                .product(name: "TangoURLSession", package: "Tango"),
                .product(name: "LoopbackServer", package: "Tango"),
            ],
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        .target(
            name: "GrowthSuite",
            dependencies: [
                "Harness", .product(name: "Tango", package: "Tango"), .product(name: "TangoAuth", package: "Tango"),
                .product(name: "TangoCookies", package: "Tango"), .product(name: "TangoTesting", package: "Tango"),
            ]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Harness", "PromiseSuite", "CacheSuite", "HTTPSuite", "GrowthSuite",
                // Built with it, as the suite of requests runs them.
                "FirstRequest", "FirstRequestInC",
            ]),
        // Apart from the suites, so that it takes little time to build.
        .executableTarget(
            name: "AllocationLimits", dependencies: ["Harness", .product(name: "Tango", package: "Tango")]),
        // Processes that send one request. The suite of requests measures their start.
        .executableTarget(name: "FirstRequest", dependencies: [.product(name: "Tango", package: "Tango")]),
        .executableTarget(name: "FirstRequestInC"),
        .testTarget(name: "HarnessTests", dependencies: ["Harness"]),
    ],
    swiftLanguageModes: [.v6]
)
