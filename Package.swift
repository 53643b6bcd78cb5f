// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Tango",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Tango", targets: ["Tango"]),
        .library(name: "TangoPromise", targets: ["TangoPromise"]),
    ],
    targets: [
        .target(name: "TangoPromise", path: "Sources/Promise"),
        .target(name: "Tango", dependencies: ["TangoPromise"], path: "Sources/Tango"),
        .executableTarget(name: "Tour", dependencies: ["Tango"], path: "Tools/Tour"),
        .testTarget(name: "PromiseTests", dependencies: ["Tango", "TangoPromise"], path: "Tests/PromiseTests"),
    ],
    swiftLanguageModes: [.v6]
)
