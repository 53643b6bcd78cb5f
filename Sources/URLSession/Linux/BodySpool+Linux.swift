#if os(Linux) && URLSessionOnLinux
    import Foundation
    import Glibc

    /// Collects the bytes of a body: up to a limit in memory, beyond it in a temporary file without a name.
    struct BodySpool {
        private let limit: Int
        private(set) var count = 0
        private(set) var data = Data()
        private var stored: UploadFile?

        private static let mostInMemory = 1 << 20

        init(limit: Int) {
            self.limit = limit
        }

        /// The file, if there is one.
        var file: UploadFile? { stored.map { UploadFile($0, size: count) } }

        mutating func append(_ portion: Data) throws {
            guard portion.count <= limit - count else {
                throw RequestError(
                    .badBody, phase: .prepare,
                    detail:
                        "the stream has more than \(limit) bytes: raise `spool` in the configuration of the transport")
            }
            count += portion.count
            if stored == nil, count <= Self.mostInMemory { return data.append(portion) }
            let file = try stored ?? UploadFile.temporary()
            stored = file
            if !data.isEmpty {
                try file.append(data)
                data = Data()
            }
            try file.append(portion)
        }
    }

    /// An open file, and its length when it was opened.
    struct UploadFile: Sendable {
        private let handle: Handle
        let name: String
        let size: Int

        var descriptor: Int32 { handle.descriptor }

        private final class Handle: Sendable {
            let descriptor: Int32

            init(_ descriptor: Int32) {
                self.descriptor = descriptor
            }

            deinit {
                close(descriptor)
            }
        }

        init(_ url: URL) throws {
            name = Self.name(url)
            // Opening a pipe would block until a process writes to it.
            handle = try Self.open(url.path, O_RDONLY | O_NONBLOCK, name)
            var facts = stat()
            guard fstat(handle.descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
                throw RequestError(
                    .badBody, phase: .prepare,
                    detail: "\(name) is not a regular file: send a file, not a folder or a device")
            }
            size = Int(facts.st_size)
        }

        /// Returns the length of a file without opening it. Throws if the file cannot be read.
        static func length(_ url: URL) throws -> Int {
            guard url.isFileURL else {
                throw RequestError(
                    .badBody, phase: .prepare,
                    detail:
                        "\(url.absoluteString.debugDescription) is not the URL of a file: create it with URL(filePath:)"
                )
            }
            var facts = stat()
            guard stat(url.path, &facts) == 0, access(url.path, R_OK) == 0 else {
                throw problem(errno, "\(name(url)) cannot be opened")
            }
            guard facts.st_mode & S_IFMT == S_IFREG else {
                throw RequestError(
                    .badBody, phase: .prepare,
                    detail: "\(name(url)) is not a regular file: send a file, not a folder or a device")
            }
            return Int(facts.st_size)
        }

        private static func name(_ url: URL) -> String { "the file \(url.path.debugDescription)" }

        init(_ file: UploadFile, size: Int) {
            handle = file.handle
            name = file.name
            self.size = size
        }

        private init(_ handle: Handle, name: String) {
            self.handle = handle
            self.name = name
            size = 0
        }

        /// Creates a file that is deleted after its last reader has closed it.
        static func temporary() throws -> UploadFile {
            let name = "the temporary file of the body"
            let path = NSTemporaryDirectory() + "/tango-\(UUID().uuidString)"
            let handle = try open(path, O_RDWR | O_CREAT | O_EXCL, name)
            unlink(path)
            return UploadFile(handle, name: name)
        }

        func append(_ data: Data) throws {
            var rest = data
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.problem(errno, "\(name) cannot be written") }
                rest = rest.dropFirst(count)
            }
        }

        private static func open(_ path: String, _ flags: Int32, _ name: String) throws -> Handle {
            let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw problem(errno, "\(name) cannot be opened") }
            return Handle(descriptor)
        }

        private static func problem(_ code: Int32, _ what: String) -> RequestError {
            let isExhausted = [EMFILE, ENFILE, ENOMEM, ENOSPC].contains(code)
            let advice =
                isExhausted ? "free descriptors, memory or disk space" : "check its path and its permissions"
            return RequestError(
                isExhausted ? .outOfResources : .badBody, phase: .prepare,
                detail: "\(what) (\(String(cString: strerror(code)))): \(advice)")
        }
    }
#endif
