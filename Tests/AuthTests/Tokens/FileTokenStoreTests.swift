#if os(Linux)
    import ChildProcesses
    import Foundation
    import Synchronization
    import TangoPromise
    import Testing

    @testable import TangoAuth
    @testable import TangoRequest
    @testable import TestSupport

    @Suite(.timeLimit(.minutes(20)))
    struct FileTokenStoreTests {
        private static let stored = StoredToken(
            token: Token(
                "a-secret", refreshToken: "r-secret", expires: Date(timeIntervalSince1970: 1_700_000_000.5),
                scopes: ["read"], values: ["id_token": "x"]),
            identity: "i-1")
        private static let key = Data(0..<32)

        /// A store of each kind that is a file.
        enum Kind: CaseIterable {
            case plain, encrypted

            func store(_ url: URL) -> any TokenStore {
                switch self {
                case .plain: FileTokenStore(url)
                case .encrypted: EncryptedTokenStore(url, key: FileTokenStoreTests.key)
                }
            }
        }

        private func permissions(_ url: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        }

        private func names(_ folder: URL) throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
        }

        private func failure<Value: Sendable>(_ work: () async throws -> Value) async -> TokenStoreError? {
            do {
                _ = try await work()
                return nil
            } catch { return error as? TokenStoreError }
        }

        @Test(arguments: Kind.allCases)
        func tokenIsStoredForThisUserOnly(_ kind: Kind) async throws {
            let files = ScratchFiles()
            let folder = files.url.appending(path: "a/b")
            let url = folder.appending(path: "token")
            let store = kind.store(url)
            #expect(try store.load() == nil)
            try await store.save(Self.stored)
            #expect(try kind.store(url).load() == Self.stored)
            #expect(try permissions(url) == 0o600)
            #expect(try permissions(folder) == 0o700)
            #expect(try permissions(files.url.appending(path: "a")) == 0o700)
            #expect(try names(folder) == ["token"])
            let bytes = String(decoding: try Data(contentsOf: url), as: UTF8.self)
            #expect(bytes.contains("a-secret") == (kind == .plain))

            var other = Self.stored
            other.token.value = "b"
            try await store.save(other)
            #expect(try store.load() == other)
            try await store.remove()
            #expect(try store.load() == nil)
            try await store.remove()
            #expect(try names(folder).isEmpty)
        }

        @Test func memoryStoreHoldsAToken() async throws {
            func check(_ store: some TokenStore) async throws {
                #expect(try store.load() == nil)
                try await store.save(Self.stored)
                #expect(try store.load() == Self.stored)
                #expect(try await store.exclusively { 7 } == 7)
                try await store.remove()
                #expect(try store.load() == nil)
            }
            try await check(.memory)
        }

        // MARK: Damage

        @Test(arguments: Kind.allCases, ["", "{}", "garbage", #"{"version":2,"stored":{}}"#])
        func damagedFileIsSetAside(_ kind: Kind, _ content: String) async throws {
            let files = ScratchFiles()
            let url = try files.file("token", Data(content.utf8))
            let store = kind.store(url)
            let error = await failure { try store.load() }
            #expect(error?.code == .damaged)
            #expect(error?.message.contains("token.damaged") == true)
            #expect(try names(files.url) == ["token.damaged"])
            #expect(try store.load() == nil)
            try await store.save(Self.stored)
            #expect(try store.load() == Self.stored)
        }

        /// A damaged file, and what a writer that was killed has left, may have most of a token.
        @Test(arguments: Kind.allCases, ["token", "token.damaged", "token.new"])
        func removalLeavesNoFileWithAToken(_ kind: Kind, _ name: String) async throws {
            let files = ScratchFiles()
            _ = try files.file(name, Data("a damaged token".utf8))
            let store = kind.store(files.url.appending(path: "token"))
            _ = try? store.load()
            try await store.remove()
            #expect(try names(files.url) == [])
            try await store.save(Self.stored)
            #expect(try store.load() == Self.stored)
        }

        @Test(arguments: Kind.allCases)
        func truncatedFileIsSetAside(_ kind: Kind) async throws {
            let files = ScratchFiles()
            let url = files.url.appending(path: "token")
            let store = kind.store(url)
            try await store.save(Self.stored)
            let bytes = try Data(contentsOf: url)
            for count in stride(from: 0, to: bytes.count, by: 7) {
                try bytes.prefix(count).write(to: url)
                #expect(await failure { try store.load() }?.code == .damaged)
            }
            try Data(count: 2 << 20).write(to: url)
            #expect(await failure { try store.load() }?.code == .damaged)
        }

        /// Only an encrypted file notices each changed bit.
        @Test func changedBitIsDamage() async throws {
            let files = ScratchFiles()
            let url = files.url.appending(path: "token")
            let store = EncryptedTokenStore(url, key: Self.key)
            try await store.save(Self.stored)
            let bytes = try Data(contentsOf: url)
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 1 << UInt8(index % 8)
                try changed.write(to: url)
                let isKey = (8..<16).contains(index)
                #expect(await failure { try store.load() }?.code == (isKey ? .wrongKey : .damaged))
            }
        }

        // MARK: Keys

        @Test func otherKeyChangesNothing() async throws {
            let files = ScratchFiles()
            let url = files.url.appending(path: "token")
            try await EncryptedTokenStore(url, key: Self.key).save(Self.stored)
            let other = EncryptedTokenStore(url, key: Data(1..<33))
            #expect(await failure { try other.load() }?.code == .wrongKey)
            #expect(try EncryptedTokenStore(url, key: Self.key).load() == Self.stored)
        }

        @Test(arguments: [0, 16, 31, 33])
        func keyHasThirtyTwoBytes(_ count: Int) async throws {
            let files = ScratchFiles()
            let store = EncryptedTokenStore(files.url.appending(path: "token"), key: Data(count: count))
            #expect(await failure { try await store.save(Self.stored) }?.code == .badKey)
            #expect(try names(files.url).isEmpty)
        }

        @Test func encryptionIsThatOfTheVectors() throws {
            // Test cases 13 and 14 of the GCM specification, and case 16, with a header.
            let zero = [UInt8](repeating: 0, count: 32)
            let nonce = [UInt8](repeating: 0, count: 12)
            #expect(
                try AESGCM.seal([], key: zero, nonce: nonce, authenticating: [])
                    == bytes("530f8afbc74536b9a963b4f1c4cb738b"))
            #expect(
                try AESGCM.seal([UInt8](repeating: 0, count: 16), key: zero, nonce: nonce, authenticating: [])
                    == bytes("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"))
            let key = bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
            let plain = bytes(
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
                    + "b16aedf5aa0de657ba637b39")
            let header = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
            let sealed = try AESGCM.seal(
                plain, key: key, nonce: bytes("cafebabefacedbaddecaf888"), authenticating: header)
            #expect(
                sealed
                    == bytes(
                        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
                            + "c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"))
            let opened = try AESGCM.open(
                sealed, key: key, nonce: bytes("cafebabefacedbaddecaf888"), authenticating: header)
            #expect(opened == plain)
        }

        private func bytes(_ text: String) -> [UInt8] {
            stride(from: 0, to: text.utf8.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
        }

        @Test func systemWithoutTheLibraryIsAnError() async throws {
            let files = ScratchFiles()
            let path = files.url.appending(path: "token").path
            let child = try await RequestChild(
                "encryptedToken", path, environment: ["TANGO_CRYPTO_LIBRARY": "libnothing.so.0"])
            #expect(child["error"]?.hasPrefix("noLibrary: an encrypted file needs libcrypto") == true)
            #expect(child["error"]?.contains("apt-get install") == true)
            #expect(try names(files.url).isEmpty)
            #expect(try await RequestChild("encryptedToken", path)["error"] == nil)
        }

        @Test func eachFileHasItsOwnNonce() throws {
            let files = try (0..<100).map { _ in try SealedToken.seal(Data("x".utf8), key: Array(Self.key)) }
            #expect(Set(files).count == 100)
        }

        // MARK: Permissions

        @Test func permissionsOfOthersAreRemoved() async throws {
            let files = ScratchFiles()
            let url = files.url.appending(path: "token")
            let store = FileTokenStore(url)
            try await store.save(Self.stored)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: url.path)
            #expect(try store.load() == Self.stored)
            #expect(try permissions(url) == 0o600)
        }

        @Test func folderIsNoFile() async throws {
            let files = ScratchFiles()
            let folder = files.url.appending(path: "token")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            #expect(await failure { try FileTokenStore(folder).load() }?.code == .foreign)
            #expect(await failure { try await FileTokenStore(folder).save(Self.stored) }?.code == .system)
        }

        @Test(arguments: ["https://example.com/token", "token", "file:///"])
        func otherURLIsRefused(_ text: String) async throws {
            let store = FileTokenStore(try #require(URL(string: text)))
            for error in [
                await failure { try store.load() }, await failure { try await store.save(Self.stored) },
                await failure { try await store.exclusively { 1 } },
            ] { #expect(error?.code == .foreign) }
        }

        @Test func linkInThePlaceOfTheNewFileIsNotFollowed() async throws {
            let files = ScratchFiles()
            let target = try files.file("precious", Data("x".utf8))
            let url = files.url.appending(path: "token")
            try FileManager.default.createSymbolicLink(
                at: files.url.appending(path: "token.new"), withDestinationURL: target)
            #expect(await failure { try await FileTokenStore(url).save(Self.stored) }?.code == .system)
            #expect(try Data(contentsOf: target) == Data("x".utf8))
        }

        // MARK: Writers

        @Test func leftFileOfAKilledWriterIsTakenOver() async throws {
            let files = ScratchFiles()
            let left = try files.file("token.new", Data(repeating: 7, count: 100_000))
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: left.path)
            let url = files.url.appending(path: "token")
            try await FileTokenStore(url).save(Self.stored)
            #expect(try FileTokenStore(url).load() == Self.stored)
            #expect(try names(files.url) == ["token"])
            #expect(try permissions(url) == 0o600)
        }

        @Test func writersOfOneFileDoNotMixTheirTokens() async throws {
            let files = ScratchFiles()
            let url = files.url.appending(path: "token")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let store = FileTokenStore(url)
                        for round in 0..<20 {
                            let value = String(repeating: "\(number)", count: 1 + round * 400)
                            try await store.save(StoredToken(token: Token(value), identity: "\(number)"))
                            let read = try #require(try store.load())
                            #expect(read.token.value.allSatisfy { String($0) == read.identity })
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try names(files.url) == ["token"])
        }

        /// A process writes tokens without a pause, and is killed at a random moment, several times.
        @Test func killedWriterLeavesAWholeToken() async throws {
            let files = ScratchFiles()
            let url = files.url.appending(path: "token")
            var generator = SystemRandomNumberGenerator()
            var last = 0
            for _ in 0..<8 {
                let process = try ChildProcess(
                    command: [ChildProcess.executable("RequestProcess"), "tokens", url.path])
                let lines = Int.random(in: 1...40, using: &generator)
                last = try await reported(process, lines)
                process.send(SIGKILL)
                let stored = try #require(try FileTokenStore(url).load())
                // Each token has one character, as often as its number says.
                let number = try #require(Int(stored.identity))
                #expect(number >= last)
                #expect(stored.token.value == String(repeating: "x", count: number % 5000 + 1))
                #expect(try names(files.url).isSubset(of: ["token", "token.new"]))
            }
        }

        /// Waits for the last of several lines of a process, and returns its number.
        private func reported(_ process: ChildProcess, _ count: Int) async throws -> Int {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int, any Error>) in
                Thread.detachNewThread {
                    var last = 0
                    for _ in 0..<count {
                        guard let line = process.line(),
                            let number = line.split(separator: " ").last.flatMap({ Int($0) })
                        else { return continuation.resume(throwing: CocoaError(.fileReadUnknown)) }
                        last = number
                    }
                    continuation.resume(returning: last)
                }
            }
        }

        // MARK: The lock

        @Test func oneFunctionRunsAtATime() async throws {
            let files = ScratchFiles()
            let url = files.url.appending(path: "token")
            let record = Record()
            // Beside many other tests, a turn takes long.
            try await LockWait.$forRequesting.withValue(LockWait(limit: .seconds(600))) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<6 {
                        group.addTask {
                            try await FileTokenStore(url).exclusively {
                                #expect(record.enter() == 1)
                                for _ in 0..<3 { await Task.yield() }
                                record.leave()
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(record.total == 6)
            #expect(try permissions(files.url.appending(path: "token.lock")) == 0o600)
        }

        @Test func cancellationEndsTheWaitForTheLock() async throws {
            let files = ScratchFiles()
            let store = FileTokenStore(files.url.appending(path: "token"))
            let (isHeld, holding) = Promise<Void>.pending()
            let (mayEnd, ending) = Promise<Void>.pending()
            let holder = Task {
                try await store.exclusively {
                    holding.fulfill(())
                    try await mayEnd.value
                }
            }
            try await isHeld.value
            let waiter = Task { try await store.exclusively { 1 } }
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
            ending.fulfill(())
            try await holder.value
            #expect(try await store.exclusively { 2 } == 2)
        }

        @Test func errorReleasesTheLock() async throws {
            let files = ScratchFiles()
            let store = FileTokenStore(files.url.appending(path: "token"))
            await #expect(throws: CocoaError.self) {
                try await store.exclusively { throw CocoaError(.coderInvalidValue) }
            }
            #expect(try await store.exclusively { 2 } == 2)
        }

        @Test func killedProcessReleasesTheLock() async throws {
            let files = ScratchFiles()
            let url = files.url.appending(path: "token")
            let process = try ChildProcess(
                command: [ChildProcess.executable("RequestProcess"), "tokenLock", url.path])
            _ = try await reported(process, 1)
            let store = FileTokenStore(url)
            let waiter = Task { try await store.exclusively { 3 } }
            process.send(SIGKILL)
            #expect(try await waiter.value == 3)
        }

        /// Counts the functions that run at once.
        private final class Record: Sendable {
            private let state = Mutex((running: 0, total: 0))

            var total: Int { state.withLock(\.total) }

            /// Returns the number of functions that run, this one included.
            func enter() -> Int {
                state.withLock { state in
                    state.running += 1
                    state.total += 1
                    return state.running
                }
            }

            func leave() { state.withLock { $0.running -= 1 } }
        }
    }
#endif
