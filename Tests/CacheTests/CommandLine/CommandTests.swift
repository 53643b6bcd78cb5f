import TangoCache
import Testing

@testable import CacheTool

@Suite struct CommandTests {
    @Test(
        arguments: [
            ([], "tell what to do: stats, list, show, verify, purge, help."),
            (["lst"], "there is no command lst; did you mean list?"),
            (["frobnicate"], "there is no command frobnicate."),
            (
                ["redis://user:word@host", "list"],
                "the command comes first, and the store follows it: stats, list, show, verify, purge, help."
            ),
            (["help", "purgee"], "there is no command purgee; did you mean purge?"),
            (["list"], "tell the folder of the store: tango-cache list FOLDER."),
            (["list", ""], "tell the folder of the store: tango-cache list FOLDER."),
            (["list", "F", "--srot", "key"], "list has no option --srot; did you mean --sort?"),
            (["stats", "F", "--all"], "stats has no option --all."),
            (["stats", "F", "-x"], "stats has no option -x."),
            (["list", "F", "--sort"], "--sort needs a value: --sort FIELD."),
            (["list", "F", "--sort", "--json"], "--sort needs a value: --sort FIELD."),
            (["list", "F", "--sort", "age"], "--sort takes key, size, written, expires, not \"age\"."),
            (["list", "F", "--limit", "0"], "--limit takes a number from 1, not \"0\"."),
            (["list", "F", "--json=yes"], "--json takes no value."),
            (["list", "F", "--tag", "a", "--tag", "b"], "--tag is given twice."),
            (["stats", "F", "G"], "that is too much: tango-cache stats FOLDER, and options."),
            (["show", "F"], "tell one key: tango-cache show FOLDER KEY."),
            (["show", "F", "a", "b"], "tell one key: tango-cache show FOLDER KEY."),
            (
                ["show", "F", "abc", "--hex"],
                "\"abc\" is not hexadecimal: write two digits for each byte, such as 00ff10."
            ),
            (
                ["purge", "F"],
                "tell what to remove: --all, --expired, --prefix TEXT, --tag TAG, --older-than TIME, or keys."
            ),
            (
                ["purge", "F", "--dry-run"],
                "tell what to remove: --all, --expired, --prefix TEXT, --tag TAG, --older-than TIME, or keys."
            ),
            (
                ["purge", "F", "a", "--all"],
                "choose one of --all, --expired, --prefix, --tag, --older-than, and keys."
            ),
        ] as [([String], String)])
    func aWrongCallIsExplained(_ arguments: [String], _ message: String) {
        #expect(throws: UsageError(message)) { try Command(arguments) }
    }

    @Test func theOptionsOfAListAreRead() throws {
        let arguments = [
            "list", "--sort=size", "F", "--reverse", "--prefix", "a", "--tag", "t", "--larger-than", "1k",
            "--older-than",
            "1m", "--expired", "--pinned", "--limit", "3", "--json",
        ]
        guard case .list("F", let listing, json: true) = try Command(arguments) else {
            Issue.record("no list")
            return
        }
        #expect(listing.order == .size)
        #expect(listing.isReversed)
        #expect(listing.limit == 3)
        #expect(listing.filter.prefix == "a")
        #expect(listing.filter.tag == "t")
        #expect(listing.filter.largerThan == 1000)
        #expect(listing.filter.olderThan == 60)
        #expect(listing.filter.isExpired)
        #expect(listing.filter.isPinned)
    }

    @Test func keysMayBeginWithDashesBehindTwoDashes() throws {
        let command = try Command(["purge", "F", "--dry-run", "--", "--all", "-h"])
        guard case .purge("F", let purge, json: false) = command else {
            Issue.record("no purge")
            return
        }
        guard case .keys(let keys) = purge.choice else {
            Issue.record("no keys")
            return
        }
        #expect(keys == ["--all", "-h"])
        #expect(purge.isDryRun)
    }

    @Test func valuesMayBeEmptyOrContainEqualSigns() throws {
        guard case .list(_, let listing, _) = try Command(["list", "F", "--prefix=a=b", "--tag="]) else {
            Issue.record("no list")
            return
        }
        #expect(listing.filter.prefix == "a=b")
        #expect(listing.filter.tag?.isEmpty == true)
    }

    @Test(arguments: ["00ff10", "0x00FF10", "0X00ff10"])
    func keysMayBeHexadecimal(_ text: String) throws {
        guard case .show(_, let key, _, _) = try Command(["show", "F", "--hex", text]) else {
            Issue.record("no show")
            return
        }
        #expect(key == CacheKey(bytes: [0, 255, 16]))
    }

    @Test(arguments: Verb.allCases) func everyCommandHasHelp(_ verb: Verb) async {
        for arguments in [["help", verb.rawValue], [verb.rawValue, "--help"], [verb.rawValue, "F", "-h"]] {
            let result = await Tool.result(arguments)
            #expect(result.code == .done)
            #expect(result.text.contains(verb.summary))
            #expect(result.text.contains("Exit codes"))
            for option in verb.options { #expect(result.text.contains(option.form)) }
        }
    }

    @Test(arguments: [["help"], ["--help"], ["-h"]]) func theHelpNamesAllCommands(_ arguments: [String]) async {
        let result = await Tool.result(arguments)
        #expect(result.code == .done)
        for verb in Verb.allCases { #expect(result.text.contains("tango-cache \(verb.rawValue) \(verb.operands)")) }
    }

    @Test func theVersionIsTold() async {
        #expect(await Tool.result("--version").text == "tango-cache \(Tool.version)\n")
    }

    @Test func errorsOfUseGoToTheErrors() async {
        let result = await Tool.result("list", "F", "--srot", "--json")
        #expect(result.code == .usage)
        #expect(result.output.isEmpty)
        #expect(result.errors == "list has no option --srot; did you mean --sort?\nTry: tango-cache help\n")
    }
}
