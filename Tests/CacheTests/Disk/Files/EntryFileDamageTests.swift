import Foundation
import Testing

@testable import TangoCache

@Suite struct EntryFileDamageTests {
    private let files = FileSystem()

    /// Returns the file of an entry with all properties.
    private func sample(_ size: Int, in folder: DiskFolder) throws -> [UInt8] {
        var entry = EntryFileTests.entry(size, metadata: ["etag": "x"], tags: ["users"])
        entry.expires = Date(timeIntervalSinceReferenceDate: 1e9)
        let path = folder.file("sample-\(size)")
        _ = try EntryFile.write(entry, for: "a key", to: path, on: files)
        return Array(try #require(FileManager.default.contents(atPath: path)))
    }

    /// Reads a file with these bytes in all ways, and expects each to detect the damage.
    private func expectDamage(_ bytes: some Sequence<UInt8>, _ path: String, _ what: String) throws {
        // Overwritten in place, because thousands of new files would take too long.
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        let bytes = Array(bytes)
        #expect(write(descriptor, bytes, bytes.count) == bytes.count)
        #expect(ftruncate(descriptor, off_t(bytes.count)) == 0)
        close(descriptor)
        #expect(throws: EntryFile.Damage.self, "\(what) was not seen") {
            try EntryFile.read(path, expecting: "a key", on: files)
        }
        do {
            let reader = try #require(try EntryFile.Reader.open(path, on: files), "\(what) was not found")
            #expect(throws: CacheError.self, "\(what) was not seen by a reader") {
                while try reader.next() != nil {}
            }
        } catch is EntryFile.Damage {}
    }

    @Test(arguments: [0, 1, 40]) func everyFlippedBitOfASmallFileIsSeen(_ size: Int) throws {
        let folder = try DiskFolder()
        var bytes = try sample(size, in: folder)
        for position in bytes.indices {
            for bit in 0..<8 {
                bytes[position] ^= 1 << UInt8(bit)
                try expectDamage(bytes, folder.file("a"), "bit \(bit) of byte \(position)")
                bytes[position] ^= 1 << UInt8(bit)
            }
        }
    }

    @Test func everyOtherValueOfEachByteThatSteersReadingIsSeen() throws {
        let folder = try DiskFolder()
        var bytes = try sample(3, in: folder)
        for position in 0..<24 {
            for change in UInt8(1)...255 {
                bytes[position] ^= change
                try expectDamage(bytes, folder.file("a"), "byte \(position) changed by \(change)")
                bytes[position] ^= change
            }
        }
    }

    @Test(arguments: [5_000, 70_000, 140_000]) func flippedBytesOfALargerFileAreSeen(_ size: Int) throws {
        let folder = try DiskFolder()
        var bytes = try sample(size, in: folder)
        for position in Array(stride(from: 0, to: bytes.count, by: 997)) + Array(bytes.count - 40..<bytes.count) {
            for change in [UInt8(1), 0x80, 0xff] {
                bytes[position] ^= change
                try expectDamage(bytes, folder.file("a"), "byte \(position) changed by \(change)")
                bytes[position] ^= change
            }
        }
    }

    @Test(arguments: [0, 1, 100, 4_100]) func aFileThatIsCutOffAnywhereIsSeen(_ size: Int) throws {
        let folder = try DiskFolder()
        let bytes = try sample(size, in: folder)
        for count in bytes.indices where count < 300 || count % 31 == 0 || count > bytes.count - 100 {
            try expectDamage(bytes[..<count], folder.file("a"), "\(count) of \(bytes.count) bytes")
        }
    }

    @Test func aFileThatIsTooLongIsSeen() throws {
        let folder = try DiskFolder()
        for size in [0, 1, 5_000, 65_536] {
            let bytes = try sample(size, in: folder)
            for more in [1, 7, 8, 64, 5_000, 65_544] {
                try expectDamage(bytes + [UInt8](repeating: 0, count: more), folder.file("a"), "\(more) bytes more")
            }
            try expectDamage(bytes + bytes, folder.file("a"), "a file written twice")
        }
    }

    @Test func anyLengthsInTheHeaderAreReadWithoutHarm() throws {
        let folder = try DiskFolder()
        let bytes = try sample(10, in: folder)
        let numbers: [UInt64] = [
            0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 62, UInt64(Int.max) - 64, UInt64(Int.max) - 1,
            UInt64(Int.max), 1 << 63, .max - 64, .max - 1, .max,
        ]
        for key in numbers {
            for facts in numbers {
                for body in numbers {
                    var changed = bytes
                    changed.withUnsafeMutableBytes { changed in
                        changed.storeBytes(of: UInt32(truncatingIfNeeded: key), toByteOffset: 8, as: UInt32.self)
                        changed.storeBytes(of: UInt32(truncatingIfNeeded: facts), toByteOffset: 12, as: UInt32.self)
                        changed.storeBytes(of: body, toByteOffset: 16, as: UInt64.self)
                    }
                    try expectDamage(changed, folder.file("a"), "lengths \(key), \(facts), \(body)")
                }
            }
        }
    }

    @Test func garbageIsSeen() throws {
        let folder = try DiskFolder()
        var random = SystemRandomNumberGenerator()
        for count in Array(0..<200) + [4_095, 4_096, 4_097, 70_000] {
            var bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            try expectDamage(bytes, folder.file("a"), "\(count) bytes of garbage")
            guard count >= 8 else { continue }
            bytes.replaceSubrange(0..<6, with: [0x54, 0x4e, 0x47, 0x4f, 1, 0])
            try expectDamage(bytes, folder.file("a"), "\(count) bytes of garbage that begin well")
        }
    }

    @Test func blocksThatHaveChangedPlacesAreSeen() throws {
        let folder = try DiskFolder()
        var bytes = try sample(2 * EntryFile.block, in: folder)
        let start = bytes.count - 2 * EntryFile.block - 16
        for offset in 0..<EntryFile.block {
            bytes.swapAt(start + offset, start + EntryFile.block + offset)
        }
        try expectDamage(bytes, folder.file("a"), "a change of blocks")
        for offset in 0..<8 {
            bytes.swapAt(bytes.count - 16 + offset, bytes.count - 8 + offset)
        }
        try expectDamage(bytes, folder.file("a"), "a change of blocks and their digests")
    }

    @Test func anErrorOfTheSystemIsNoDamage() throws {
        let folder = try DiskFolder()
        _ = try sample(10, in: folder)
        for call in [FileFailure.Call.open, .read, .status] {
            let faults = DiskFaults()
            faults.fail(call, with: EIO)
            let error = #expect(throws: CacheError.self) {
                try EntryFile.read(folder.file("sample-10"), on: faults.files)
            }
            #expect(error?.code == .system)
            #expect((error?.underlying as? SystemError)?.number == EIO)
        }
    }
}
