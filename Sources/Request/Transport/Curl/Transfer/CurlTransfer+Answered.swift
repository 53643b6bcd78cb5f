#if os(Linux)
    import TangoCCurl

    /// Responses that are complete before the bodies of their requests have been sent.
    ///
    /// libcurl goes on sending after a 2xx, also if the server has stopped to read: in HTTP/1.1 until the connection breaks, and
    /// in HTTP/2, in versions before 8.5, without ever looking at the connection again.
    extension CurlTransfer {
        /// Whether all of the response is there, as its head says, while some of the request may not have been sent.
        var isAnsweredInFull: Bool {
            guard ending == nil, hasHead, !isReceivingPaused, let length = reception.lengthOnWire else { return false }
            return length <= receivedOnWire
        }

        /// Whether a result says no more than that the server, after a whole response, wants nothing more of the request.
        ///
        /// A stream that was closed for any other reason is described in libcurl's message.
        func isClosedAfterResponse(_ result: CURLcode) -> Bool {
            guard result == CURLE_HTTP2_STREAM, hasHead, content != .none, !isReceivingPaused, let handle,
                handle.message.isEmpty
            else { return false }
            return reception.lengthOnWire.map { $0 <= receivedOnWire } ?? true
        }

        /// How many bytes of the response's body have come, before they were decoded.
        private var receivedOnWire: Int {
            var received: Int64 = 0
            if let handle { _ = tango_curl_get_offset(handle.easy, CURLINFO_SIZE_DOWNLOAD_T, &received) }
            return Int(received)
        }
    }
#endif
