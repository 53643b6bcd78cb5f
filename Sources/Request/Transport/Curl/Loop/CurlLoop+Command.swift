#if os(Linux)
    extension CurlLoop {
        /// What others want of whoever drives.
        enum Command {
            case start(CurlTransfer)
            /// Its caller, or its reader, does not want it any more.
            case leave(CurlTransfer)
            /// There is room again for what it receives.
            case receive(CurlTransfer)
            /// There is something again that it can send.
            case send(CurlTransfer)
            /// What it has to send has failed.
            indirect case fail(CurlTransfer, RequestError)
            /// Nobody will start anything any more.
            case retire
            case shutDown
        }
    }
#endif
