// swift-tools-version: 6.2
// A package as a user would have it, which imports Tango from outside. CONSUMER names the way it is built: swift6 (the
// default), swift5, or app for the settings of Xcode's app template. The fourth, optimised, has the trait of the tests of
// optimised code, whose library it uses. Warnings are errors.
import PackageDescription

let way = Context.environment["CONSUMER"] ?? "swift6"
// The attempts that the compiler may make to find the types of an expression: a chain, or an endpoint made of literals. On a fast
// machine, they take 300 ms and 30 ms. A limit of the time itself would fail on a slow one.
let quick: SwiftSetting = .unsafeFlags(["-Xfrontend", "-solver-scope-threshold=25000"])
let quickLiterals: SwiftSetting = .unsafeFlags(["-Xfrontend", "-solver-scope-threshold=2500"])
let appTemplate: [SwiftSetting] = [
    .defaultIsolation(MainActor.self),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let settings: [SwiftSetting] =
    [.swiftLanguageMode(way == "swift5" ? .v5 : .v6), .treatAllWarnings(as: .error)] + (way == "app" ? appTemplate : [])

let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Tango", path: "../..", traits: way == "optimised" ? ["URLSessionOnLinux"] : [.defaults])
    ],
    targets: [
        .target(
            name: "Consumer",
            dependencies: [
                .product(name: "Tango", package: "Tango"), .product(name: "CacheConformance", package: "Tango"),
            ],
            path: way == "app" ? "Sources/App" : "Sources/Library",
            swiftSettings: [quick] + settings
        ),
        .target(
            name: "Endpoints",
            dependencies: [.product(name: "Tango", package: "Tango")],
            swiftSettings: [quickLiterals] + settings
        ),
    ]
)
