import Testing

/// The tests run the program as a process, against a server that knows nothing of Tango. One process at a time runs beside a
/// server, because processes that start at the same moment may inherit the pipes of each other.
@Suite(
    .serialized, .timeLimit(.minutes(2)),
    .enabled(if: BookServer.hasPython, "the server of these tests needs python3"))
enum EndToEnd {}
