// swift-tools-version: 6.2
// A command-line client of an HTTP API, to copy from. Warnings are errors.
import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "Reader",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "reader", targets: ["Reader"])],
    dependencies: [.package(name: "Tango", path: "../..")],
    targets: [
        .executableTarget(
            name: "Reader",
            dependencies: [
                .product(name: "Tango", package: "Tango"),
                .product(name: "TangoAuth", package: "Tango"),
                .product(name: "TangoTransfers", package: "Tango"),
                .product(name: "TangoMeasuring", package: "Tango"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ReaderTests",
            dependencies: ["Reader", .product(name: "Tango", package: "Tango")],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
