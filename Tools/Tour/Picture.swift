import Foundation

/// The file for the picture of the waterfall, as the argument `--picture FILE` names it. The README shows such a picture.
enum Picture {
    private static let option = "--picture"

    static var file: URL? {
        let arguments = CommandLine.arguments
        guard let place = arguments.firstIndex(of: option), place + 1 < arguments.count else { return nil }
        return URL(fileURLWithPath: arguments[place + 1])
    }

    /// Returns the arguments without the option and its file.
    static func removed(from arguments: [String]) -> [String] {
        guard let place = arguments.firstIndex(of: option), place + 1 < arguments.count else { return arguments }
        return Array(arguments[..<place] + arguments[(place + 2)...])
    }
}
