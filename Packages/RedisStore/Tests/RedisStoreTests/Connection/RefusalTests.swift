import TangoCache
import Testing

@testable import RedisStore

/// The errors for the refusals of Redis 6.2, Redis 7.0 and Valkey 9.1.
@Suite struct RefusalTests {
    private static let script = "ERR Error running script (call to f_41874dfe): @user_script:1: @user_script: 1: "

    @Test(arguments: [
        ("NOPERM this user has no permissions to access one of the channels used as arguments", "channels"),
        (script + "The user executing the script can't publish to the channel mentioned in the command", "channels"),
        ("ERR The user executing the script can't run this command or subcommand script: 4187.", "rights"),
        ("ERR ACL failure in script: No permissions to access a channel script: on @user_script:1.", "channels"),
        ("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.", "SCRIPT KILL"),
        ("ERR DB index is out of range", "database"),
        ("MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.", "disk"),
        (script + "-MISCONF Redis is configured to save RDB snapshots, but it is currently not able to.", "disk"),
        ("NOREPLICAS Not enough good replicas to write.", "min-replicas-to-write"),
        ("READONLY You can't write against a read only replica. script: a8fc, on @user_script:1.", "primary"),
        (script + "-READONLY You can't write against a read only replica.", "primary"),
        (script + "-OOM command not allowed when used memory > 'maxmemory'.", "maxmemory"),
        ("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", "primary"),
        ("ERR unknown command `ZRANDMEMBER`, with args beginning with: `a`", "Redis 6.2 or newer"),
        ("ERR Unknown Redis command called from script script: 985c, on @user_script:1.", "Redis 6.2 or newer"),
        (script + "Unknown Redis command called from Lua script", "Redis 6.2 or newer"),
        ("ERR Protocol error", "log of the server"), ("", "log of the server"),
    ])
    func errorNamesTheRemedy(_ text: String, _ remedy: String) {
        let error = Refusal(text: text).error
        #expect(error.code == .refused)
        #expect(error.message.contains(remedy == "rights" ? "Allow the user" : remedy), "\(error.message)")
        #expect(error.message.contains("Redis 6.2") == (remedy == "Redis 6.2 or newer"))
    }

    @Test func codeOfACommandInAScriptIsFound() {
        #expect(Refusal(text: "READONLY You can't write.").code == "READONLY")
        #expect(Refusal(text: Self.script + "-READONLY You can't write.").code == "READONLY")
        #expect(Refusal(text: Self.script + "value -1 is wrong").code == "ERR")
        #expect(Refusal(text: "ERR a -READONLY value").code == "ERR")
    }
}
