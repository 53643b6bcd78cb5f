/// A value that is expensive to create. It is created once for all rounds and rows, on first use.
public actor Kept<Value: Sendable> {
    private let make: @Sendable () async throws -> Value
    private var task: Task<Value, any Error>?

    public init(_ make: @escaping @Sendable () async throws -> Value) {
        self.make = make
    }

    public var value: Value {
        get async throws {
            let task = task ?? Task { [make] in try await make() }
            self.task = task
            return try await task.value
        }
    }
}
