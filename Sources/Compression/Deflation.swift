import TangoCZlib

/// The encoding of bytes in the format of gzip (RFC 1952), with the zlib of the system.
///
/// The same bytes give the same result: it contains no time and no name.
///
/// One task at a time uses it.
final class Deflation {
    private let stream: UnsafeMutablePointer<tango_z_stream>
    private var room = [UInt8](repeating: 0, count: 64 << 10)

    /// The number that zlib has for gzip with the largest window.
    private static let gzip: Int32 = 31

    init() throws {
        try Self.checkLibrary()
        stream = try Self.makeStream()
    }

    /// Returns the state of zlib, which keeps its address.
    private static func makeStream() throws -> UnsafeMutablePointer<tango_z_stream> {
        let stream = UnsafeMutablePointer<tango_z_stream>.allocate(capacity: 1)
        stream.initialize(to: tango_z_stream())
        guard tango_deflate_init(stream, gzip) == Int32(TANGO_Z_OK) else {
            stream.deallocate()
            throw RequestError(
                .outOfResources, phase: .prepare,
                detail: "zlib has no memory to compress the body: send fewer requests at a time")
        }
        return stream
    }

    deinit {
        tango_deflate_end(stream)
        stream.deallocate()
    }

    /// Throws if the system has no zlib.
    static func checkLibrary() throws {
        guard let reason = tango_zlib_load() else { return }
        throw RequestError(
            .unsupported, phase: .prepare,
            detail:
                "zlib is missing, so the body cannot be compressed: install it (\(String(cString: reason))), or remove "
                + "compressed()")
    }

    /// Returns the result for the next bytes, which may be empty until more follow.
    ///
    /// - Parameter isLast: A Boolean value that indicates whether no bytes follow. Then the result is complete.
    func encode(_ data: Data, isLast: Bool) -> Data {
        var result = Data()
        // zlib counts the input of a call in 32 bits.
        var rest = data[...]
        repeat {
            let portion = rest.prefix(1 << 30)
            rest = rest.dropFirst(portion.count)
            encode(portion, isLast: isLast && rest.isEmpty, into: &result)
        } while !rest.isEmpty
        return result
    }

    private func encode(_ portion: Data, isLast: Bool, into result: inout Data) {
        portion.withUnsafeBytes { input in
            stream.pointee.next_in = input.assumingMemoryBound(to: UInt8.self).baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            var isFull = true
            while isFull {
                let count = room.withUnsafeMutableBufferPointer { room in
                    stream.pointee.next_out = room.baseAddress
                    stream.pointee.avail_out = UInt32(room.count)
                    _ = tango_deflate(stream, isLast ? 1 : 0)
                    return room.count - Int(stream.pointee.avail_out)
                }
                result += room[..<count]
                isFull = count == room.count
            }
            stream.pointee.next_in = nil
        }
    }

    /// Returns data in the format of gzip.
    static func gzip(_ data: Data) throws -> Data {
        try Deflation().encode(data, isLast: true)
    }
}
