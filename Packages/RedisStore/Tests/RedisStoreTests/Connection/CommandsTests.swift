import Testing

@testable import RedisStore

@Suite struct CommandsTests {
    @Test(arguments: [0, 1, 9, 10, 99, 100, 12_345]) func wordsAreSentWithTheirSize(_ count: Int) {
        var commands = Commands()
        commands.begin(2, expecting: .string)
        commands.word("GET")
        commands.word(Array(repeating: UInt8(ascii: "a"), count: count))
        let expected = "*2\r\n$3\r\nGET\r\n$\(count)\r\n\(String(repeating: "a", count: count))\r\n"
        #expect(String(decoding: commands.bytes, as: UTF8.self) == expected)
    }

    @Test func partsOfAWordAreJoined() {
        var commands = Commands()
        commands.word([97], 98, [99, 100])
        #expect(String(decoding: commands.bytes, as: UTF8.self) == "$4\r\nabcd\r\n")
    }
}
