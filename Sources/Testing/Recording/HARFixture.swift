/// A recorded run for a test: the first run goes to a real server, and later ones need no network.
///
/// ```swift
/// let fixture = try HARFixture(file: file)
/// let api = Client(baseURL: url) { fixture.apply(to: &$0) }
/// let user = try await api.get("/users/1", as: User.self).value
/// #expect(user.name == "Ada")
/// try fixture.finish()
/// ```
///
/// If the file does not exist, the run is recorded, and ``finish()`` creates the file. Otherwise it is replayed, and
/// ``finish()`` throws if the run differs from the recording. To record again, delete the file.
///
/// Secrets are replaced in the file, so it can be part of a repository. Bodies of the application's data are in it: see
/// `Client.Configuration.redaction`.
public final class HARFixture: Sendable {
    /// The use of the file.
    public enum Mode: Sendable, Hashable {
        /// Records if the file does not exist, and replays it otherwise.
        case automatic
        /// Records, and replaces the file.
        case record
        /// Replays the file. A missing file is an error, for example on a server for tests.
        case replay
    }

    private enum Role: Sendable {
        case recording(HARRecorder, in: URL)
        case replaying(HARReplay)
    }

    /// The file of the recording.
    public let file: URL
    private let role: Role

    /// Opens a file for recording or for replaying.
    ///
    /// - Parameters:
    ///   - file: The file, usually with the extension `har`.
    ///   - mode: The use of the file.
    ///   - matching: The rules by which a recorded exchange is found.
    /// - Throws: A ``RecordingError`` if the file cannot be used.
    public init(file: URL, mode: Mode = .automatic, matching: HARReplay.Matching = .strict) throws(RecordingError) {
        self.file = file
        let exists = FileManager.default.fileExists(atPath: file.path)
        if mode == .replay || mode == .automatic && exists {
            role = .replaying(try HARReplay(file: file, matching: matching))
        } else {
            // A run that fails leaves no fixture.
            let unfinished = URL(fileURLWithPath: file.path + ".recording")
            role = .recording(try HARRecorder(file: unfinished), in: unfinished)
        }
    }

    /// A Boolean value that indicates whether this run is recorded.
    public var isRecording: Bool {
        if case .recording = role { true } else { false }
    }

    /// Adds the recorder to a configuration, or replaces its transport.
    public func apply(to configuration: inout Client.Configuration) {
        switch role {
        case .recording(let recorder, _): configuration.observers.append(recorder)
        case .replaying(let replay): configuration.transport = replay
        }
    }

    /// Creates the file of a run that was recorded, or compares a run with its recording.
    ///
    /// - Throws: A ``RecordingError`` if the file cannot be written, or if the run made other requests than the recorded one.
    public func finish() throws(RecordingError) {
        switch role {
        case .replaying(let replay): try replay.verify()
        case .recording(let recorder, let unfinished):
            recorder.close()
            if let error = recorder.error { throw error }
            try HARStream.move(unfinished.path, to: file.path)
        }
    }
}

extension HARFixture: CustomStringConvertible {
    /// The file, and the use of it.
    public var description: String {
        "HARFixture, \(isRecording ? "recording" : "replaying") \(file.lastPathComponent)"
    }
}
