/// Values by their type, one of each: what features keep for a call, so that the call need not know them.
package struct TypedValues: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    package init() {}

    package var isEmpty: Bool { values.isEmpty }

    package subscript<Value: Sendable>(type: Value.Type) -> Value? {
        get { values[ObjectIdentifier(type)] as? Value }
        set { values[ObjectIdentifier(type)] = newValue }
    }

    package subscript<Value: Sendable>(type: Value.Type, default value: @autoclosure () -> Value) -> Value {
        get { self[type] ?? value() }
        set { self[type] = newValue }
    }
}
