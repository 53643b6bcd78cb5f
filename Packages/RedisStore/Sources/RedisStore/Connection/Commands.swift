#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Commands in the form in which they are sent, one after the other.
struct Commands: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The shape of the reply to each command.
    private(set) var shapes: [Reply.Shape] = []

    var count: Int { shapes.count }

    init() {}

    init(_ words: String...) {
        add(words.map { Array($0.utf8) })
    }

    /// Adds a command of several words.
    mutating func add(_ words: [[UInt8]]) {
        begin(words.count)
        for word in words { self.word(word) }
    }

    /// Begins a command. As many words must follow.
    mutating func begin(_ words: Int, expecting shape: Reply.Shape = .any) {
        shapes.append(shape)
        append("*", words)
    }

    mutating func word(_ word: [UInt8]) {
        append("$", word.count)
        bytes.append(contentsOf: word)
        end()
    }

    /// Adds a word of three parts, without joining them before.
    mutating func word(_ base: [UInt8], _ letter: UInt8, _ rest: [UInt8]) {
        append("$", base.count + 1 + rest.count)
        bytes.append(contentsOf: base)
        bytes.append(letter)
        bytes.append(contentsOf: rest)
        end()
    }

    mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(bytes.count + count)
    }

    mutating func word(_ word: Data) {
        append("$", word.count)
        bytes.append(contentsOf: word)
        end()
    }

    mutating func word(_ word: String) {
        append("$", word.utf8.count)
        bytes.append(contentsOf: word.utf8)
        end()
    }

    private mutating func append(_ mark: Unicode.Scalar, _ number: Int) {
        bytes.append(UInt8(truncatingIfNeeded: mark.value))
        var unit = 1
        while number / unit >= 10 { unit *= 10 }
        while unit > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / unit % 10))
            unit /= 10
        }
        end()
    }

    private mutating func end() {
        bytes.append(13)
        bytes.append(10)
    }
}
