// swift-tools-version: 6.2
// A small HTTP service whose outgoing calls are Tango's, to copy from. Warnings are errors.
import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "Proxy",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "proxy", targets: ["Proxy"])],
    dependencies: [.package(name: "Tango", path: "../..")],
    targets: [
        .executableTarget(
            name: "Proxy",
            dependencies: [
                .product(name: "Tango", package: "Tango"),
                .product(name: "TangoMeasuring", package: "Tango"),
                .product(name: "LoopbackServer", package: "Tango"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ProxyTests",
            dependencies: [
                "Proxy",
                .product(name: "Tango", package: "Tango"),
                .product(name: "TangoMeasuring", package: "Tango"),
                .product(name: "LoopbackServer", package: "Tango"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
