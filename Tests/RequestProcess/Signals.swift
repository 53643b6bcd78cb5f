#if os(Linux)
    import Foundation
    import TangoRequest

    extension RequestProcess {
        /// Writes to pipes without a reader, with the signal suppressed.
        static func signals(_ count: Int) {
            signal(SIGPIPE, SIG_DFL)
            for _ in 0..<count {
                var ends: [Int32] = [0, 0]
                pipe(&ends)
                close(ends[0])
                let written = BrokenPipeSignal.absorbed { write(ends[1], [1], 1) }
                close(ends[1])
                guard written == -1 else { return tell("written", written) }
            }
            var pending = sigset_t()
            sigpending(&pending)
            tell("pending", sigismember(&pending, SIGPIPE))
        }

        /// Prints the outcome of a request under each trust rule.
        static func trusting(_ arguments: [String]) async {
            guard arguments.count == 3, let url = URL(string: arguments[1]) else { return }
            let host = url.host ?? ""
            let transport = CurlTransport(CurlConfiguration(proxy: .direct))
            let pin = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
            let rules: [(String, ServerTrust)] = [
                ("authority", .authorities([.file(arguments[2])])), ("system", .system),
                ("development", .developmentHost(host)), ("pin", .developmentHost(host) + .pins([pin])),
            ]
            for (name, trust) in rules {
                do {
                    let response = try await transport.send(
                        HTTPRequest(url: url), options: TransportOptions(trust: trust))
                    tell(name, response.status)
                } catch {
                    tell(name, error)
                }
            }
        }

        /// Sends bodies to a TLS server that closes the connection while they are sent.
        static func secureBrokenPipes(_ arguments: [String]) async throws {
            signal(SIGPIPE, SIG_DFL)
            guard arguments.count == 3, let url = URL(string: arguments[1]) else { return }
            let transport = CurlTransport(CurlConfiguration(proxy: .direct))
            let options = TransportOptions(trust: .authorities([.file(arguments[2])]))
            for number in 0..<30 {
                let body = Body.data(Data(count: 20_000_000))
                let request = HTTPRequest(method: .post, url: url, headers: ["X": "\(number)"], body: body)
                _ = try? await transport.send(request, options: options)
            }
            await transport.shutdown()
        }
    }
#endif
