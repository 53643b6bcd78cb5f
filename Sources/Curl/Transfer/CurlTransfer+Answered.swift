#if os(Linux)
    import TangoCCurl

    /// Responses that are complete before the bodies of their requests have been sent.
    ///
    /// After a 2xx, libcurl continues to send even if the server has stopped reading. In HTTP/1.1 it sends until the
    /// connection breaks. In HTTP/2, versions before 8.5 never read from the connection again.
    extension CurlTransfer {
        /// A Boolean value that indicates whether the whole response has arrived, judged by its head. A part of the
        /// request may be unsent.
        var isAnsweredInFull: Bool {
            guard ending == nil, hasHead, !isReceivingPaused, let length = reception.lengthOnWire else { return false }
            return length <= receivedOnWire
        }

        /// A Boolean value that indicates whether the server has refused the `Expect` field of a request with a body.
        var isExpectationRefused: Bool { content != .none && hasHead && reception.hasStatus("417") }

        /// Returns whether a result only means that the server needs no more of the request after a complete response.
        ///
        /// If a stream was closed for any other reason, libcurl's message describes it.
        func isClosedAfterResponse(_ result: CURLcode) -> Bool {
            guard result == CURLE_HTTP2_STREAM, hasHead, content != .none, !isReceivingPaused, let handle,
                handle.message.isEmpty
            else { return false }
            return reception.lengthOnWire.map { $0 <= receivedOnWire } ?? true
        }

        /// The number of bytes of the response's body that have arrived, before decoding.
        private var receivedOnWire: Int {
            var received: Int64 = 0
            if let handle { _ = tango_curl_get_offset(handle.easy, CURLINFO_SIZE_DOWNLOAD_T, &received) }
            return Int(received)
        }
    }
#endif
