// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "RedisStore",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "RedisStore", targets: ["RedisStore"]),
        .executable(name: "tango-cache-redis", targets: ["tango-cache-redis"]),
    ],
    dependencies: [.package(name: "Tango", path: "../..")],
    targets: [
        .target(name: "TangoCHiredis", path: "System/CHiredis"),
        .target(
            name: "RedisStore", dependencies: ["TangoCHiredis", .product(name: "TangoCache", package: "Tango")]),
        .target(
            name: "RedisTool",
            dependencies: [
                "RedisStore", .product(name: "TangoCache", package: "Tango"),
                .product(name: "CacheTool", package: "Tango"),
            ],
            path: "Tool/RedisTool"),
        .executableTarget(
            name: "tango-cache-redis", dependencies: ["RedisTool", .product(name: "CacheTool", package: "Tango")],
            path: "Tool/tango-cache-redis"),
        .executableTarget(
            name: "RedisBenchmark", dependencies: ["RedisStore", .product(name: "TangoCache", package: "Tango")],
            path: "Benchmarks", exclude: ["README.md"]),
        .executableTarget(
            name: "RedisProcess", dependencies: ["RedisStore", .product(name: "TangoCache", package: "Tango")],
            path: "Tests/RedisProcess"),
        .testTarget(
            name: "RedisStoreTests",
            dependencies: [
                "RedisStore", "RedisTool", "RedisProcess", "tango-cache-redis",
                .product(name: "TangoCache", package: "Tango"), .product(name: "CacheTool", package: "Tango"),
                .product(name: "CacheConformance", package: "Tango"), .product(name: "TangoRequest", package: "Tango"),
                .product(name: "TangoTesting", package: "Tango"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
