#if os(Linux)
    import TangoCCurl

    extension CurlLoop {
        /// Ends an idle connection on which the server has sent bytes without a request. libcurl 7.88 would read them as
        /// the response to the next request.
        func endUnrequested(_ socket: Int32) {
            guard sockets.hasUnrequestedBytes(socket) else { return }
            // A request that was sent on this connection may have paused before libcurl reported its socket.
            let isUsed = active.all.contains { transfer in
                guard let used = transfer.handle?.socket else { return false }
                return used == socket || used == CURL_SOCKET_BAD && transfer.isConnected
            }
            if !isUsed { sockets.endIdle(socket) }
        }
    }
#endif
