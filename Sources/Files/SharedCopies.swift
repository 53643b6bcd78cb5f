// The compiler makes a copy of a generic function of the standard library for each module, and often for each use. The
// functions of this file exist once. Those with a name of the standard library have its results, and are preferred to it,
// because their types are concrete.

extension Sequence {
    /// Returns the elements in order, as `sorted(by:)` does: equal ones keep their order.
    @inlinable
    package func ordered(by isBefore: (Element, Element) -> Bool) -> [Element] {
        let all = Array(self)
        return sortedNumbers(upTo: all.count) { isBefore(all[$0], all[$1]) }.map { all[$0] }
    }
}

/// Returns the numbers from zero up to a limit in an order.
@usableFromInline
@inline(never)
package func sortedNumbers(upTo limit: Int, by isBefore: (Int, Int) -> Bool) -> [Int] {
    (0..<limit).sorted(by: isBefore)
}

extension [String] {
    @inline(never)
    package func sorted() -> [String] { sorted(by: <) }
}

extension Set<String> {
    package func sorted() -> [String] { Array(self).sorted() }
}

// MARK: Numbers

extension Int64 {
    /// Creates the number that a decimal text stands for; nil if it is none.
    @inline(never)
    package init?(_ text: Substring) {
        self.init(text, radix: 10)
    }

    package init?(_ text: String) {
        self.init(text[...])
    }
}

extension Int {
    /// Creates the number that a decimal text stands for; nil if it is none.
    @inline(never)
    package init?(_ text: Substring) {
        guard let number = Int64(text) else { return nil }
        self.init(exactly: number)
    }

    package init?(_ text: String) {
        self.init(text[...])
    }
}

extension UInt16 {
    /// Creates the number that a decimal text stands for; nil if it is none.
    package init?(_ text: Substring) {
        guard let number = Int64(text) else { return nil }
        self.init(exactly: number)
    }

    package init?(_ text: String) {
        self.init(text[...])
    }
}

// MARK: Bytes of texts

extension String.UTF8View {
    @inline(never)
    package func allSatisfy(_ isGood: (UInt8) -> Bool) -> Bool { self[...].allSatisfy(isGood) }

    @inline(never)
    package func contains(where isWanted: (UInt8) -> Bool) -> Bool { !allSatisfy { !isWanted($0) } }

    package func starts(with start: String.UTF8View) -> Bool { self[...].starts(with: start) }

    package func elementsEqual(_ other: String.UTF8View) -> Bool { self[...].elementsEqual(other[...]) }

    package func split(
        separator: UInt8, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring.UTF8View] {
        self[...].split(
            separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences)
    }
}

extension Substring.UTF8View {
    @inline(never)
    package func allSatisfy(_ isGood: (UInt8) -> Bool) -> Bool {
        for byte in self where !isGood(byte) { return false }
        return true
    }

    @inline(never)
    package func contains(where isWanted: (UInt8) -> Bool) -> Bool { !allSatisfy { !isWanted($0) } }

    package func starts(with start: String.UTF8View) -> Bool { starts(with: start[...]) }

    @inline(never)
    package func starts(with start: Substring.UTF8View) -> Bool {
        var rest = makeIterator()
        for byte in start where rest.next() != byte { return false }
        return true
    }

    package func elementsEqual(_ other: String.UTF8View) -> Bool { elementsEqual(other[...]) }

    package func elementsEqual(_ other: Substring.UTF8View) -> Bool {
        count == other.count && starts(with: other)
    }

    @inline(never)
    package func split(
        separator: UInt8, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring.UTF8View] {
        split(maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences) { $0 == separator }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns whether the bytes from a place on begin with a text.
    @inline(never)
    package func holds(_ text: StaticString, at place: Int = 0) -> Bool {
        text.withUTF8Buffer { text in
            count - place >= text.count && text.indices.allSatisfy { self[place + $0] == text[$0] }
        }
    }
}

// MARK: Characters

extension String {
    package func split(
        separator: Character, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        self[...].split(maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences) { $0 == separator }
    }

    package func split(
        maxSplits: Int = .max, omittingEmptySubsequences: Bool = true, whereSeparator isSeparator: (Character) -> Bool
    ) -> [Substring] {
        self[...].split(
            maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences, whereSeparator: isSeparator)
    }
}

extension Substring {
    package func split(
        separator: Character, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        split(maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences) { $0 == separator }
    }

    @inline(never)
    package func split(
        maxSplits: Int = .max, omittingEmptySubsequences: Bool = true, whereSeparator isSeparator: (Character) -> Bool
    ) -> [Substring] {
        var parts: [Substring] = []
        var start = startIndex
        for place in indices where isSeparator(self[place]) {
            if parts.count == maxSplits { break }
            if start < place || !omittingEmptySubsequences { parts.append(self[start..<place]) }
            start = index(after: place)
        }
        if start < endIndex || !omittingEmptySubsequences { parts.append(self[start...]) }
        return parts
    }
}
