#if os(Linux)
    import Glibc
    import TangoCCurl
    import Testing

    @testable import TangoCurl
    @testable import TangoRequest
    @testable import TestSupport

    /// The codes of connections that libcurl cannot open, by the error of the kernel.
    struct CurlCauseTests {
        @Test(arguments: [
            (ENETUNREACH, RequestError.Code.offline), (ENETDOWN, .offline), (EHOSTUNREACH, .cannotConnect),
            (ECONNREFUSED, .cannotConnect), (ETIMEDOUT, .cannotConnect), (0, .cannotConnect),
            (EMFILE, .outOfResources), (EADDRNOTAVAIL, .outOfResources),
        ])
        func errorOfTheKernelDecides(_ number: Int32, _ code: RequestError.Code) {
            #expect(cause(CURLE_COULDNT_CONNECT, number).code == code)
        }

        /// Without its loopback interface, the system reports an unreachable network.
        @Test(arguments: [ENETUNREACH, ENETDOWN])
        func thisDeviceIsNeverOffline(_ number: Int32) {
            #expect(cause(CURLE_COULDNT_CONNECT, number, isThisDevice: true).code == .cannotConnect)
        }

        @Test func otherFailuresAreNotAboutTheNetwork() {
            #expect(cause(CURLE_COULDNT_RESOLVE_HOST, ENETUNREACH).code == .hostNotFound)
            #expect(cause(CURLE_RECV_ERROR, ENETDOWN, message: "Recv failure").code == .connectionLost)
        }

        private func cause(
            _ result: CURLcode, _ number: Int32, isThisDevice: Bool = false, message: String = ""
        ) -> CurlCause {
            CurlCause(
                result: result, message: message, systemError: number, hasHead: false, isConnected: false,
                lacksBodyOnly: false, isThisDevice: isThisDevice)
        }
    }
#endif
