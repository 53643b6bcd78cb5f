import Testing

@testable import TangoTesting

/// The decision whether a request may reach a host.
struct RealServerRulesTests {
    @Test func withoutACallEverythingIsAllowed() {
        let rules = RealServerRules()
        #expect(!rules.isActive)
        #expect(rules.verdict(on: "example.com") == .allowed)
    }

    @Test func callsAddTheirHosts() {
        var rules = RealServerRules()
        rules.add(["one.example"])
        rules.add([])
        rules.add(["*.two.example"])
        #expect(rules.isActive)
        #expect(rules.verdict(on: "one.example") == .allowed)
        #expect(rules.verdict(on: "a.two.example") == .allowed)
        #expect(rules.verdict(on: "two.example") == .refused(mistakes: []))
        #expect(rules.verdict(on: "three.example") == .refused(mistakes: []))
    }

    @Test(arguments: [("invalid", true), ("a.invalid", true), ("ainvalid", false), ("invalid.example", false)])
    func nameWithoutAnAddressIsAllowed(_ host: String, _ isAllowed: Bool) {
        var rules = RealServerRules()
        rules.add([])
        #expect((rules.verdict(on: host) == .allowed) == isAllowed)
    }

    @Test func scopeEndsByItself() {
        var rules = RealServerRules()
        let outer = rules.open([])
        let inner = rules.open(["one.example"])
        #expect(rules.verdict(on: "one.example") == .allowed)
        rules.close(inner)
        #expect(rules.verdict(on: "one.example") == .refused(mistakes: []))
        rules.close(outer)
        #expect(!rules.isActive)
        #expect(rules.verdict(on: "one.example") == .allowed)
    }

    @Test func callWithoutAScopeOutlivesScopes() {
        var rules = RealServerRules()
        let scope = rules.open(["one.example"])
        rules.add([])
        rules.close(scope)
        #expect(rules.verdict(on: "one.example") == .refused(mistakes: []))
    }

    @Test func wrongNameIsReported() {
        var rules = RealServerRules()
        rules.add(["https://one.example"])
        #expect(
            rules.verdict(on: "one.example")
                == .refused(mistakes: [
                    #""https://one.example" is not the name of a host: write it without https:// and without a path"#
                ]))
        let text = RealServerText(host: "one.example", stub: nil, mistakes: ["the name is wrong"])
        #expect(text.detail.hasSuffix("; in except, the name is wrong"))
    }
}
