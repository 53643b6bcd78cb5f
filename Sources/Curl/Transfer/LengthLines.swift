#if os(Linux)
    /// The lines of a head that declare the length of the body: a pure value.
    ///
    /// Most heads have at most one such line, with a number. Only the others are parsed for a check of their lengths.
    struct LengthLines {
        private var count = 0
        /// A Boolean value that indicates whether the lengths may be invalid: see ``ResponseHead/hasInvalidLength``.
        private(set) var needCheck = false

        mutating func add(_ line: UnsafeRawBufferPointer) {
            if line.isLength {
                count += 1
                let value = UnsafeRawBufferPointer(
                    rebasing: line[(UnsafeRawBufferPointer.name.utf8CodeUnitCount + 1)...])
                if count > 1 || !value.isPlainNumber { needCheck = true }
            } else if count > 0, line.first == 0x20 || line.first == 0x09 {
                // The line may continue the one before it.
                needCheck = true
            }
        }
    }

    extension UnsafeRawBufferPointer {
        fileprivate static let name: StaticString = "content-length"

        /// A Boolean value that indicates whether a line begins with the name of the field and another byte.
        fileprivate var isLength: Bool {
            guard count > Self.name.utf8CodeUnitCount, self[0] | 0x20 == UInt8(ascii: "c") else { return false }
            return (1..<Self.name.utf8CodeUnitCount).allSatisfy { self[$0] | 0x20 == Self.name.utf8Start[$0] }
        }

        /// A Boolean value that indicates whether the bytes are a number of up to 18 digits, between blanks and line ends.
        fileprivate var isPlainNumber: Bool {
            var digits = 0
            var isOver = false
            for byte in self {
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9") where !isOver: digits += 1
                case 0x20, 0x09, 0x0D, 0x0A: isOver = digits > 0
                default: return false
                }
            }
            return 1...18 ~= digits
        }
    }
#endif
