#if os(Linux)
    import Foundation

    /// What this process holds at a moment.
    struct Resources: Equatable {
        /// Open descriptors, but for those of the thread pools and of the server.
        var descriptors = 0
        /// Threads of transports.
        var threads = 0

        static func now() -> Resources {
            let manager = FileManager.default
            var resources = Resources()
            let open = (try? manager.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            resources.descriptors = open.count
            for task in (try? manager.contentsOfDirectory(atPath: "/proc/self/task")) ?? [] {
                let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
                if name?.hasPrefix("tango.curl") == true { resources.threads += 1 }
            }
            return resources
        }

        /// Waits until no more is held than before, or until it is clear that it will not be: the system tells nobody when a
        /// thread has gone, so that it is asked, again and again.
        static func settled(at before: Resources) async -> Resources {
            var now = Resources.now()
            for _ in 0..<20_000 {
                if now.descriptors <= before.descriptors, now.threads <= before.threads { break }
                await Task.yield()
                now = Resources.now()
            }
            return now
        }

        /// Tells what is held more than before, once it has settled.
        static func tellExcess(over before: Resources) async {
            let now = await settled(at: before)
            tell("descriptors", now.descriptors - before.descriptors)
            tell("threads", now.threads - before.threads)
        }

        /// The memory that is in use, in kilobytes. A sanitizer keeps books of its own and returns what was freed late, so
        /// that it is asked what the process has allocated.
        static var memory: Int {
            if let allocated = dlsym(nil, "__sanitizer_get_current_allocated_bytes") {
                return unsafeBitCast(allocated, to: (@convention(c) () -> Int).self)() / 1024
            }
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
        }
    }
#endif
