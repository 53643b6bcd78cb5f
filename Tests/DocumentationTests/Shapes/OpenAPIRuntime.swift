import Foundation
import Synchronization

/// Declarations of swift-openapi-runtime 1, as far as "HTTP types and OpenAPI" uses them.
enum OpenAPIRuntime {
    protocol ClientTransport: Sendable {
        func send(
            _ request: HTTPTypes.HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
        ) async throws -> (HTTPTypes.HTTPResponse, HTTPBody?)
    }

    final class HTTPBody: AsyncSequence, Sendable {
        typealias ByteChunk = ArraySlice<UInt8>
        typealias Element = ByteChunk

        enum IterationBehavior: Sendable {
            case single, multiple
        }

        enum Length: Equatable, Sendable {
            case unknown
            case known(Int64)
        }

        struct Iterator: AsyncIteratorProtocol {
            fileprivate let produce: () async throws -> ByteChunk?
            mutating func next() async throws -> ByteChunk? { try await produce() }
        }

        let length: Length
        let iterationBehavior: IterationBehavior
        private let make: @Sendable () -> Iterator
        private let iterations = Mutex(0)

        init<Bytes: AsyncSequence>(_ sequence: Bytes, length: Length, iterationBehavior: IterationBehavior)
        where Bytes.Element == ByteChunk, Bytes: Sendable {
            self.length = length
            self.iterationBehavior = iterationBehavior
            make = {
                var iterator = sequence.makeAsyncIterator()
                return Iterator { try await iterator.next() }
            }
        }

        convenience init(_ text: String) {
            let chunks = AsyncStream<ByteChunk> { chunks in
                chunks.yield(Array(text.utf8)[...])
                chunks.finish()
            }
            self.init(chunks, length: .known(Int64(text.utf8.count)), iterationBehavior: .single)
        }

        func makeAsyncIterator() -> Iterator {
            let isSecond = iterations.withLock { count in
                count += 1
                return count > 1
            }
            precondition(!isSecond || iterationBehavior == .multiple, "the body is read a second time")
            return make()
        }
    }
}
