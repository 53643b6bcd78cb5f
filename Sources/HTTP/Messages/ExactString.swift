import TangoPlatform

/// A string that is compared and hashed by its UTF-8 bytes.
///
/// `String ==` treats canonically equivalent strings as equal, such as `é` as one scalar and as two. HTTP compares
/// bytes. Use this type for keys of dictionaries and sets whose text is sent.
package struct ExactString: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: ExactString, other: ExactString) -> Bool {
        one.text.hasSameBytes(as: other.text)
    }

    package func hash(into hasher: inout Hasher) {
        text.hashBytes(into: &hasher)
    }
}

extension String {
    /// A Boolean value that indicates whether two strings have the same UTF-8 bytes.
    ///
    /// Equal bytes mean equal strings. The reverse does not hold: see ``ExactString``.
    @inline(never)
    package func hasSameBytes(as other: String) -> Bool {
        let count = utf8.count
        guard count == other.utf8.count else { return false }
        return withBytes { one in
            other.withBytes { other in
                guard let one = one.baseAddress, let other = other.baseAddress else { return count == 0 }
                return memcmp(one, other, count) == 0
            }
        }
    }

    /// Adds the UTF-8 bytes to a hasher, and an end mark that no UTF-8 text contains.
    @inline(never)
    package func hashBytes(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(UInt8.max)
    }

    /// Calls a closure with the bytes. Native strings, as all strings on Linux are, need no copy. Strings bridged from
    /// Objective-C are copied.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        utf8.withContiguousStorageIfAvailable(body) ?? Array(utf8).withUnsafeBufferPointer(body)
    }
}

extension String? {
    /// A Boolean value that indicates whether both are nil, or both have the same UTF-8 bytes.
    package func hasSameBytes(as other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.hasSameBytes(as: other)
    }
}

extension Data {
    /// Returns whether two data have the same bytes. The compiler copies the operator of Foundation into each use.
    @inline(never)
    package func hasSameBytes(as other: Data) -> Bool { self == other }

    /// Creates the UTF-8 bytes of a text. The compiler would copy the generic function of Foundation into each module.
    @inline(never)
    package init(_ text: String.UTF8View) {
        self = text.withContiguousStorageIfAvailable { Data(buffer: $0) } ?? Data(Array(text))
    }
}
