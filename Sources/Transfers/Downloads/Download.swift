/// A request whose response is written to a file, declared as a class.
///
/// ```swift
/// final class GetFilm: Download {
///     override var endpoint: Endpoint { .get("/film.mp4") }
///     override var destination: Destination { .folder(downloads) }
/// }
/// ```
/// ```swift
/// let file = try await GetFilm().promise.value
/// ```
///
/// It has the properties of every `Request`, and is started in the same way. The file gets its name when it is
/// complete, and needs little memory at any size.
///
/// **Resuming.** A download that failed, was cancelled, or whose process has ended is resumed by the next one with the
/// same URL, destination and user. Within a call, the `Request.retryPolicy` decides whether another attempt resumes. The
/// server has to send a strong `ETag`, or a `Last-Modified` that is at least a minute older than its `Date`. Otherwise,
/// and if the file has changed on the server, the download begins anew.
nonisolated open class Download: Request<DownloadedFile> {
    /// The place of the file.
    open var destination: Destination { .undeclared }

    /// The digest that the complete file must have; nil to check only its length.
    ///
    /// A file with another digest is removed, and the call fails with `RequestError.Code.checksumMismatch`.
    open var checksum: Checksum? { nil }

    /// A text that is the same for all downloads of the file; nil for its URL.
    ///
    /// Set it if the URL is another one at each start, because it is signed or has a token.
    open var resumeKey: String? { nil }

    /// The number of connections over which the file is loaded: one, or several if the server supports it.
    ///
    /// The server has to send `Accept-Ranges: bytes`, the length of the file, and a strong `ETag`, or a `Last-Modified`
    /// that is at least a minute older than its `Date`.
    open var parts: DownloadParts { .one }

    /// The limits of the client for connecting and for the next byte. By default, a download as a whole has none.
    override open var timeouts: Timeouts {
        var timeouts = super.timeouts
        timeouts.attempt = nil
        timeouts.total = nil
        return timeouts
    }

    /// The highest number of bytes of the file; nil, the default, for no limit.
    override open var responseLimit: Int? { nil }

    /// A download uses no cache.
    override public final var cachePolicy: CachePolicy { .networkOnly }

    /// Two downloads never share a transfer: each has a file of its own.
    override public final var uniqueness: Uniqueness { .allow }

    /// The output is the file.
    override public final var serializer: Serializer<DownloadedFile> {
        let plan = DownloadPlan(
            destination: destination, checksum: checksum, resumeKey: resumeKey, limit: responseLimit, parts: parts)
        return .receiving(plan) { response, _ in
            guard let file = response.file else {
                throw RequestError(
                    .badResponse, phase: .decode,
                    detail: "an interceptor has replaced the response of the download: return the one that it got")
            }
            return DownloadedFile(
                url: file.url, count: file.count, resumedFrom: file.resumedFrom, response: response)
        }
    }
}

/// A file that was downloaded.
public struct DownloadedFile: Sendable {
    /// The place of the file.
    public let url: URL
    /// The number of bytes.
    public let count: Int
    /// The number of bytes that were on the disk before the call. They were not sent again.
    public let resumedFrom: Int
    /// The response, without a body. It has the status 200, also if only a part of the file was missing.
    public let response: HTTPResponse
}
