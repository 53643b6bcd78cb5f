extension Data {
    /// Returns a copy of the bytes, which begins at index 0 and retains nothing else. The function is never inlined, because it
    /// takes 800 bytes of code.
    @inline(never)
    package func copied() -> Data { Data(self) }
}
