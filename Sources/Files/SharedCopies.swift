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

extension Int {
    /// Creates the number that a decimal text stands for; nil if it is none.
    @inline(never)
    package init?(_ text: Substring) {
        self.init(text, radix: 10)
    }

    package init?(_ text: String) {
        self.init(text[...])
    }
}

extension String.UTF8View {
    @inline(never)
    package func allSatisfy(_ isGood: (UInt8) -> Bool) -> Bool { self[...].allSatisfy(isGood) }

    @inline(never)
    package func contains(where isWanted: (UInt8) -> Bool) -> Bool { !allSatisfy { !isWanted($0) } }
}

extension Substring.UTF8View {
    @inline(never)
    package func allSatisfy(_ isGood: (UInt8) -> Bool) -> Bool {
        for byte in self where !isGood(byte) { return false }
        return true
    }

    @inline(never)
    package func contains(where isWanted: (UInt8) -> Bool) -> Bool { !allSatisfy { !isWanted($0) } }
}
