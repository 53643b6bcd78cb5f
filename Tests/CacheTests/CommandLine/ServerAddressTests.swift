import Testing

@testable import CacheTool

@Suite struct ServerAddressTests {
    @Test(arguments: ["redis://user:word@host/0", "REDISS://:word@host", "unix:///word", "valkey://word"])
    func addressOfAServerLeadsToTheToolForIt(_ address: String) async {
        for verb in ["list", "stats", "verify"] {
            let result = await Tool.result(verb, address)
            #expect(result.code == .unusable)
            #expect(result.errors.contains("tango-cache-redis"))
            #expect(!result.errors.contains("word"))
        }
    }
}
