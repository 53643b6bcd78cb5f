/// The file `version`: the version of the application that has filled a folder, as a decimal number and a line break.
///
/// A folder without the file was filled by version 0, so an application without versions has no such file.
struct VersionFile {
    /// The content of the file.
    enum Content: Hashable, CustomStringConvertible {
        /// There is no file.
        case none

        /// A version.
        case number(Int64)

        /// The content is invalid.
        case unreadable

        /// The version; nil if it cannot be read.
        var number: Int64? {
            switch self {
            case .none: 0
            case .number(let number): number
            case .unreadable: nil
            }
        }

        /// Returns whether this version has filled the folder.
        func isOf(_ version: Int64) -> Bool {
            number == version
        }

        var description: String {
            number.map { "version \($0)" } ?? "an unknown version"
        }
    }

    /// The highest number of digits of a version.
    private static let most = 32

    let folder: EntryFolder

    private var path: String { folder.path + "/version" }

    func read() throws -> Content {
        guard let file = try folder.files.open(path) else { return .none }
        guard try file.status().isRegular else { return .unreadable }
        return try withUnsafeTemporaryAllocation(byteCount: Self.most, alignment: 1) { bytes in
            let count = try file.read(into: bytes, at: 0)
            let text = String(decoding: bytes[..<count], as: UTF8.self)
            // The line break proves that the number is complete.
            guard text.hasSuffix("\n"), let number = Int64(text.dropLast()) else { return .unreadable }
            return .number(number)
        }
    }

    /// Writes a temporary file and renames it, so that a reader gets the old version or the new one.
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
            .system, "Another program removes the temporary files in \(folder.path). Stop that program.")
    }

    /// Writes a new file. Returns nil if its folder is missing.
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
