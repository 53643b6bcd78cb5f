#if os(Linux)
    import Foundation
    import TangoRequest

    extension RequestProcess {
        /// Records calls until the process is killed, and prints the number of entries after each.
        static func recording(to path: String) async throws {
            let recorder = try HARRecorder(file: URL(fileURLWithPath: path))
            let client = Client(baseURL: URL(string: "http://localhost")) {
                $0.transport = ManyPages()
                $0.observers = [recorder]
            }
            while true {
                _ = try await client.get("/a", as: Data.self).value
                tell("entries", recorder.count)
            }
        }

        /// Responds at once, with a body of many pages.
        private struct ManyPages: Transport {
            let capabilities: TransportCapabilities = []

            func start(
                _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
            ) -> TransportTask {
                completion {
                    HTTPResponse(
                        status: 200, headers: ["Content-Type": "text/plain"],
                        body: Data(repeating: UInt8(ascii: "x"), count: Int.random(in: 1...300_000)), request: request)
                }
                return .completed
            }

            func shutdown() async {}
        }
    }
#endif
