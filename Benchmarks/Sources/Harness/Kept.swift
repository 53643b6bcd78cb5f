/// Something that takes long to make, and is made once for all rounds and rows, when the first of them needs it.
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
