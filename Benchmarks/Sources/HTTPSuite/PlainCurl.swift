import CurlReference
import Foundation

/// The reference: a loop in C around libcurl. Rows run one after the other, each in one thread.
final class PlainCurl: @unchecked Sendable {
    private let reference: OpaquePointer

    init(inFlight: Int, authority: String? = nil) throws {
        guard let reference = curl_reference_make(Int32(inFlight)) else { throw Failure("libcurl cannot be used") }
        self.reference = reference
        if let authority { curl_reference_trust(reference, authority) }
    }

    deinit {
        curl_reference_free(reference)
    }

    func get(_ url: URL, count: Int) throws {
        try check(curl_reference_get(reference, url.absoluteString, Int32(count)))
    }

    func receive(_ url: URL, into path: String? = nil) throws {
        try check(curl_reference_download(reference, url.absoluteString, path))
    }

    func send(fileAt path: String, to url: URL) throws {
        try check(curl_reference_upload(reference, url.absoluteString, path))
    }

    private func check(_ failures: Int32) throws {
        guard failures == 0 else {
            let latest = String(cString: curl_reference_failure(reference))
            throw Failure("\(failures) requests of the reference failed: \(latest)")
        }
    }
}
