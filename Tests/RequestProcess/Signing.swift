#if os(Linux)
    import Foundation
    import TangoCache
    import TangoRequest

    extension RequestProcess {
        /// Sends requests whose responses are cached, without a pause. For each line of input, it prints the version that
        /// a call gets, from the cache if it is there.
        ///
        /// - Parameter arguments: The URL of the server, the folder of the store, and the way of caching.
        static func signing(_ arguments: [String]) async throws {
            guard arguments.count == 3, let url = URL(string: arguments[0]) else {
                return tell("usage", "URL FOLDER WAY")
            }
            let store = try DiskStore(directory: URL(filePath: arguments[1]))
            let isDeclared = arguments[2] == "declared"
            let isStreamed = arguments[2] == "streamed"
            let client = Client(baseURL: url, cache: store) {
                $0.identity = "ada"
                $0.cachePolicy = isDeclared ? .cacheElseNetwork : .http
            }
            let reloading = client.with {
                if isDeclared { $0.cachePolicy = .reload } else { $0.headers["Cache-Control"] = "no-cache" }
            }
            let (lines, input) = AsyncStream.makeStream(of: String.self)
            Thread.detachNewThread {
                while let line = readLine() { input.yield(line) }
                input.finish()
            }
            await withTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask {
                        while !Task.isCancelled {
                            if isStreamed {
                                let body = try? await reloading.get("/item", as: ByteStream.self).value
                                if let body { do { for try await _ in body {} } catch {} }
                            } else {
                                _ = try? await reloading.get("/item", as: String.self).value
                            }
                        }
                    }
                }
                tell("ready", "yes")
                for await _ in lines {
                    let text = (try? await client.get("/item", as: String.self).value) ?? "-1"
                    tell("served", text.prefix { $0.isNumber || $0 == "-" })
                }
                group.cancelAll()
            }
            await client.shutdown()
        }
    }
#endif
