import LoopbackServer
import Testing

@Suite struct LoopbackServerTests {}
