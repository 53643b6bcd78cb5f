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

        /// libcurl quotes the URL that the environment names, with its password.
        @Test(
            arguments: [
                (
                    CURLE_COULDNT_CONNECT, "Unsupported proxy scheme for 'http9://ada:don't-tell@p.example'",
                    .proxyFailed,
                    "Unsupported proxy scheme"
                ),
                (
                    CURLE_COULDNT_RESOLVE_PROXY, "Unsupported proxy syntax in 'http://ada:don't-tell@p:9x': Bad port",
                    .proxyFailed, "Unsupported proxy syntax"
                ),
                (
                    CURLE_NOT_BUILT_IN, "Unsupported proxy 'https://ada:don't-tell@p', libcurl is built without TLS.",
                    .unsupported, "Unsupported proxy"
                ),
                (CURLE_COULDNT_CONNECT, "Failed to connect to 'a'", .cannotConnect, "Failed to connect to 'a'"),
            ] as [(CURLcode, String, RequestError.Code, String)])
        func urlOfAProxyIsNotShown(
            _ result: CURLcode, _ message: String, _ code: RequestError.Code, _ detail: String
        ) {
            let cause = cause(result, 0, message: message)
            #expect(cause.code == code)
            #expect(cause.detail == detail)
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
