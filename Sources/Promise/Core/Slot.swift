/// Three words inside every promise. Their content depends on the phase.
///
/// | phase | content |
/// |---|---|
/// | `open` | a `Producer` |
/// | `waiting` | a `Wait` |
/// | `running`, `cancelled` | nothing that another thread may read |
/// | `fulfilled` | the value, or the `Box` that holds it |
/// | `rejected` | the error |
///
/// Values that are too large, or that must not be moved as bytes (those with a weak reference inside), live in a `Box`.
@usableFromInline
struct Slot {
    @usableFromInline var words: (UInt, UInt, UInt) = (0, 0, 0)

    @inlinable init() {}

    @inlinable
    mutating func store<Content>(_ content: consuming Content) {
        if Slot.fits(Content.self) {
            place(content)
        } else {
            place(Box(content))
        }
    }

    /// Returns a copy of the content, which stays in the slot.
    @inlinable
    func load<Content>(as _: Content.Type = Content.self) -> Content {
        withUnsafePointer(to: words) { words in
            let pointer = UnsafeRawPointer(words)
            return if Slot.fits(Content.self) {
                pointer.assumingMemoryBound(to: Content.self).pointee
            } else {
                pointer.assumingMemoryBound(to: Box<Content>.self).pointee.content
            }
        }
    }

    /// Moves the content out of the slot.
    @inlinable
    mutating func take<Content>(as _: Content.Type = Content.self) -> Content {
        withPointer { pointer in
            if Slot.fits(Content.self) {
                pointer.assumingMemoryBound(to: Content.self).move()
            } else {
                pointer.assumingMemoryBound(to: Box<Content>.self).move().content
            }
        }
    }

    @inlinable
    static func fits<Content>(_: Content.Type) -> Bool {
        MemoryLayout<Content>.size <= MemoryLayout<Slot>.size
            && MemoryLayout<Content>.alignment <= MemoryLayout<Slot>.alignment
            && _isBitwiseTakable(Content.self)
    }

    /// Returns whether a value of this type needs no destruction.
    @inlinable
    static func forgets<Content>(_: Content.Type) -> Bool {
        _isPOD(Content.self) && fits(Content.self)
    }

    @inlinable
    mutating func place<Content>(_ content: consuming Content) {
        let content = content
        withPointer { _ = $0.initializeMemory(as: Content.self, to: content) }
    }

    mutating func place(error: any Error) {
        place(error as any Error)  // the coercion keeps the box, which a generic parameter would open
    }

    @inlinable
    mutating func withPointer<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
        withUnsafeMutablePointer(to: &self) { body(UnsafeMutableRawPointer($0)) }
    }
}

/// A value that does not fit into a slot.
@usableFromInline
final class Box<Content> {
    @usableFromInline let content: Content

    @inlinable init(_ content: consuming Content) { self.content = content }
}
