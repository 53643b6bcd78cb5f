/// A real HTTP/1.1 server on 127.0.0.1.
public final class LoopbackServer: Sendable {
    public init() {}
}
