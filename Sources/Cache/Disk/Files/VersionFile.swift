/// The version of the application that has filled a folder, as a decimal number and a line break in the file `version`.
///
/// A folder without the file was filled by version 0, so that an application which has no versions has no such file.
struct VersionFile {
    /// What the file says.
    enum Content: Hashable, CustomStringConvertible {
        /// There is no file.
        case none

        /// A version.
        case number(Int64)

        /// Nothing that can be understood.
        case unreadable

        /// The version; nil if it cannot be read.
        var number: Int64? {
            switch self {
            case .none: 0
            case .number(let number): number
            case .unreadable: nil
            }
        }

        /// Whether this is the version that has filled the folder.
        func isOf(_ version: Int64) -> Bool {
            number == version
        }

        var description: String {
            number.map { "version \($0)" } ?? "an unknown version"
        }
    }

    /// More than any version has.
    private static let most = 32

    let folder: EntryFolder

    private var path: String { folder.path + "/version" }

    func read() throws -> Content {
        guard let file = try folder.files.open(path) else { return .none }
        guard try file.status().isRegular else { return .unreadable }
        return try withUnsafeTemporaryAllocation(byteCount: Self.most, alignment: 1) { bytes in
            let count = try file.read(into: bytes, at: 0)
            let text = String(decoding: bytes[..<count], as: UTF8.self)
            // The line break says that the number is whole.
            guard text.hasSuffix("\n"), let number = Int64(text.dropLast()) else { return .unreadable }
            return .number(number)
        }
    }

    /// Writes the file aside and renames it, so that whoever reads has the old one or the new one.
    func write(_ version: Int64) throws {
        for _ in 1...3 {
            let (_, temporary) = try folder.create { path in try write("\(version)\n", to: path) }
            do {
                if try folder.files.rename(temporary, to: path) { return }
            } catch {
                _ = try? folder.files.remove(temporary)
                throw error
            }
        }
        throw CacheError(
            .system, "Temporary files in \(folder.path) are removed at once: keep others from cleaning it.")
    }

    /// Writes a new file; nil if its folder is missing.
    private func write(_ text: String, to path: String) throws -> Bool? {
        guard let file = try folder.files.create(path) else { return nil }
        do {
            try Array(text.utf8).withUnsafeBytes { bytes in try file.write(bytes) }
            return true
        } catch {
            _ = try? folder.files.remove(path)
            throw error
        }
    }
}
