// swift-tools-version: 6.2
import PackageDescription

// The smallest program that sends a typed request. `.ci/weight` measures what it carries.
let package = Package(
    name: "Weight",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Tango", path: "../..")],
    targets: [
        .executableTarget(name: "weight", dependencies: [.product(name: "Tango", package: "Tango")], path: "Sources")
    ])
