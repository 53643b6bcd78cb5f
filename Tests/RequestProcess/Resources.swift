#if os(Linux)
    import Foundation

    /// The descriptors and threads of this process at one moment.
    struct Resources: Equatable {
        /// Open descriptors, except those of the thread pools and of the server.
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

        /// Waits until the process holds no more than before, or until a limit is reached. The system does not report the end
        /// of a thread, so this polls.
        static func settled(at before: Resources) async -> Resources {
            var now = Resources.now()
            for _ in 0..<20_000 {
                if now.descriptors <= before.descriptors, now.threads <= before.threads { break }
                await Task.yield()
                now = Resources.now()
            }
            return now
        }

        /// Prints how much more than before the process holds, after ``settled(at:)``.
        static func tellExcess(over before: Resources) async {
            let now = await settled(at: before)
            tell("descriptors", now.descriptors - before.descriptors)
            tell("threads", now.threads - before.threads)
        }

        /// The memory in use, in kilobytes. A sanitizer returns freed memory late, so under one this is the size of the current
        /// allocations.
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
