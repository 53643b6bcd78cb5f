/// The pace at which a device requests its token until the user has entered the code (RFC 8628, 3.5).
struct DevicePolling: Hashable {
    private(set) var interval: Duration

    init(interval: Duration) {
        self.interval = interval
    }

    /// Adapts the wait to a failure. Returns false if the failure is final.
    mutating func goesOn(after failure: TokenFailure) -> Bool {
        switch failure {
        case .pending: break
        case .tooFast: interval += .seconds(5)
        // The server may be overloaded.
        case .passing: interval = min(interval * 2, .seconds(3600))
        case .invalidGrant, .final: return false
        }
        return true
    }
}

extension OAuth2 {
    /// Requests a code, shows it, and requests the token until the user has entered the code.
    func token(by endpoint: DeviceEndpoint, _ context: AuthenticationContext) async throws -> Token {
        var form: OAuthForm = ["scope": endpoint.scopes.scope]
        form.append(fields)
        let (response, redaction) = try await post(form, to: endpoint.url, context)
        let codes = try TokenResponse(response, now: context.now).deviceAuthorization(redaction)
        let clock = context.client.configuration.clock
        return try await poll(codes, on: clock, context) { await endpoint.show(codes) }
    }

    private func poll(
        _ codes: DeviceAuthorization, on clock: some Clock<Duration>, _ context: AuthenticationContext,
        show: () async -> Void
    ) async throws -> Token {
        let start = clock.now
        await show()
        var polling = DevicePolling(interval: codes.interval)
        while start.duration(to: clock.now) + polling.interval < codes.lifetime {
            try await clock.wait(for: polling.interval)
            do {
                return try await requestToken(
                    [
                        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
                        "device_code": codes.deviceCode,
                    ], context)
            } catch {
                guard polling.goesOn(after: TokenFailure(error)) else { throw error }
            }
        }
        throw OAuthError(.expiredToken, "the user has not entered the code in time: begin again with a new code")
    }
}
