import ChildProcesses
import Foundation
import Testing

@testable import TangoCookies
@testable import TangoRequest
@testable import TestSupport

/// Jars whose cookies are in a file.
@Suite(.timeLimit(.minutes(20))) struct CookieFileTests {
    private let files = ScratchFiles()
    private var file: URL { files.url.appendingPathComponent("cookies") }
    private let url = URL(string: "https://example.com/") ?? URL(fileURLWithPath: "/")

    private func open(keepsSessionCookies: Bool = false) throws -> CookieJar {
        try CookieJar(file: file, publicSuffixes: .list("com"), keepsSessionCookies: keepsSessionCookies)
    }

    private func store(_ fields: String..., in jar: CookieJar) { jar.store(fields, from: url, at: Date()) }

    private func pairs(_ jar: CookieJar) -> [String] { jar.cookies.map(\.pair) }

    @Test func persistentCookiesAndIdentityAreReadAgain() async throws {
        let jar = try open()
        store(
            "a=1; Max-Age=1000; Secure; HttpOnly; SameSite=Strict; Path=/x; Domain=example.com", "b=é\t2; Max-Age=1000",
            "session=3", in: jar)
        try await jar.save()
        let other = try open()
        #expect(other.identity == jar.identity)
        #expect(other.cookies == jar.cookies.filter { $0.expires != nil })
        #expect(other.problem == nil)
        #expect(jar.cookieHeader(for: url, at: Date()) == "b=é\t2; session=3")
    }

    @Test func sessionCookiesAreStoredIfAskedFor() async throws {
        let jar = try open(keepsSessionCookies: true)
        store("a=1", in: jar)
        try await jar.save()
        #expect(try pairs(open(keepsSessionCookies: true)) == ["a=1"])
    }

    @Test func changesAreWrittenWithoutSaving() async throws {
        let jar = try open()
        store("a=1; Max-Age=1000", in: jar)
        await Client { $0.cookies = .jar(jar) }.shutdown()
        #expect(try pairs(open()) == ["a=1"])
    }

    @Test func onlyTheUserCanReadTheFile() async throws {
        let deep = files.url.appendingPathComponent("deep/er/cookies")
        let jar = try CookieJar(file: deep)
        store("a=1; Max-Age=1000", in: jar)
        try await jar.save()
        let names = try FileManager.default.contentsOfDirectory(atPath: deep.deletingLastPathComponent().path)
        #expect(names.sorted() == ["cookies", "cookies.lock"])
        for name in names {
            let path = deep.deletingLastPathComponent().appendingPathComponent(name).path
            let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(permissions == 0o600)
        }
    }

    @Test func signingOutReplacesTheIdentityInTheFile() async throws {
        let jar = try open()
        let before = jar.identity
        store("a=1; Max-Age=1000", in: jar)
        try await jar.save()
        jar.removeAll()
        try await jar.save()
        let other = try open()
        #expect(other.cookies.isEmpty)
        #expect(other.identity == jar.identity)
        #expect(other.identity != before)
        #expect(!String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("\"a\""))
    }

    // MARK: Several jars on one file

    @Test func jarsOfOneFileShareTheirChanges() async throws {
        let (one, two) = (try open(), try open())
        #expect(one.identity == two.identity)
        store("a=1; Max-Age=1000", "x=1; Max-Age=1000", in: one)
        try await one.save()
        store("b=1; Max-Age=1000", "x=2; Max-Age=1000", "session=2", in: two)
        try await two.save()
        #expect(pairs(two).sorted() == ["a=1", "b=1", "session=2", "x=2"])
        one.remove(try #require(one.cookies.first { $0.name == "a" }))
        try await one.save()
        #expect(pairs(one).sorted() == ["b=1", "x=2"])
        try await two.save()
        #expect(pairs(two).sorted() == ["b=1", "session=2", "x=2"])
        #expect(try pairs(open()).sorted() == ["b=1", "x=2"])
    }

    @Test func signingOutInOneJarSignsOutTheOthers() async throws {
        let (one, two) = (try open(), try open())
        store("a=1; Max-Age=1000", "session=1", in: two)
        try await two.save()
        try await one.save()
        one.removeAll()
        store("new=1; Max-Age=1000", in: one)
        try await one.save()
        // Cookies of the old user that the other jar has not written yet.
        store("late=1; Max-Age=1000", in: two)
        try await two.save()
        #expect(pairs(two) == ["new=1"])
        #expect(two.identity == one.identity)
        #expect(try pairs(open()) == ["new=1"])
    }

    /// The one who signs out here is not the user that the other jar has by now.
    @Test func lateSignOutLeavesTheNextUser() async throws {
        let (one, two) = (try open(), try open())
        store("alice=1; Max-Age=1000", in: one)
        try await one.save()
        try await two.save()
        two.removeAll()
        store("bob=1; Max-Age=1000", in: two)
        try await two.save()
        one.removeAll()
        try await one.save()
        #expect(pairs(one) == ["bob=1"])
        #expect(one.identity == two.identity)
        try await two.save()
        #expect(pairs(two) == ["bob=1"])
        #expect(try pairs(open()) == ["bob=1"])
    }

    @Test func removedFileIsWrittenAgain() async throws {
        let jar = try open()
        store("a=1; Max-Age=1000", in: jar)
        try await jar.save()
        try FileManager.default.removeItem(at: file)
        try await jar.save()
        #expect(try pairs(open()) == ["a=1"])
    }

    // MARK: Damaged and other files

    @Test func damageOfAnyByteIsNoticed() async throws {
        let jar = try open()
        store("a=1; Max-Age=1000", in: jar)
        try await jar.save()
        let bytes = try Data(contentsOf: file)
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 0x01
            try damaged.write(to: file)
            let other = try open()
            #expect(other.cookies.isEmpty)
            #expect(other.problem?.message.contains("was damaged. It was set aside as") == true)
            #expect(try Data(contentsOf: files.url.appendingPathComponent("cookies.damaged")) == damaged)
            #expect(try open().problem == nil)
        }
    }

    @Test(arguments: [
        "", "\n", "Tango cookies 1", "Tango cookies 1 \n", "\0\0\0\0\n\0", "{}", "Tango cookies 2 abc\n{}",
    ])
    func otherContentsAreSetAside(_ text: String) async throws {
        let file = try files.file("cookies", Data(text.utf8))
        let jar = try open()
        #expect(jar.cookies.isEmpty)
        #expect(jar.problem != nil)
        #expect(try Data(contentsOf: files.url.appendingPathComponent("cookies.damaged")) == Data(text.utf8))
        store("a=1; Max-Age=1000", in: jar)
        try await jar.save()
        // The report remains.
        #expect(jar.problem != nil)
        #expect(try CookieJar(file: file).problem == nil)
    }

    @Test func fileThatIsDamagedMeanwhileIsWrittenAgain() async throws {
        let jar = try open()
        store("a=1; Max-Age=1000", in: jar)
        try await jar.save()
        try Data("damaged".utf8).write(to: file)
        try await jar.save()
        #expect(jar.problem != nil)
        #expect(try pairs(open()) == ["a=1"])
    }

    private func message(_ text: String) throws -> String {
        let file = try files.file("cookies", Data(text.utf8))
        let error = #expect(throws: CookieJarError.self) { try open() }
        // The file stays as it is.
        #expect(try Data(contentsOf: file) == Data(text.utf8))
        return error?.message ?? ""
    }

    @Test func filesOfOthersStayAsTheyAre() throws {
        #expect(try message("# Netscape HTTP Cookie File\n\n").contains("read it with CookieJar.importNetscape(_:)"))
        let later = "{}\n"
        let text = try message("Tango cookies 2 \(SHA256.hex("2\n\(later)".utf8))\n\(later)")
        #expect(text.contains("was written by a later version of Tango: update it"))
    }

    @Test func impossiblePathsAreErrors() throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        #expect(throws: CookieJarError.self) { try open() }
        let below = try files.file("plain", Data()).appendingPathComponent("cookies")
        let error = #expect(throws: CookieJarError.self) { try CookieJar(file: below) }
        #expect(error?.message.contains(below.path) == true)
        let web = #expect(throws: CookieJarError.self) { try CookieJar(file: url) }
        #expect(web?.message.contains("URL(fileURLWithPath:)") == true)
    }

    @Test func failedWriteIsReportedAndRepeated() async throws {
        let jar = try open()
        let obstacle = files.url.appendingPathComponent("cookies.new/x")
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
        store("a=1; Max-Age=1000", in: jar)
        await #expect(throws: CookieJarError.self) { try await jar.save() }
        #expect(jar.problem?.message.hasPrefix("cannot remove") == true)
        try FileManager.default.removeItem(at: obstacle.deletingLastPathComponent())
        try await jar.save()
        #expect(jar.problem == nil)
        #expect(try pairs(open()) == ["a=1"])
    }

    @Test func jarInMemoryHasNoFile() async throws {
        let jar = CookieJar()
        store("a=1; Max-Age=1000", in: jar)
        try await jar.save()
        #expect(jar.problem == nil)
    }

    #if os(Linux)
        /// Starts a process that sets cookies one after another, and kills it after some of them.
        private func killedAfter(_ count: Int) async throws -> Int {
            let path = file.path
            return try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            let process = try ChildProcess(command: [
                                ChildProcess.executable("RequestProcess"), "cookies", path,
                            ])
                            var saved = -1
                            while saved < count, let line = process.line() {
                                guard line.hasPrefix("saved ") else { continue }
                                saved = Int(line.dropFirst(6)) ?? saved
                            }
                            process.send(SIGKILL)
                            for line in process.lines() where line.hasPrefix("saved ") {
                                saved = Int(line.dropFirst(6)) ?? saved
                            }
                            process.end()
                            return saved
                        })
                }
            }
        }

        @Test func killedProcessLeavesACompleteFile() async throws {
            var identity: String?
            for round in 0..<(isLongRun ? 40 : 4) {
                let saved = try await killedAfter(round * 7 + 3)
                let jar = try open()
                #expect(jar.problem == nil)
                #expect(jar.identity == identity ?? jar.identity)
                identity = jar.identity
                // The cookie of each number that was saved, or a later one.
                let number = try #require(
                    jar.cookies.first { $0.name == "number" }.flatMap { Int($0.value.prefix { $0 != "." }) })
                #expect(number >= saved)
                try await jar.save()
            }
        }

        @Test func processesShareOneFile() async throws {
            let path = file.path
            try await withThrowingTaskGroup { group in
                for name in ["a", "b", "c"] {
                    group.addTask {
                        let child = try await RequestChild("sharedCookies", path, name)
                        #expect(child["done"] == "yes")
                    }
                }
                try await group.waitForAll()
            }
            let jar = try open()
            #expect(jar.problem == nil)
            #expect(jar.cookies.count == 3 * 20)
        }

        @Test func jarWithoutTheLibraryRefusesSingleLabels() async throws {
            let child = try await RequestChild(
                "suffixes", environment: ["TANGO_PSL_LIBRARY": "/nonexistent/libpsl.so"])
            #expect(child["complete"] == "false")
            #expect(child["description"]?.hasPrefix("domains of one label, because there is no list: ") == true)
            #expect(child["stored"] == "[\"a\"]")
        }
    #endif
}
