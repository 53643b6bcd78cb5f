#if os(Linux)
    import TangoCCurl

    extension CurlHandle {
        /// The pin of the server's key; nil if the transfer has used an older connection, or has had no handshake.
        var presentedPin: PublicKeyPin? {
            var pointer: UnsafeMutableRawPointer?
            guard tango_curl_get_pointer(easy, CURLINFO_CERTINFO, &pointer) == CURLE_OK, let pointer else { return nil }
            let all = pointer.assumingMemoryBound(to: curl_certinfo.self).pointee
            guard all.num_of_certs > 0, var entry = all.certinfo?[0] else { return nil }
            while true {
                let text = entry.pointee.data.map { String(cString: $0) } ?? ""
                if text.hasPrefix("Cert:") { return PublicKeyPin(certificate: Data(text.utf8.dropFirst(5))) }
                guard let next = entry.pointee.next else { return nil }
                entry = next
            }
        }
    }
#endif
