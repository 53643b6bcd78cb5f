#if os(Linux)
    import ChildProcesses
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TangoRequest
    @testable import TestSupport

    /// Downloads of processes to files that the system does not let grow, and to disks that are full.
    @Suite(.timeLimit(.minutes(20)))
    struct FullDiskTests {
        private static let size = 12 << 20
        private static let room = 5 << 20
        private let site: FileSite

        init() throws { site = try FileSite(Entity(bytes: Self.size)) }

        private var url: String { site.server.url("/film.mp4").absoluteString }

        @Test(arguments: [1, 4])
        func limitOfTheSystemKeepsWhatCanBeResumed(_ parts: Int) async throws {
            let child = try await RequestChild(
                "download", url, site.target.path, "\(parts)", "\(Self.room)")
            #expect(!child.isKilled)
            #expect(child.status == 1)
            let error = try #require(child["error"])
            #expect(error.contains("cannotWriteFile"))
            #expect(error.contains("raise the limit, then start the download again"))
            #expect(site.names.count == 2)
            let requests = site.ranges.count
            // Without the limit.
            let next = try await RequestChild("download", url, site.target.path, "\(parts)")
            #expect(next["error"] == nil)
            let resumed = try #require(next.number("resumedFrom"))
            #expect(parts == 1 ? resumed == Self.room : resumed <= Self.room)
            #expect(parts > 1 || site.ranges.dropFirst(requests).map(\.self) == ["bytes=\(Self.room)-"])
            #expect(try Data(contentsOf: site.target) == generated(Self.size))
            #expect(site.names == ["film.mp4"])
        }

        private static let canMount: Bool = {
            let script = "mount -t tmpfs tmpfs /mnt && mount -o remount,size=1m /mnt"
            return (try? ChildProcess(command: ["unshare", "-Urm", "sh", "-c", script]))?.end() == 0
        }()

        /// The disk is a file system of 6 MB, which grows before the second download.
        @Test(.enabled(if: canMount, "needs unshare, and the right to mount a tmpfs"), arguments: [1, 4])
        func fullDiskKeepsWhatCanBeResumed(_ parts: Int) async throws {
            let script = """
                mount -t tmpfs -o size=6m tmpfs /mnt || exit 1
                "$0" download "$1" /mnt/film.mp4 "$2" && exit 2
                mount -o remount,size=64m /mnt || exit 3
                "$0" download "$1" /mnt/film.mp4 "$2" || exit 4
                echo names $(ls -A /mnt)
                cp /mnt/film.mp4 "$3"
                """
            let command = [
                "unshare", "-Urm", "sh", "-c", script, ChildProcess.executable("RequestProcess"), url, "\(parts)",
                site.target.path,
            ]
            let (lines, status) = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<([String], CInt), any Error>) in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            let process = try ChildProcess(command: command)
                            return (process.lines(), process.end())
                        })
                }
            }
            #expect(status == 0)
            let error = try #require(lines.first { $0.hasPrefix("error ") })
            #expect(error.contains("diskFull"))
            #expect(error.contains("make room"))
            let resumed = lines.first { $0.hasPrefix("resumedFrom ") }.flatMap { Int($0.dropFirst(12)) } ?? 0
            // All but the pages of the record, and the last portion.
            #expect(resumed > (6 << 20) - (1 << 18) && resumed <= 6 << 20)
            #expect(lines.contains("names film.mp4"))
            #expect(try Data(contentsOf: site.target) == generated(Self.size))
        }
    }
#endif
