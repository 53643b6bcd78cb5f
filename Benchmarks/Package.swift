// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Tango", path: "..")],
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
        .executableTarget(name: "Benchmarks", dependencies: ["Harness", "PromiseSuite", "CacheSuite"]),
    ],
    swiftLanguageModes: [.v6]
)
