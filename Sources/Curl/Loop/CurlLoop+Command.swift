#if os(Linux)
    extension CurlLoop {
        /// A command for the loop's driver.
        enum Command {
            case start(CurlTransfer)
            /// The caller or the reader does not need the transfer any more.
            case leave(CurlTransfer)
            /// The reader has made room.
            case receive(CurlTransfer)
            /// The upload has bytes again.
            case send(CurlTransfer)
            /// The upload has failed.
            indirect case fail(CurlTransfer, RequestError)
            /// No transfer will be started any more.
            case retire
            case shutDown
        }
    }
#endif
