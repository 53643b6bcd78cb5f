// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "RedisStore",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "RedisStore", targets: ["RedisStore"])],
    dependencies: [.package(name: "Tango", path: "../..")],
    targets: [
        .target(name: "TangoCHiredis", path: "System/CHiredis"),
        .target(
            name: "RedisStore", dependencies: ["TangoCHiredis", .product(name: "TangoCache", package: "Tango")]),
        .executableTarget(
            name: "RedisBenchmark", dependencies: ["RedisStore", .product(name: "TangoCache", package: "Tango")],
            path: "Benchmarks"),
        .executableTarget(
            name: "RedisProcess", dependencies: ["RedisStore", .product(name: "TangoCache", package: "Tango")],
            path: "Tests/RedisProcess"),
        .testTarget(
            name: "RedisStoreTests",
            dependencies: [
                "RedisStore", "RedisProcess", .product(name: "TangoCache", package: "Tango"),
                .product(name: "CacheConformance", package: "Tango"), .product(name: "TangoRequest", package: "Tango"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
