/// Marks a call, so that code can detect that it runs inside it: on the same thread, further down the stack.
enum Caller {
    @TaskLocal static var isInside = false

    @discardableResult
    static func call<Result>(_ body: () throws -> Result) rethrows -> Result {
        try $isInside.withValue(true, operation: body)
    }
}
