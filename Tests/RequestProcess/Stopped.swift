#if os(Linux)
    import Foundation
    import Synchronization
    import TangoRequest

    extension RequestProcess {
        /// Sends bytes without a request on an idle connection, after two threads have been notified of its last response.
        ///
        /// The sender is stopped before it reads the response, which wakes the thread of the transport meanwhile. Then the
        /// sender continues and reads the response, so that the other thread finds nothing to read.
        static func stopped() throws {
            // The parent may have blocked the signals that this needs.
            var none = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, nil)
            // Ends the process if a thread is not where it should be.
            alarm(300)
            let server = try ScriptedServer()
            let sender = Sender(CurlTransport(CurlConfiguration(proxy: .direct)), to: server.port)
            sender.send()
            server.accept()
            server.respond("first")
            tell("first", sender.body())
            let loop = LoopThread()
            loop.waits(in: LoopThread.Wait.forEvents)
            StoppedThread.stops(sender.thread, at: server.connection)
            sender.send()
            StoppedThread.waitUntilItStops()
            server.respond("second")
            loop.waits(in: LoopThread.Wait.forLock)
            StoppedThread.goOn()
            tell("second", sender.body())
            loop.waits(in: LoopThread.Wait.forEvents)
            server.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray")
            let hasEnded = server.hasEnded
            tell("ended", hasEnded)
            sender.send()
            if hasEnded { server.accept() }
            server.respond("third")
            tell("third", sender.body())
        }
    }

    /// A thread that sends one request after the other.
    private final class Sender: Sendable {
        private let transport: CurlTransport
        private let url: URL
        private let isWanted = DispatchSemaphore(value: 0)
        private let isDone = DispatchSemaphore(value: 0)
        private let last = Mutex("")
        private let number = Mutex<pid_t>(0)

        init(_ transport: CurlTransport, to port: Int) {
            self.transport = transport
            url = URL(string: "http://127.0.0.1:\(port)/") ?? URL(fileURLWithPath: "/")
            Thread.detachNewThread { self.run() }
            isDone.wait()
        }

        /// The number of the thread in the kernel.
        var thread: pid_t { number.withLock { $0 } }

        private func run() {
            let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
            number.withLock { $0 = path.split(separator: "/").last.flatMap { pid_t($0) } ?? 0 }
            isDone.signal()
            // With the body in the loop, or inlined there, the optimizer of Swift 6.3 needs more than ten minutes.
            while true { sendNext() }
        }

        @inline(never)
        private func sendNext() {
            isWanted.wait()
            _ = transport.start(HTTPRequest(url: url), options: TransportOptions()) { response in
                let text = (try? response()).map { String(decoding: $0.body, as: UTF8.self) } ?? "none"
                self.last.withLock { $0 = text }
                self.isDone.signal()
            }
        }

        func send() { isWanted.signal() }

        /// Waits for the response, and returns its body.
        func body() -> String {
            isDone.wait()
            return last.withLock { $0 }
        }
    }

    /// A server with one connection at a time, whose responses are written by hand.
    private final class ScriptedServer {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        private(set) var connection: CInt = -1
        let port: Int

        init() throws {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) { [listener] pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, length) == 0 && listen(listener, 8) == 0
                        && getsockname(listener, $0, &length) == 0
                }
            }
            guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
            port = Int(UInt16(bigEndian: address.sin_port))
        }

        func accept() {
            connection = Glibc.accept(listener, nil, nil)
        }

        /// Reads a request and responds to it.
        func respond(_ body: String) {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            recv(connection, &buffer, buffer.count, 0)
            StoppedThread.stops(0, at: connection)
            write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }

        func write(_ text: String) {
            Glibc.send(connection, text, text.utf8.count, CInt(MSG_NOSIGNAL))
        }

        /// Waits until the client has ended the connection. Returns false if it stays open for long.
        var hasEnded: Bool {
            var ready = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            var byte: UInt8 = 0
            return poll(&ready, 1, 10_000) == 1 && recv(connection, &byte, 1, CInt(MSG_PEEK)) == 0
        }
    }

    /// A thread that stops inside the system call by which something arrives at a server.
    ///
    /// The kernel sends it a signal, whose handler waits.
    private enum StoppedThread {
        nonisolated(unsafe) private static var stop: (reading: CInt, writing: CInt) = (-1, -1)
        nonisolated(unsafe) private static var go: (reading: CInt, writing: CInt) = (-1, -1)

        private static func pipe() -> (CInt, CInt) {
            var ends: [CInt] = [-1, -1]
            Glibc.pipe(&ends)
            return (ends[0], ends[1])
        }

        /// Stops a thread at the next arrival on a socket. Zero stops none.
        static func stops(_ thread: pid_t, at socket: CInt) {
            if stop.reading < 0 {
                (stop, go) = (pipe(), pipe())
                signal(SIGUSR2) { _ in
                    let code = errno
                    var byte: UInt8 = 1
                    write(StoppedThread.stop.writing, &byte, 1)
                    read(StoppedThread.go.reading, &byte, 1)
                    errno = code
                }
            }
            // The kind is a thread.
            var owner: (kind: CInt, thread: pid_t) = (0, thread)
            _ = fcntl(socket, CInt(15), &owner)
            _ = fcntl(socket, CInt(10), SIGUSR2)
            _ = fcntl(socket, F_SETFL, thread == 0 ? 0 : O_ASYNC)
        }

        static func waitUntilItStops() {
            var byte: UInt8 = 0
            read(stop.reading, &byte, 1)
        }

        static func goOn() {
            var byte: UInt8 = 1
            write(go.writing, &byte, 1)
        }
    }

    /// The thread of the transport.
    private struct LoopThread {
        private let path: String

        init() {
            let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            let number = tasks.first {
                let name = try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
                return name?.hasPrefix("tango.curl") == true
            }
            path = "/proc/self/task/\(number ?? "0")/syscall"
        }

        /// The numbers of system calls, on Intel and ARM processors.
        enum Wait {
            static let forEvents = ["232", "281", "22"]
            static let forLock = ["202", "98"]
        }

        /// Waits until the thread waits in one of some system calls.
        func waits(in calls: [String]) {
            while true {
                let call = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: " ").first
                if let call, calls.contains(String(call)) { return }
                usleep(100)
            }
        }
    }
#endif
