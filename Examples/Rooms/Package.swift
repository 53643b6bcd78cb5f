// swift-tools-version: 6.2
// The models and views of a chat, to copy from. Warnings are errors.
import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "Rooms",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "Rooms", targets: ["Rooms"])],
    dependencies: [.package(name: "Tango", path: "../..")],
    targets: [
        .target(
            name: "Rooms",
            dependencies: [.product(name: "Tango", package: "Tango"), .product(name: "TangoUI", package: "Tango")],
            swiftSettings: settings),
        // A target of its own, so that an app does not carry the stubs.
        .target(
            name: "RoomsPreviews",
            dependencies: ["Rooms", .product(name: "TangoTesting", package: "Tango")],
            swiftSettings: settings),
        .testTarget(
            name: "RoomsTests",
            dependencies: [
                "Rooms", "RoomsPreviews",
                .product(name: "Tango", package: "Tango"),
                .product(name: "TangoUI", package: "Tango"),
                .product(name: "TangoTesting", package: "Tango"),
                .product(name: "LoopbackServer", package: "Tango"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
